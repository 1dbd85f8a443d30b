import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'dotenv';
import { ConfigurationError, errorCode, errorMessage } from '../../model/errors.ts';

/** The `.env` beside the configuration file. */
export interface EnvironmentFile {
  readonly file: string;
  /** Only names that begin with `INGESTD_`; empty where there is no such file. */
  readonly values: Readonly<Record<string, string>>;
  /** Who else can read it, in words. */
  readonly warnings: readonly string[];
}

/** Reads `.env` in `directory` without touching the process's environment. Throws ConfigurationError when it is there and cannot be read. */
export async function readEnvironmentFile(directory: string): Promise<EnvironmentFile> {
  const file = join(directory, '.env');
  try {
    const status = await stat(file);
    if (!status.isFile()) return { file, values: {}, warnings: [] };
    const values = ours(parse(await readFile(file)));
    return { file, values, warnings: exposure(file, status) };
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { file, values: {}, warnings: [] };
    throw new ConfigurationError(
      `${file} cannot be read (${code ?? errorMessage(error)}); let the user that runs ingestd read it`,
      { cause: error },
    );
  }
}

function ours(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => name.startsWith('INGESTD_')));
}

/** As ssh judges a key: nobody but its owner. A file that root owns may be read through its group. */
function exposure(file: string, { mode, uid }: { readonly mode: number; readonly uid: number }): string[] {
  const own = process.getuid?.() ?? uid;
  const permissions = (mode & 0o777).toString(8).padStart(4, '0');
  const warnings: string[] = [];
  if ((mode & (uid === own ? 0o077 : 0o027)) !== 0) {
    warnings.push(`${file} can be read by others (mode ${permissions}); chmod 600 ${file}`);
  }
  if (uid !== own && uid !== 0)
    warnings.push(`${file} belongs to another user (uid ${uid}), who can change it`);
  return warnings;
}
