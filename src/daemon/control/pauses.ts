import { join } from 'node:path';
import * as z from 'zod';

import { pathInside } from '../../lib/files/path-inside.ts';
import { readIfThere, writeDurably } from '../../lib/files/durable-file.ts';

/** What a person paused, kept in the state directory. */
const schema = z.object({
  /** Every folder, those that are configured later too. */
  all: z.boolean(),
  /** One that is given another name, or another path, stays paused; so does what is made of it. */
  folders: z.array(z.object({ name: z.string(), path: z.string() })).readonly(),
});

export type Pauses = Readonly<z.output<typeof schema>>;

export type PausedFolder = Readonly<Pauses['folders'][number]>;

const noPauses: Pauses = { all: false, folders: [] };

/** A file that cannot be read pauses everything: what a person wanted kept back must not go out. */
export async function readPauses(stateDir: string): Promise<Pauses> {
  try {
    const text = await readIfThere(fileIn(stateDir));
    return text === null ? noPauses : schema.parse(JSON.parse(text));
  } catch {
    return { all: true, folders: [] };
  }
}

/** Durable when it resolves. */
export async function writePauses(stateDir: string, pauses: Pauses): Promise<void> {
  await writeDurably(fileIn(stateDir), `${JSON.stringify(pauses)}\n`);
}

/** A folder is paused with what it was before it was narrowed, widened, split or merged, and got another name. */
function isPaused({ all, folders }: Pauses, { name, path }: PausedFolder): boolean {
  const isOf = (one: string, other: string) => pathInside(one, other) !== null;
  return all || folders.some((one) => one.name === name || isOf(one.path, path) || isOf(path, one.path));
}

/** Names of the folders that are paused. */
export function pausedNames(pauses: Pauses, folders: readonly PausedFolder[]): readonly string[] {
  return folders.filter((folder) => isPaused(pauses, folder)).map(({ name }) => name);
}

/** With one folder more on pause; null: with all. */
export function pause(pauses: Pauses, folder: PausedFolder | null): Pauses {
  if (folder === null) return { all: true, folders: [] };
  if (isPaused(pauses, folder)) return pauses;
  return { ...pauses, folders: [...pauses.folders, { name: folder.name, path: folder.path }] };
}

/** Without one folder, the others of `configured` as they are; null: with none on pause. */
export function resume(
  pauses: Pauses,
  folder: PausedFolder | null,
  configured: readonly PausedFolder[],
): Pauses {
  if (folder === null) return noPauses;
  const left = configured.filter((one) => one.name !== folder.name && isPaused(pauses, one));
  return { all: false, folders: left.map(({ name, path }) => ({ name, path })) };
}

function fileIn(stateDir: string): string {
  return join(stateDir, 'paused.json');
}
