import { closeSync, constants, lstatSync, openSync, readdirSync, readlinkSync } from 'node:fs';

import type { TimeSlice } from '../../lib/time/time-slice.ts';
import { errorCode, isMissing, readFaultOf } from '../../model/errors.ts';
import { lookUp } from '../look-up.ts';
import { kindOf } from '../rules/entry.ts';
import type { Entry } from '../rules/entry.ts';

/** Everything in a directory. */
export interface Listing {
  readonly entries: readonly Entry[];
  /** Names whose NFC form is another entry's too. The one that is NFC on disk stands, else the first in byte order. */
  readonly twins: readonly Entry[];
  /** Names whose bytes are not UTF-8. */
  readonly undecoded: readonly UndecodedEntry[];
}

interface UndecodedEntry extends Pick<Entry, 'name' | 'kind' | 'stats'> {
  readonly bytes: Buffer;
}

export function allOf({
  entries,
  twins,
  undecoded,
}: Listing): readonly Pick<Entry, 'name' | 'kind' | 'stats'>[] {
  return [...entries, ...twins, ...undecoded];
}

/** Where a file may stand that nobody sees: what cannot be looked at, and directories that are not listed for their names. */
export function hiddenIn(
  absolute: string,
  { entries, twins, undecoded }: Listing,
): readonly (string | Buffer)[] {
  const isUnseen = ({ stats }: Pick<Entry, 'stats'>) => stats === null;
  const isHidden = (one: Pick<Entry, 'kind' | 'stats'>) => one.kind === 'directory' || isUnseen(one);
  const named = [...entries.filter(isUnseen), ...twins.filter(isHidden)];
  return [
    ...named.map(({ raw }) => `${absolute}/${raw}`),
    ...undecoded.filter(isHidden).map(({ bytes }) => placeOf(absolute, bytes)),
  ];
}

/** Stands in a decoded name where bytes are not UTF-8, or where the name itself holds it. */
const replacement = '\uFFFD';
const notAscii = /[^\0-\x7f]/;

/**
 * Lists a directory with `lstat` of everything in it. Throws what `readdir` throws, and EACCES when names can be
 * read but nothing behind them. What vanishes meanwhile is left out. `absolute`: without links; ELOOP when the directory
 * is elsewhere because one above it became a link.
 */
export async function listDirectory(absolute: string, slice: TimeSlice): Promise<Listing> {
  const names = namesIn(absolute);
  const listed: Entry[] = [];
  const undecoded: UndecodedEntry[] = [];
  let foreign = false;
  let composed = false;
  for (const raw of names) {
    const rest = slice();
    if (rest !== undefined) await rest;
    const other = notAscii.test(raw);
    composed ||= other;
    if (other && raw.includes(replacement)) {
      foreign = true;
      continue;
    }
    const found = lookAt(`${absolute}/${raw}`);
    if (found === null) continue;
    const { kind, stats, fault } = found;
    listed.push({ name: other ? raw.normalize('NFC') : raw, raw, kind, stats, fault });
  }
  if (foreign) listAsBytes(absolute, listed, undecoded);
  const [first] = listed;
  // A name that is too long says nothing of its directory.
  const isBarred = ({ kind, fault }: Entry) => kind === 'unreadable' && fault !== 'ENAMETOOLONG';
  // Says why; and if it no longer fails, the listing holds.
  if (first !== undefined && listed.every(isBarred))
    lstatSync(`${absolute}/${first.raw}`, { throwIfNoEntry: false });
  if (!composed) return { entries: listed, twins: [], undecoded };
  return { ...standing(listed), undecoded };
}

/** Of the directory that was opened and checked: nobody can put another in its place in between. */
function namesIn(absolute: string): readonly string[] {
  const handle = openSync(absolute, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const opened = `/proc/self/fd/${handle}`;
    const found = targetOf(opened);
    // No /proc on this system.
    if (found === null) return readdirSync(absolute);
    if (found === absolute) return readdirSync(opened);
    // Where case does not count, it may be found by a name that it, or one above it, has no more: where the two part.
    const names = absolute.split('/');
    const others = found.split('/');
    const parted = names.slice(0, names.findIndex((name, at) => name !== others[at]) + 1).join('/');
    const isGone = found.endsWith(' (deleted)') || lookUp(parted) === undefined;
    const code = isGone ? 'ENOENT' : 'ELOOP';
    throw Object.assign(new Error(`${absolute} has moved`), { code });
  } finally {
    closeSync(handle);
  }
}

/** Where a link leads; null: it is not there. Throws what else `readlink` throws. */
function targetOf(link: string): string | null {
  try {
    return readlinkSync(link);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** What stands under a name; null: nothing any more. */
function lookAt(absolute: string | Buffer): Pick<Entry, 'kind' | 'stats' | 'fault'> | null {
  try {
    const stats = lstatSync(absolute, { throwIfNoEntry: false });
    return stats === undefined ? null : { kind: kindOf(stats), stats };
  } catch (error) {
    const fault = errorCode(error);
    return readFaultOf(fault) === 'gone' ? null : { kind: 'unreadable', stats: null, fault };
  }
}

function placeOf(absolute: string, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${absolute}/`), bytes]);
}

/** Lists once more, without decoding, those names that a decoded listing cannot tell apart. */
function listAsBytes(absolute: string, listed: Entry[], undecoded: UndecodedEntry[]): void {
  for (const bytes of readdirSync(absolute, { encoding: 'buffer' })) {
    const text = bytes.toString('utf8');
    if (!text.includes(replacement)) continue;
    const found = lookAt(placeOf(absolute, bytes));
    if (found === null) continue;
    if (Buffer.from(text).equals(bytes)) listed.push({ name: text.normalize('NFC'), raw: text, ...found });
    else undecoded.push({ name: text, bytes, ...found });
  }
}

function standing(listed: readonly Entry[]): Pick<Listing, 'entries' | 'twins'> {
  const byName = new Map<string, Entry>();
  const twins: Entry[] = [];
  for (const entry of listed) {
    const other = byName.get(entry.name);
    const stands = other === undefined || comesBefore(entry, other);
    if (other !== undefined) twins.push(stands ? other : entry);
    if (stands) byName.set(entry.name, entry);
  }
  return { entries: twins.length === 0 ? listed : [...byName.values()], twins };
}

/** Which of two names with the same NFC form, `name`, stands. */
export function comesBefore(one: Pick<Entry, 'raw' | 'name'>, other: Pick<Entry, 'raw' | 'name'>): boolean {
  if (one.raw === one.name) return true;
  if (other.raw === other.name) return false;
  return Buffer.compare(Buffer.from(one.raw), Buffer.from(other.raw)) < 0;
}
