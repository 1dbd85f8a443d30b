import { parse } from 'dotenv';
import { ConfigurationError } from '../../model/errors.ts';

/** A `.env` text with other values in it. */
export interface MergedEnvironmentFile {
  readonly text: string;
  /** True when a value that was set before is another one now. */
  readonly replaces: boolean;
}

/** Sets variables in the text of a `.env`; everything else in it stays. Throws ConfigurationError for a value that no quotes can hold. */
export function mergeEnvironmentFile(
  before: string,
  values: Readonly<Record<string, string>>,
): MergedEnvironmentFile {
  const old = parse(before);
  const replaces = Object.entries(values).some(([name, value]) => (old[name] || value) !== value);
  const kept = withoutNames(before, new Set(Object.keys(values)));
  const lines = Object.entries(values).map(([name, value]) => `${name}=${quoted(name, value)}\n`);
  return { text: `${kept}${kept === '' || kept.endsWith('\n') ? '' : '\n'}${lines.join('')}`, replaces };
}

/** A value may span lines: whole entries go, as dotenv reads them. */
function withoutNames(text: string, names: ReadonlySet<string>): string {
  const entry =
    /^[^\S\n]*(?:export\s+)?([\w.-]+)(?:\s*=[^\S\n]*?|:\s+?)([^\S\n]*'(?:\\'|[^'])*'|[^\S\n]*"(?:\\"|[^"])*"|[^\S\n]*`(?:\\`|[^`])*`|[^#\r\n]+)?[^\S\n]*(?:#.*)?(?:\r?\n|$)/gm;
  return text.replaceAll(entry, (whole: string, name: string) => (names.has(name) ? '' : whole));
}

function quoted(name: string, value: string): string {
  const candidates = [
    ...(/^[\w.@:/+=-]+$/.test(value) ? [value] : []),
    `'${value}'`,
    `\`${value}\``,
    `"${value}"`,
  ];
  const good = candidates.find((text) => parse(`${name}=${text}\n`)[name] === value);
  if (good !== undefined) return good;
  throw new ConfigurationError(
    `${name}: its value mixes every kind of quote; put it into a file of its own and name that by ${name}_FILE`,
  );
}
