import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

import type { Inspection } from '../../../src/model/document.ts';
import type { FolderHealth, FoundFiles } from '../../../src/model/ports/folder-port.ts';
import type { FolderSettings, TimingSettings } from '../../../src/model/settings.ts';
import type { Watcher } from '../../../src/scan/watch/backend.ts';
import { folderSettingsOf } from '../../support/fixtures/default-settings.ts';
import { subfolder, quickTiming } from './folder-world.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { TemporaryFolder } from '../../support/temporary-folder.ts';

interface Questions {
  documents: readonly string[];
  count: number;
  causes: readonly string[];
  /** Directories that were listed by a poll. */
  polled: readonly string[];
  health: FolderHealth;
  inspect: Inspection;
  find: FoundFiles | null;
  rescan: null;
  block: null;
}

/** A folder that is watched by a process of its own. */
export interface FolderProcess extends Omit<TemporaryFolder, 'remove'> {
  readonly pid: number;
  readonly ask: <K extends keyof Questions>(kind: K, ask?: object) => Promise<Questions[K]>;
  /** Resolves when the process has stopped answering for a while. */
  readonly blocked: () => Promise<void>;
  readonly close: () => Promise<void>;
}

interface Options {
  readonly settings?: Partial<FolderSettings>;
  readonly timing?: Partial<TimingSettings>;
  readonly watcher?: Watcher['kind'];
  /** What the process is started by: a program and its words, before `node`. */
  readonly by?: readonly string[];
  /** Directories that something else in the process watches already. */
  readonly hogged?: (folder: TemporaryFolder) => readonly string[];
  /** Fills the folder before it is scanned first. */
  readonly before?: (folder: TemporaryFolder) => Promise<unknown>;
}

/** Starts a process that watches a directory of its own; resolves after the first scan. */
export async function folderProcess(options: Options = {}): Promise<FolderProcess> {
  const home = await temporaryFolder();
  const folder = await subfolder(home, 'inbox');
  await options.before?.(folder);
  const plan = {
    settings: folderSettingsOf(folder.path, options.settings),
    timing: { ...quickTiming, ...options.timing },
    watcher: options.watcher,
    hogged: options.hogged?.(folder) ?? [],
  };
  const script = new URL('folder-child.mjs', import.meta.url).pathname;
  const words = [...(options.by ?? []), process.execPath, script, JSON.stringify(plan)];
  const child = spawn(words[0] ?? '', words.slice(1), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const waiting = new Map<number, (answer: never) => void>();
  let last = 0;
  let blocked = () => {};

  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the process ended with ${code}`)));
    child.on('message', (message: { id?: number; kind?: string; answer?: never }) => {
      if (message.kind === 'started') resolve();
      if (message.kind === 'blocked') blocked();
      if (message.id === undefined) return;
      waiting.get(message.id)?.(message.answer as never);
      waiting.delete(message.id);
    });
  });

  return {
    ...folder,
    pid: child.pid ?? 0,
    ask: (kind, ask = {}) =>
      new Promise((resolve) => {
        last += 1;
        waiting.set(last, resolve);
        child.send({ ...ask, id: last, kind });
      }),
    blocked: () => new Promise((resolve) => (blocked = resolve)),
    close: async () => {
      child.kill('SIGCONT');
      child.disconnect();
      await Promise.race([exited, delay(5_000).then(() => child.kill('SIGKILL'))]);
      await home.remove();
    },
  };
}
