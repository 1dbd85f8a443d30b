import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import * as z from 'zod';

import { writeDurably } from '../../lib/files/durable-file.ts';
import { makeDirectory } from '../../lib/files/make-directory.ts';
import { orNull } from '../../lib/or-null.ts';
import type { Clock } from '../../lib/time/clock.ts';
import { pairsOf } from '../redis/connection.ts';
import type { RedisSession } from '../redis/connection.ts';
import { listOf, redisScript } from '../redis/script.ts';
import { foldersVersion, folderTextLua, knownFoldersLua, recalled } from './folders-lua.ts';

/** A folder as Redis has it: see `folderTextLua`. */
const folderTextForm = /^(\S+ ){5}\S+( \S*)*$/;

const rememberedSchema = z.object({
  /** What Redis had when it said this: another one may have forgotten some of it. Empty: it was never asked. */
  born: z.string(),
  /** How often the folders had changed. */
  changes: z.number(),
  /** By the keys of the folders. */
  folders: z.record(z.string(), z.string().regex(folderTextForm)),
});

/** What Redis last said of whose folders are whose. */
export type RememberedFolders = z.output<typeof rememberedSchema>;

const nothing: RememberedFolders = { born: '', changes: 0, folders: {} };

/**
 * Gives Redis what it may have forgotten, and what it knows then. What Redis knows is newer: nothing is put back
 * that is one of its folders, lies in one, or has one in it.
 */
const recallFolders = redisScript({
  keys: ['folders', foldersVersion],
  answer: z.object({ born: z.string(), changes: z.number(), folders: listOf(z.string()) }),
  lua: `
${folderTextLua}
${knownFoldersLua}
-- Each Redis process has one of its own, and so has each that was emptied.
local born = redis.call('HGET', foldersVersion, 'born') or ''
if not remembersAll(born) then born = ask.redis .. '-' .. ask.nonce end

if not remembersAll(ask.born) then
  local isThere, has, isAbove = {}, {}, {}
  local listed = redis.call('HGETALL', folders)
  for i = 1, #listed, 2 do
    local one = readFolder(listed[i + 1])
    isThere[listed[i]], has[one.path] = true, true
    for path in string.gmatch(one.above, '%S+') do isAbove[path] = true end
  end
  for key, text in pairs(ask.folders) do
    local one = readFolder(text)
    local isNew = not isThere[key] and not has[one.path] and not isAbove[one.path]
    for path in string.gmatch(one.above, '%S+') do isNew = isNew and not has[path] end
    if isNew then
      setFolder(key, table.concat({ one.ledger, one.path, '${recalled}', one.holder, one.name, one.machine }, ' ') .. one.above)
    end
  end
end

redis.call('HSET', foldersVersion, 'born', born)
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, 31536000000) end
return { born = born, changes = tonumber(redis.call('HGET', foldersVersion, 'changes') or 0),
  folders = redis.call('HGETALL', folders) }
`,
});

/** So long, for each folder that Redis knows, what has changed of them is not asked for again. */
const restMs = 10;

interface MemoryOptions {
  /** Where it is kept; its directory need not be there. */
  readonly path: string;
  readonly clock: Clock;
}

/**
 * Whose folders are whose, as this host keeps it for a Redis that comes back empty, or with older data. A host claims
 * nothing there before it has said what it remembers.
 */
export class FolderMemory {
  readonly #options: MemoryOptions;
  #known: RememberedFolders;
  /** Monotonic, ms. */
  #askedAt = -Infinity;
  #written: Promise<void> = Promise.resolve();

  constructor(options: MemoryOptions, known: RememberedFolders) {
    this.#options = options;
    this.#known = known;
  }

  get known(): RememberedFolders {
    return this.#known;
  }

  /** Rejects where Redis does not answer, or refuses. */
  async recall(session: RedisSession): Promise<void> {
    const { born, folders } = this.#known;
    this.#askedAt = this.#options.clock.monotonic();
    const nonce = randomBytes(8).toString('hex');
    const answer = await recallFolders(session, { born, folders, nonce });
    this.#known = { ...answer, folders: Object.fromEntries(pairsOf(answer.folders)) };
    this.#keep();
  }

  /** Redis says how often the folders have changed. Rejects as `recall` does. */
  async follow(session: RedisSession, changes: number): Promise<void> {
    const { changes: before, folders } = this.#known;
    const restedMs = this.#options.clock.monotonic() - this.#askedAt;
    if (changes === before || restedMs < Object.keys(folders).length * restMs) return;
    await this.recall(session);
  }

  /** Resolves when what is known is on the disk. */
  async close(): Promise<void> {
    await this.#written;
  }

  /** A failure only makes an empty Redis less safe; and a disk that cannot be written is told of by the ledger. */
  #keep(): void {
    const { path } = this.#options;
    const text = `${JSON.stringify(this.#known)}\n`;
    this.#written = this.#written.then(() => write(path, text)).catch(() => {});
  }
}

/** The memory of a host, with what its last run knew. */
export async function openFolderMemory(options: MemoryOptions): Promise<FolderMemory> {
  return new FolderMemory(options, await readRemembered(options.path));
}

/** What a file has of it. One that is damaged, or not there, has nothing. */
export async function readRemembered(path: string): Promise<RememberedFolders> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return orNull(() => rememberedSchema.parse(JSON.parse(text))) ?? nothing;
}

async function write(path: string, text: string): Promise<void> {
  await makeDirectory(dirname(path), 0o700);
  await writeDurably(path, text);
}
