import { jsonSchemaOf, schemaAt } from '../../lib/text/describe-issues.ts';
import type { JsonSchema } from '../../lib/text/describe-issues.ts';
import { settingsSchema } from '../../model/settings.ts';

/** What may be written at a path of keys and indexes of the configuration; undefined where nothing is known. */
export function settingAt(path: readonly PropertyKey[]): JsonSchema | undefined {
  return schemaAt(jsonSchemaOf(settingsSchema), path);
}

/** A key of the configuration file, and what may be written there. */
export interface SettingNode {
  readonly path: readonly PropertyKey[];
  readonly node: JsonSchema;
  readonly isRequired: boolean;
}

/** Every key of the configuration file in its order there; 0 stands for every index. */
export function settingNodes(
  node = jsonSchemaOf(settingsSchema),
  path: readonly PropertyKey[] = [],
): readonly SettingNode[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, child]) => {
    const childPath = [...path, name];
    if (child.description !== undefined)
      return [{ path: childPath, node: child, isRequired: node.required?.includes(name) ?? false }];
    return child.items === undefined
      ? settingNodes(child, childPath)
      : settingNodes(child.items, [...childPath, 0]);
  });
}

/** The environment variable of a key: `INGESTD_TIMING__SETTLE_MS`, `INGESTD_FOLDERS__0__PATH`. */
export function environmentName(path: readonly PropertyKey[]): string {
  return `INGESTD_${path.map((key) => snakeCase(String(key))).join('__')}`;
}

/** `settleMs` → `SETTLE_MS`. */
export function snakeCase(key: string): string {
  return key.replaceAll(/(?<=[a-z0-9])[A-Z]/g, '_$&').toUpperCase();
}
