import type * as z from 'zod';

import { isMapping } from '../../lib/text/describe-issues.ts';
import { settingsSchema } from '../../model/settings.ts';

/** The keys of a configuration that are valid by themselves, with their defaults, whatever is wrong with others. */
export type ValidKeys = ReturnType<typeof validKeys>;

/** Takes from a configuration what can be judged further although other keys may be invalid. */
export function validKeys(input: unknown) {
  const { service, state, http, cluster, folders } = settingsSchema.shape;
  const root = isMapping(input) ? input : null;
  const section = (name: string): unknown => root && (root[name] ?? {});
  const list = root?.['folders'];
  return {
    service: keysOf(service.unwrap(), section('service')),
    state: keysOf(state.unwrap(), section('state')),
    http: keysOf(http.unwrap(), section('http')),
    /** Null: it is left out. */
    cluster: root?.['cluster'] === undefined ? null : keysOf(cluster.unwrap(), root['cluster']),
    folders: (Array.isArray(list) ? list : []).map((folder) => keysOf(folders.element, folder)),
  };
}

/** Empty where the section is no mapping. */
function keysOf<Shape extends z.ZodRawShape>(
  section: z.ZodObject<Shape>,
  input: unknown,
): Partial<z.output<z.ZodObject<Shape>>> {
  if (!isMapping(input)) return {};
  const read = Object.entries(section.shape).flatMap(([key, schema]) => {
    const { success, data } = (schema as z.ZodType).safeParse(input[key]);
    return success ? [[key, data]] : [];
  });
  return Object.fromEntries(read) as Partial<z.output<z.ZodObject<Shape>>>;
}
