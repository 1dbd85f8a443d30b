import { isUtf8 } from 'node:buffer';
import type { Stats } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';

import { userName } from '../lib/process/user-name.ts';
import { sizeWords } from '../lib/text/amounts.ts';
import { ConfigurationError } from '../model/errors.ts';

/**
 * Reads the text of a file that decides what ingestd does and with which credentials, and what it looked like when it was
 * opened. Throws ConfigurationError where another user could have written it, see `distrust`, where it is larger than
 * `maxBytes` or no UTF-8, and what opening and reading throw. `env`: the process's own, as a `.env` must not declare itself
 * trusted.
 */
export async function readTrustedFile(
  file: string,
  env: Readonly<Record<string, string | undefined>>,
  maxBytes = 1024 * 1024,
) {
  const link = await lstat(file);
  const handle = await open(file, 'r');
  try {
    // Of the open file: what is judged is what is read.
    const stats = await handle.stat();
    const own = process.getuid?.();
    const fault =
      distrust(file, stats, own) ?? (link.isSymbolicLink() ? distrustLink(file, link, own) : null);
    if (fault !== null && env['INGESTD_TRUST_CONFIG'] !== '1') throw new ConfigurationError(fault);
    // Up to one byte more than `maxBytes`: then the file is larger.
    const bytes = await buffer(handle.createReadStream({ end: maxBytes, autoClose: false }));
    if (bytes.length > maxBytes)
      throw new ConfigurationError(`${file} is larger than ${sizeWords(maxBytes)}, which is too large`);
    if (!isUtf8(bytes)) throw new ConfigurationError(`${file} is not UTF-8 text; save it as UTF-8`);
    return { text: bytes.toString('utf8').replace(/^\uFEFF/, ''), stats };
  } finally {
    await handle.close();
  }
}

const anyway = 'or set INGESTD_TRUST_CONFIG=1 in the environment to use it anyway';

/** Whoever made a link chose which file is read, and from where its relative paths are seen. */
function distrustLink(file: string, { uid }: Pick<Stats, 'uid'>, ownUid: number | undefined): string | null {
  if (ownUid === undefined || uid === ownUid || uid === 0) return null;
  return `${file} is a link that another user made (uid ${uid}; ingestd runs as uid ${ownUid}); name the file itself, ${anyway}`;
}

/**
 * Why a file may hold what neither the user that runs ingestd nor root has written, with the fix; null: it does not. A
 * group may write only where it is the owner's private group (same number), which Debian gives every user.
 */
export function distrust(
  file: string,
  { mode, uid, gid }: Pick<Stats, 'mode' | 'uid' | 'gid'>,
  ownUid: number | undefined,
): string | null {
  // A system without users.
  if (ownUid === undefined) return null;
  if (uid !== ownUid && uid !== 0) {
    // What a service's user has is that one's to keep: given to root, the service could not read it any more.
    const advice =
      ownUid === 0
        ? `run ingestd as that user (sudo -u ${userName(uid)} ingestd …)`
        : 'change its owner with chown';
    return `${file} belongs to another user (uid ${uid}; ingestd runs as uid ${ownUid}), who can change it; ${advice}, ${anyway}`;
  }
  const permissions = (mode & 0o777).toString(8).padStart(4, '0');
  if ((mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== uid)) {
    return `${file} can be changed by others (mode ${permissions}, uid ${uid}, gid ${gid}); run chmod go-w ${file}, ${anyway}`;
  }
  return null;
}
