import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';

import { printable } from '../../lib/text/printable.ts';
import type { Status } from '../../model/report/status.ts';
import { readCommandLine } from '../define-command.ts';
import type { CommandContext } from '../define-command.ts';
import { daemonOf } from '../prepare-command.ts';

/** A shell waits for the answer while a person types. */
const longestMs = 1_000;
const mostOffers = 200;

interface Known extends Pick<Status, 'paused' | 'failures' | 'held' | 'inDoubt'> {
  readonly folders: readonly { readonly name: string }[];
}
type Place = { readonly folder: string; readonly path: string };

/** What stands for the argument of a command, from what the daemon knows. */
const offersOf: Readonly<Record<string, (known: Known) => readonly string[]>> = {
  approve: ({ folders, held }) => (held.length === 0 ? namesOf(folders) : held.map(({ folder }) => folder)),
  pause: ({ folders, paused }) => namesOf(folders).filter((name) => !paused.includes(name)),
  resume: ({ paused }) => paused,
  rescan: ({ folders }) => namesOf(folders),
  retry: ({ failures, inDoubt }) => placesOf([...failures, ...inDoubt]),
  resolve: ({ inDoubt }) => placesOf(inDoubt),
  why: troubledPaths,
  log: troubledPaths,
};

/**
 * `ingestd __complete -- WORD…`: what the last word may be completed to, a line each; the completion scripts ask it. It
 * takes a second at the most, says nothing on standard error, and always ends with exit code 0.
 */
export function addCompleteCommand(program: Command, context: CommandContext): void {
  program.command('__complete [words...]', { hidden: true }).action(async (words: readonly string[]) => {
    const late = delay(longestMs, [], { ref: false });
    for (const offer of await Promise.race([offers(program, words, context).catch(() => []), late]))
      context.output.line(offer);
  });
}

async function offers(
  program: Command,
  words: readonly string[],
  context: CommandContext,
): Promise<readonly string[]> {
  const typed = words.at(-1) ?? '';
  const { command = '', config } = readCommandLine(program, words.slice(0, -1));
  const all = offersOf[command]?.(await askDaemon(config, context)) ?? [];
  // One that would not fit on a line cannot be completed to either.
  const fitting = all.filter((offer) => offer.startsWith(typed) && printable(offer) === offer);
  return [...new Set(fitting)].sort().slice(0, mostOffers);
}

/** Without a daemon only the configured folders are known: a large ledger takes too long to read. */
async function askDaemon(config: string | undefined, { env, cwd }: CommandContext): Promise<Known> {
  const { likelyStateDirectory } = await import('../../config/find-places.ts');
  const { dir, file } = await likelyStateDirectory({ file: config, env, cwd });
  const daemon = await daemonOf(dir, file);
  if (daemon !== null) return daemon.status();
  const { loadConfiguration } = await import('../../config/load-configuration.ts');
  const { settings } = await loadConfiguration({ file: config, env, cwd, checkFolders: false });
  const { readPauses, pausedNames } = await import('../../daemon/control/pauses.ts');
  const paused = pausedNames(await readPauses(settings.state.dir), settings.folders);
  return { folders: settings.folders, paused, failures: [], held: [], inDoubt: [] };
}

function troubledPaths({ failures, inDoubt, held }: Known): readonly string[] {
  const heldPlaces = held.flatMap(({ folder, paths }) => paths.map((path) => ({ folder, path })));
  return placesOf([...failures, ...inDoubt, ...heldPlaces]);
}

function placesOf(places: readonly Place[]): readonly string[] {
  return places.map(({ folder, path }) => `${folder}/${path}`);
}

function namesOf(folders: readonly { readonly name: string }[]): readonly string[] {
  return folders.map(({ name }) => name);
}
