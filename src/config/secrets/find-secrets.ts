import { type JsonSchema, schemaAt } from '../settings/json-schema.ts';
import { pathText } from '../../lib/text/describe-issues.ts';
import type { Problem } from '../settings/problem.ts';
import { secretMeantBy, secretVariables } from './secret-names.ts';

/** Every key of the file that would hold a secret, under whatever spelling and at whatever depth. Values are not shown. */
export function findSecrets(value: unknown, schema: JsonSchema): Problem[] {
  return search(value, { schema, path: [] });
}

interface Place {
  readonly schema: JsonSchema;
  readonly path: readonly PropertyKey[];
}

function search(value: unknown, { schema, path }: Place): Problem[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value))
    return value.flatMap((item, index) => search(item, { schema, path: [...path, index] }));
  return Object.entries(value).flatMap(([key, child]) => {
    const place = { schema, path: [...path, key] };
    const secret = schemaAt(schema, place.path) === undefined ? secretMeantBy(key) : undefined;
    return secret === undefined ? search(child, place) : [problem(place.path, secret)];
  });
}

function problem(path: readonly PropertyKey[], secret: keyof typeof secretVariables | null): Problem {
  const fix =
    secret === null
      ? 'ingestd obtains tokens itself, from the five secrets in the environment'
      : `put it into the environment or the .env beside this file, as ${secretVariables[secret]}=… (or ${secretVariables[secret]}_FILE)`;
  return {
    path,
    message: `${pathText(path)} is a secret, and secrets never stand in the configuration file; take it out (and change it, if others could read the file): ${fix}`,
  };
}
