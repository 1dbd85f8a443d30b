import * as z from 'zod';

import type { Clock } from '../../lib/time/clock.ts';
import type { FolderIdentity } from './folder-identity.ts';
import { digestOf, identifyFolder } from './folder-identity.ts';
import { Beat } from '../redis/beat.ts';
import type { Redis } from '../redis/connection.ts';
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

interface Folder {
  readonly name: string;
  readonly path: string;
}

interface OwnersOptions {
  readonly redis: Redis;
  /** What the state directory is known by. */
  readonly ledger: string;
  readonly host: string;
  readonly folders: readonly Folder[];
  readonly clock: Clock;
  /** What is known of them has changed. */
  readonly onChange: () => void;
}

/** What is known of a folder. */
interface Watched {
  readonly beat: Beat;
  wasSeen: boolean;
  /** Null: there is no directory, or it cannot be looked at. */
  identity: FolderIdentity | null;
  /** Undefined: not known yet. Null: this host. */
  owner: FolderOwner | null | undefined;
  /** Redis is asked again then: monotonic, ms. */
  askAt: number;
  restMs: number;
}

/** How often it is looked whether a folder is where it was, and asked whether another ledger still has it. */
const lookMs = 2_000;
/** How often this host says that it has a folder. */
const renewMs = 60_000;

/** Claims the folders of this host, and knows those that another ledger of the account has. */
export class FolderOwners implements FolderOwnersView {
  readonly #options: OwnersOptions;
  /** By their names. A directory on a drive that hangs holds up no other. */
  readonly #watched: ReadonlyMap<string, Watched>;
  readonly #listeners = new Set<() => void>();
  #hasCleared = false;

  constructor(options: OwnersOptions) {
    this.#options = options;
    this.#watched = new Map(options.folders.map((folder) => [folder.name, this.#watch(folder)]));
  }

  /** Looks at all folders from now on, and asks Redis whose they are: it has come, or has forgotten something. */
  ask(): void {
    for (const one of this.#watched.values()) {
      one.askAt = -Infinity;
      one.beat.now();
    }
  }

  close(): void {
    for (const { beat } of this.#watched.values()) void beat.end();
  }

  /** Whose one of the folders is that are there is not known yet. */
  get isPending(): boolean {
    return [...this.#watched.values()].some(
      ({ identity, owner }) => identity !== null && owner === undefined,
    );
  }

  /** Each folder was looked at, and whose it is is known of those that are there. */
  get isKnown(): boolean {
    return [...this.#watched.values()].every(({ wasSeen }) => wasSeen) && !this.isPending;
  }

  ownerOf(folder: string): FolderOwner | null {
    return this.#watched.get(folder)?.owner ?? null;
  }

  isAt(folder: string, { dev, ino }: Pick<FolderIdentity, 'dev' | 'ino'>): boolean {
    const identity = this.#watched.get(folder)?.identity;
    return identity?.dev === dev && identity.ino === ino;
  }

  listen(listener: () => void): void {
    this.#listeners.add(listener);
  }

  #watch(folder: Folder): Watched {
    const say = async () => {
      one.restMs = lookMs;
      await this.#learn(folder, one).catch(() => {
        one.askAt = -Infinity;
      });
      one.wasSeen = true;
    };
    const { clock } = this.#options;
    const one: Watched = {
      beat: new Beat({ clock, say, restMs: () => one.restMs }),
      wasSeen: false,
      identity: null,
      owner: undefined,
      askAt: -Infinity,
      restMs: lookMs,
    };
    return one;
  }

  /** Rejects where Redis does not answer, or refuses. */
  async #learn(folder: Folder, one: Watched): Promise<void> {
    const { redis, ledger, host, clock, folders } = this.#options;
    const identity = await identifyFolder(folder.path, one.identity);
    if (identity !== one.identity) {
      one.identity = identity;
      one.askAt = -Infinity;
      this.#note(one, identity?.key === '' ? null : undefined);
    }
    if (!identity?.key || (one.owner === null && clock.monotonic() < one.askAt)) return;
    // Before it is asked: `ask` may be called meanwhile.
    one.askAt = clock.monotonic() + renewMs;
    const { owner, agoMs, openMs } = await claimFolder(redis, {
      key: identity.key,
      ledger,
      name: nameOf(folder),
      host,
      isMine: one.owner === null,
      ...(this.#hasCleared ? {} : { configured: Object.fromEntries(folders.map((all) => [nameOf(all), 1])) }),
    });
    this.#hasCleared = true;
    if (openMs === null) this.#note(one, owner === '' ? null : { host: owner, agoMs });
    else one.restMs = Math.min(lookMs, openMs);
  }

  #note(one: Watched, owner: Watched['owner']): void {
    const before = one.owner;
    one.owner = owner;
    if (before?.host === owner?.host && (before === null) === (owner === null)) return;
    this.#options.onChange();
    if (owner === null) for (const listener of this.#listeners) listener();
  }
}

/** What a ledger knows a folder by: with another path it is another one. */
function nameOf({ name, path }: Folder): string {
  return digestOf([name, path]);
}

/** Whose the folders are, without a word to anybody. `ledger`: null where there is none yet. Rejects as scripts do. */
export async function lookForOwners(
  redis: Redis,
  folders: readonly Folder[],
  ledger: string | null,
): Promise<FolderOwnersView> {
  const owners = new Map<string, FolderOwner>();
  const looking = { ledger: ledger ?? 'new', name: '-', host: '-', isMine: false, looks: true };
  for (const { name, path } of folders) {
    const found = await identifyFolder(path, null);
    if (!found?.key) continue;
    const { owner, agoMs } = await claimFolder(redis, { ...looking, key: found.key });
    if (owner !== '') owners.set(name, { host: owner, agoMs });
  }
  return { ownerOf: (folder) => owners.get(folder) ?? null, isAt: () => true, listen: () => {} };
}
