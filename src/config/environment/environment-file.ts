import type { Stats } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'dotenv';
import { ConfigurationError, errorCode, errorMessage, isMissing } from '../../model/errors.ts';
import { readTrustedFile } from '../trusted-file.ts';

/** The `.env` beside the configuration file. */
export interface EnvironmentFile {
  readonly file: string;
  /** Only names that begin with `INGESTD_`; empty where there is no such file. */
  readonly values: Readonly<Record<string, string>>;
  /** Who else can read it, or why it gives nothing. No value is in them. */
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
    const ours = Object.entries(parse(text)).filter(([name]) => name.startsWith('INGESTD_'));
    return { file, values: Object.fromEntries(ours), warnings: exposure(file, stats) };
  } catch (error) {
    const code = errorCode(error);
    if (code === 'configuration') throw error;
    if (isMissing(error)) return { file, values: {}, warnings: [] };
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
