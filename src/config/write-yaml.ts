import { stringify } from 'yaml';

/** A value as YAML text, for a person to go on from. */
export function writeYaml(value: unknown): string {
  return stringify(value);
}
