import * as z from 'zod';

import { toTheSecond } from '../../lib/time/clock.ts';
import type { Clock } from '../../lib/time/clock.ts';
import type { FolderPort } from '../../model/ports/folder-port.ts';
import type { Reason } from '../../model/report/status.ts';
import type { Settings } from '../../model/settings.ts';
import type { FolderIdentity } from './folder-identity.ts';
import { digestOf, identifyFolder } from './folder-identity.ts';
import { createBeat } from '../redis/beat.ts';
import type { Beat } from '../redis/beat.ts';
import type { Redis } from '../redis/connection.ts';
import { redisScript } from '../redis/script.ts';

/** Whose the folders of a configuration are. */
export type FolderOwnersView = Pick<FolderOwners, 'guard'>;

interface FolderQuestion {
  readonly key: string;
  readonly ledger: string;
  /** Left out: it is only looked whose it is. */
  readonly claim?: {
    /** Of the folder in the configuration. */
    readonly name: string;
    readonly host: string;
    /** This host has it already. */
    readonly isMine: boolean;
    /** The names of all folders that the ledger has: 1. It gives up the others. */
    readonly configured: Readonly<Record<string, number>> | null;
  };
}

/** A ledger has a folder for a day after its host last said so. */
const claimMs = 24 * 3_600_000;

/**
 * Gives a folder to the ledger that asks first, and again to the one that has it. A Redis that may have forgotten whose
 * folders are whose gives none away while its minute is closed: whoever has one says so within that time. Nothing is
 * sent before then.
 */
