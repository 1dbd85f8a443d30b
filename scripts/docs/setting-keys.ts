import { environmentName, settingNodes } from '../../src/config/settings/setting-keys.ts';
import type { SettingNode } from '../../src/config/settings/setting-keys.ts';
import type { JsonSchema } from '../../src/lib/text/describe-issues.ts';
import { pathText } from '../../src/lib/text/describe-issues.ts';

export type SettingKey = ReturnType<typeof row>;

/** Every key of the configuration file in its order there, for people, one row each. */
export function settingKeys(): readonly SettingKey[] {
  return settingNodes().map(row);
}

function row({ path, node, isRequired }: SettingNode) {
  return {
    /** `service.authUrl`, `folders[].path`. */
    key: pathText(path).replaceAll('[0]', '[]'),
    /** `INGESTD_FOLDERS__0__PATH` stands for every index. */
    environment: environmentName(path),
    /** `number`, `remote | embedded`. */
    type: typeText(node),
    unit: node.unit ?? null,
    /** As it is written in YAML; null: none. */
    defaultText: node.defaultWords ?? (node.default === undefined ? null : JSON.stringify(node.default)),
    required: isRequired,
    description: node.description ?? '',
  };
}

function typeText(node: JsonSchema): string {
  if (node.enum !== undefined) return node.enum.map(String).join(' | ');
  if (node.const !== undefined) return JSON.stringify(node.const);
  if (node.anyOf !== undefined) return node.anyOf.map(typeText).join(' | ');
  if (node.items !== undefined) return `list of ${typeText(node.items)}`;
  if (node.type === 'integer') return 'whole number';
  return typeof node.type === 'string' ? node.type : 'value';
}
