import type { Stats } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'dotenv';
import { ConfigurationError, errorCode, errorMessage } from '../../model/errors.ts';
import { readTrustedFile } from '../trusted-file.ts';

/** The `.env` beside the configuration file. */
export interface EnvironmentFile {
  readonly file: string;
  /** Only names that begin with `INGESTD_`; empty where there is no such file. */
  readonly values: Readonly<Record<string, string>>;
  /** Who else can read it, and what it says otherwise than it may seem to. No value is in them. */
  readonly warnings: readonly string[];
}

/**
 * Reads `.env` in `directory` without touching the process's environment `env`. Throws ConfigurationError when it is
 * there and cannot be read, or others can write it.
 */
export async function readEnvironmentFile(
  directory: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<EnvironmentFile> {
  const file = join(directory, '.env');
  try {
    const { text, stats } = await readTrustedFile(file, env);
    const surprises = findSurprises(text).map((words) => `${file}:${words}`);
    return { file, values: ours(parse(text)), warnings: [...exposure(file, stats), ...surprises] };
  } catch (error) {
    const code = errorCode(error);
    if (code === 'configuration') throw error;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { file, values: {}, warnings: [] };
    // Docker makes one where the file that it is to mount is missing.
    if (code === 'EISDIR')
      return {
        file,
        values: {},
        warnings: [
          `${file} is a directory, so no settings were read from it; replace it with a file or remove it`,
        ],
      };
    throw new ConfigurationError(
      `${file} cannot be read (${code ?? errorMessage(error)}); make it readable for the user that runs ingestd`,
      { cause: error },
    );
  }
}

function ours(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => name.startsWith('INGESTD_')));
}

/** As ssh judges a key: nobody but its owner. A file that root owns may be read through its group. */
function exposure(file: string, { mode, uid }: Pick<Stats, 'mode' | 'uid'>): string[] {
  const own = process.getuid?.() ?? uid;
  if ((mode & (uid === own ? 0o077 : 0o027)) === 0) return [];
  const permissions = (mode & 0o777).toString(8).padStart(4, '0');
  return [`${file} can be read by others (mode ${permissions}); run chmod 600 ${file}`];
}

/**
 * Sets variables in the text of a `.env`; everything else in it stays. `replaces`: a value that was set before changes.
 * Throws ConfigurationError for a value that no quotes can hold.
 */
export function mergeEnvironmentFile(
  before: string,
  values: Readonly<Record<string, string>>,
): { readonly text: string; readonly replaces: boolean } {
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
    `${name}: its value contains every kind of quote; put it into a file and set ${name}_FILE`,
  );
}

const prefix = 'INGESTD_';
const entry = /^\s*(?:export\s+)?(INGESTD_\w*)(?:\s*=|:\s)(.*)$/;

/**
 * Finds what a `.env` says of our variables that dotenv reads otherwise than a person may have meant: the line, the
 * variable and the fix; never a value.
 */
export function findSurprises(source: string): string[] {
  const values = parse(source);
  const entries = source.split(/\r\n?|\n/).flatMap((text, index) => {
    const [, name, value = ''] = entry.exec(text) ?? [];
    const isOurs = text.includes(prefix) && !text.trimStart().startsWith('#');
    return isOurs ? [{ line: index + 1, name, value }] : [];
  });
  return entries.flatMap(({ line, name, value }, index) => {
    if (name === undefined) return [`${line}: nothing is read from this line; write it as ${prefix}…=value`];
    const before = entries.slice(0, index).findLast((one) => one.name === name);
    const isLast = entries.slice(index + 1).every((one) => one.name !== name);
    return [
      ...(isLast && meantBy(value) !== values[name]
        ? [
            `${line}: ${name} is not read as it stands here, because of a #, a quote or a backslash in it; put all of the value in single quotes`,
          ]
        : []),
      ...(before === undefined
        ? []
        : [`${line}: ${name} is set in line ${before.line} too, and this one counts; keep one of them`]),
    ];
  });
}

/** The value that a person means by the text behind the `=`: quotes around it, or one in front of it, are none of it. */
function meantBy(text: string): string {
  const [, , quoted] = /^\s*(['"`])(.*)\1(?:\s+#.*|\s*)$/.exec(text) ?? [];
  if (quoted !== undefined) return quoted.replaceAll(/\\(?=['"`])/g, '');
  return text
    .replace(/\s#+(?:\s.*)?$/, '')
    .trim()
    .replace(/^['"`\u2018-\u201F\u00AB]/, '');
}