const askForFolder = redisScript<FolderQuestion, { owner: string; agoMs: number; openMs: number | null }>({
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
local oldest, claim = now - ${claimMs}, ask.claim

if claim and claim.configured ~= cjson.null then
  local all = redis.call('HGETALL', folders)
  for i = 1, #all, 2 do
    local at, ledger, name = read(all[i + 1])
    if not at or tonumber(at) < oldest or ledger == ask.ledger and not claim.configured[name] then
      redis.call('HDEL', folders, all[i])
    end
  end
end

local at, ledger, _, host = read(redis.call('HGET', folders, ask.key))
local isFree = not at or tonumber(at) < oldest
if not isFree and ledger ~= ask.ledger then return { owner = host, agoMs = now - tonumber(at) } end
if not claim then return { owner = '' } end
if isFree and not claim.isMine then
  local minute = redis.call('HMGET', state, 'run', 'open')
  local open = tonumber(minute[2] or 0)
  if minute[1] ~= ask.redis then return { openMs = 250 } end
  if open > now then return { openMs = open - now } end
end
redis.call('HSET', folders, ask.key, string.format('%.0f %s %s %s', now, ask.ledger, claim.name, claim.host))
redis.call('PEXPIRE', folders, ${2 * claimMs})
return { owner = '' }
`,
});

type Folder = Pick<Settings['folders'][number], 'name' | 'path'>;

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
  /** Why it is not this host's. Undefined: not known yet. Null: it is. */
  elsewhere: Reason | null | undefined;
  /** Redis is asked again then: monotonic, ms. */
  askAt: number;
  restMs: number;
}

/** How often it is looked whether a folder is where it was, and asked whether another ledger still has it. */
const lookMs = 2_000;
/** How often this host says that it has a folder. */
const renewMs = 60_000;

export type FolderOwners = ReturnType<typeof claimFolders>;

/** Claims the folders of this host from now on, and knows those that another ledger of the account has. */
export function claimFolders({ redis, ledger, host, folders, clock, onChange }: OwnersOptions) {
  const listeners = new Set<() => void>();
  let hasCleared = false;
  /** By their names. A directory on a drive that hangs holds up no other. */
  const watched: ReadonlyMap<string, Watched> = new Map(folders.map((one) => [one.name, watch(one)]));
  const all = [...watched.values()];
  for (const { beat } of all) beat.now();

  return {
    /** Asks Redis now whose they are: it has come, or has forgotten something. */
    ask: (): void => {
      for (const one of all) {
        one.askAt = -Infinity;
        one.beat.now();
      }
    },
    close: (): void => {
      for (const { beat } of all) void beat.end();
    },
    isPending,
    /** Each folder was looked at, and whose it is is known of those that are there. */
    isKnown: (): boolean => all.every(({ wasSeen }) => wasSeen) && !isPending(),
    /** Why a folder is not this host's; null: it is, or that is not known yet. */
    elsewhere,
    guard,
  };

  /**
   * A folder of which nothing is found while another ledger has it; it begins when that ledger has given it up. Nor is
   * anything found in a directory whose owner is not known: something was mounted there a moment ago.
   */
  function guard({ name, path, rootNow }: Pick<FolderPort, 'name' | 'path' | 'rootNow'>) {
    const reason = () => elsewhere(name);
    const look = async (): Promise<Reason | null> => {
      const root = await rootNow().catch(() => null);
      const identity = watched.get(name)?.identity;
      if (root === null || (identity?.dev === root.dev && identity.ino === root.ino)) return reason();
      return { code: 'folder-changed', message: `${path} is another directory than before` };
    };
    return { reason, look, listen: (freed: () => void) => void listeners.add(freed) };
  }

  function elsewhere(folder: string): Reason | null {
    return watched.get(folder)?.elsewhere ?? null;
  }

  /** Whose one of the folders is that are there is not known yet. */
  function isPending(): boolean {
    return all.some(({ identity, elsewhere }) => identity !== null && elsewhere === undefined);
  }

  function watch(folder: Folder): Watched {
    const say = async () => {
      one.restMs = lookMs;
      await learn(folder, one).catch(() => {
        one.askAt = -Infinity;
      });
      one.wasSeen = true;
    };
    const one: Watched = {
      beat: createBeat(clock, say, () => one.restMs),
      wasSeen: false,
      identity: null,
      elsewhere: undefined,
      askAt: -Infinity,
      restMs: lookMs,
    };
    return one;
  }

  /** Rejects where Redis does not answer, or refuses. */
  async function learn(folder: Folder, one: Watched): Promise<void> {
    const identity = await identifyFolder(folder.path, one.identity);
    if (identity !== one.identity) {
      one.identity = identity;
      one.askAt = -Infinity;
      note(one, identity?.key === '' ? null : undefined);
    }
    if (!identity?.key || (one.elsewhere === null && clock.monotonic() < one.askAt)) return;
    // Before it is asked: `ask` may be called meanwhile.
    one.askAt = clock.monotonic() + renewMs;
    const names = folders.map((configured) => [nameOf(configured), 1] as const);
    const configured = hasCleared ? null : Object.fromEntries(names);
    const claim = { name: nameOf(folder), host, isMine: one.elsewhere === null, configured };
    const answer = await askForFolder(redis, { key: identity.key, ledger, claim });
    hasCleared = true;
    if (answer.openMs === null) note(one, elsewhereOf(answer));
    else one.restMs = Math.min(lookMs, answer.openMs);
  }

  function note(one: Watched, now: Watched['elsewhere']): void {
    const before = one.elsewhere;
    one.elsewhere = now;
    if (before?.message === now?.message && (before === null) === (now === null)) return;
    onChange();
    if (now === null) for (const listener of listeners) listener();
  }
}

/** What a ledger knows a folder by: with another path it is another one. */
function nameOf({ name, path }: Folder): string {
  return digestOf([name, path]);
}

/** A host that is there says what it has every minute. */
const hereMs = 150_000;

/** Why a folder is another ledger's, to stand behind its name; null: it is whose who asked. */
function elsewhereOf({ owner, agoMs }: { readonly owner: string; readonly agoMs: number }): Reason | null {
  if (owner === '') return null;
  const until = toTheSecond(Date.now() - agoMs);
  const message =
    agoMs < hereMs
      ? `host ${owner} sends this folder, with another state directory`
      : `host ${owner} had this folder until ${until}, with another state directory; the folder is free a day after that, or when ${owner} is started without it`;
  return { code: 'folder-elsewhere', message };
}

/** Whose the folders are, without a word to anybody. `ledger`: null where there is none yet. Rejects as scripts do. */
export async function lookForOwners(
  redis: Redis,
  folders: readonly Folder[],
  ledger: string | null,
): Promise<FolderOwnersView> {
  const reasons = new Map<string, Reason | null>();
  for (const { name, path } of folders) {
    const found = await identifyFolder(path, null);
    if (!found?.key) continue;
    const answer = await askForFolder(redis, { key: found.key, ledger: ledger ?? 'new' });
    reasons.set(name, elsewhereOf(answer));
  }
  return {
    guard: ({ name }) => {
      const reason = () => reasons.get(name) ?? null;
      return { reason, look: async () => reason(), listen: () => {} };
    },
  };
}
