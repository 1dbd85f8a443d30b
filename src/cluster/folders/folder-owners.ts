import * as z from 'zod';

import type { Clock } from '../../lib/time/clock.ts';
import type { FolderIdentity } from './folder-identity.ts';
import { digestOf, identifyFolder } from './folder-identity.ts';
import type { RedisSession } from '../redis/connection.ts';
import { redisScript } from '../redis/script.ts';

/** The host whose ledger has a folder. */
export interface FolderOwner {
  readonly host: string;
  /** How long ago it last said so, ms. */
  readonly agoMs: number;
}

/** Whose the folders of a configuration are, by their names. */
export interface FolderOwnersView {
  /** Null: this host's, or not known yet. */
  readonly ownerOf: (folder: string) => FolderOwner | null;
  /** False: another directory stands at the folder's path than the one whose owner is known. */
  readonly isAt: (folder: string, root: Pick<FolderIdentity, 'dev' | 'ino'>) => boolean;
  /** Calls when a folder has become this host's. */
  readonly listen: (listener: () => void) => void;
}

interface FolderClaim {
  readonly key: string;
  readonly ledger: string;
  /** Of the folder in the configuration. */
  readonly name: string;
  readonly host: string;
  /** This host has it already. */
  readonly isMine: boolean;
  /** Only looks whose it is. */
  readonly looks?: boolean;
  /** The names of all folders that the ledger has: 1. It gives up the others. */
  readonly configured?: Readonly<Record<string, number>>;
}

/** A ledger has a folder for a day after its host last said so. */
const claimMs = 24 * 3_600_000;

/**
 * Gives a folder to the ledger that asks first, and again to the one that has it. A Redis that may have forgotten whose
 * folders are whose gives none away while its minute is closed: whoever has one says so within that time. Nothing is
 * sent before then.
 */
const claimFolder = redisScript<FolderClaim, { owner: string; agoMs: number; openMs: number | null }>({
  keys: ['folders', 'state'],
  answer: z.object({
    /** Empty: whoever asks. */
    owner: z.string().default(''),
    agoMs: z.number().default(0),
    /** Not known for so long, ms; null: it is known. */
    openMs: z.number().nullable().default(null),
  }),
  lua: `
local function read(text) return string.match(text or '', '^(%d+) (%S+) (%S+) (.*)$') end
local oldest = now - ${claimMs}

if ask.configured then
  local all = redis.call('HGETALL', folders)
  for i = 1, #all, 2 do
    local at, ledger, name = read(all[i + 1])
    if not at or tonumber(at) < oldest or ledger == ask.ledger and not ask.configured[name] then
      redis.call('HDEL', folders, all[i])
    end
  end
end

local at, ledger, _, host = read(redis.call('HGET', folders, ask.key))
local isFree = not at or tonumber(at) < oldest
if not isFree and ledger ~= ask.ledger then return { owner = host, agoMs = now - tonumber(at) } end
if ask.looks then return { owner = '' } end
if isFree and not ask.isMine then
  local minute = redis.call('HMGET', state, 'run', 'open')
  local open = tonumber(minute[2] or 0)
  if minute[1] ~= ask.redis then return { openMs = 250 } end
  if open > now then return { openMs = open - now } end
end
redis.call('HSET', folders, ask.key, string.format('%.0f %s %s %s', now, ask.ledger, ask.name, ask.host))
redis.call('PEXPIRE', folders, ${2 * claimMs})
return { owner = '' }
`,
});

interface Known extends FolderIdentity {
  /** Undefined: not known yet. Null: this host. */
  readonly owner: FolderOwner | null | undefined;
  /** Monotonic, ms. */
  readonly askedAt: number;
}

interface Folder {
  readonly name: string;
  readonly path: string;
}

interface OwnersOptions {
  /** Null: Redis is away. */
  readonly session: () => RedisSession | null;
  /** What the state directory is known by. */
  readonly ledger: string;
  readonly host: string;
  readonly folders: readonly Folder[];
  readonly clock: Clock;
  /** What is known of them has changed. */
  readonly onChange: () => void;
}

/** How often it is looked whether a folder is where it was, and asked whether another ledger still has it. */
const lookMs = 2_000;
/** How often this host says that it has a folder. */
const renewMs = 60_000;

/** Claims the folders of this host, and knows those that another ledger of the account has. */
export class FolderOwners implements FolderOwnersView {
  readonly #options: OwnersOptions;
  readonly #known = new Map<string, Known>();
  readonly #looking = new Set<string>();
  readonly #seen = new Set<string>();
  readonly #listeners = new Set<() => void>();
  readonly #timers = new Map<string, () => void>();
  #hasCleared = false;
  #isRunning = false;

  constructor(options: OwnersOptions) {
    this.#options = options;
  }

  /** Does nothing where it has begun. */
  begin(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#lookAtAll();
  }

  #lookAtAll(): void {
    for (const folder of this.#options.folders) void this.#look(folder);
  }

  close(): void {
    this.#isRunning = false;
    for (const cancel of this.#timers.values()) cancel();
  }

  /** Redis has come, or has forgotten something. */
  hear(): void {
    for (const [name, known] of this.#known) this.#known.set(name, { ...known, askedAt: -Infinity });
    if (this.#isRunning) this.#lookAtAll();
  }

  /** Whose one of the folders is that are there is not known yet. */
  get isPending(): boolean {
    return [...this.#known.values()].some(({ owner }) => owner === undefined);
  }

  /** Each folder was looked at, and whose it is is known of those that are there. */
  get isKnown(): boolean {
    return this.#seen.size === this.#options.folders.length && !this.isPending;
  }

  ownerOf(folder: string): FolderOwner | null {
    return this.#known.get(folder)?.owner ?? null;
  }

  isAt(folder: string, { dev, ino }: Pick<FolderIdentity, 'dev' | 'ino'>): boolean {
    const known = this.#known.get(folder);
    return known !== undefined && known.dev === dev && known.ino === ino;
  }

  listen(listener: () => void): void {
    this.#listeners.add(listener);
  }

  async #look(folder: Folder): Promise<void> {
    if (this.#looking.has(folder.name)) return;
    this.#looking.add(folder.name);
    // A directory on a drive that hangs holds up no other.
    const restMs = await this.#learn(folder).catch(() => lookMs);
    this.#looking.delete(folder.name);
    this.#seen.add(folder.name);
    this.#timers.get(folder.name)?.();
    if (!this.#isRunning) return;
    const next = this.#options.clock.after(Math.min(lookMs, restMs), () => void this.#look(folder));
    this.#timers.set(folder.name, next);
  }

  /** Gives when to look again, ms. Rejects where Redis does not answer, or refuses. */
  async #learn({ name, path }: Folder): Promise<number> {
    const { session, ledger, host, clock } = this.#options;
    const before = this.#known.get(name);
    const found = await identifyFolder(path, before);
    if (found === null) {
      this.#known.delete(name);
      return lookMs;
    }
    // `hear` may have been told something meanwhile.
    const now = found === before ? this.#known.get(name) : undefined;
    const owner = found.key === '' ? null : now?.owner;
    const askedAt = now?.askedAt ?? -Infinity;
    const { key, dev, ino } = found;
    this.#note(name, { key, dev, ino, owner, askedAt });
    const redis = session();
    const isFresh = owner === null && clock.monotonic() - askedAt < renewMs;
    if (key === '' || isFresh || redis === null || !this.#isRunning) return lookMs;
    const claim = { key, ledger, host, name: nameOf({ name, path }), isMine: owner === null };
    const sentAt = clock.monotonic();
    const answer = await claimFolder(redis, {
      ...claim,
      ...(this.#hasCleared ? {} : { configured: this.#configured() }),
    });
    this.#hasCleared = true;
    if (answer.openMs !== null) return answer.openMs;
    const { owner: other, agoMs } = answer;
    this.#note(name, { key, dev, ino, owner: other === '' ? null : { host: other, agoMs }, askedAt: sentAt });
    return lookMs;
  }

  #note(name: string, known: Known): void {
    const before = this.#known.get(name);
    this.#known.set(name, known);
    if (before?.owner?.host === known.owner?.host && (before?.owner === null) === (known.owner === null))
      return;
    this.#options.onChange();
    if (known.owner === null) for (const listener of this.#listeners) listener();
  }

  #configured(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#options.folders.map((folder) => [nameOf(folder), 1]));
  }
}

/** What a ledger knows a folder by: with another path it is another one. */
function nameOf({ name, path }: Folder): string {
  return digestOf([name, path]);
}

/** Whose the folders are, without a word to anybody. `ledger`: null where there is none yet. Rejects as scripts do. */
export async function lookForOwners(
  session: RedisSession,
  folders: readonly Folder[],
  ledger: string | null,
): Promise<FolderOwnersView> {
  const owners = new Map<string, FolderOwner>();
  for (const { name, path } of folders) {
    const found = await identifyFolder(path);
    if (found === null || found.key === '') continue;
    const claim = {
      key: found.key,
      ledger: ledger ?? 'new',
      name: '-',
      host: '-',
      isMine: false,
      looks: true,
    };
    const { owner, agoMs } = await claimFolder(session, claim);
    if (owner !== '') owners.set(name, { host: owner, agoMs });
  }
  return { ownerOf: (folder) => owners.get(folder) ?? null, isAt: () => true, listen: () => {} };
}
