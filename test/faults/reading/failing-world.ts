import { dirname, join } from 'node:path';

import type { Metadata, ShareMode } from '../../../src/model/metadata/metadata.ts';
import type { ContentSource, FolderPort } from '../../../src/model/ports/folder-port.ts';
import type { OutgoingRequest } from '../../support/worlds/simulated-service.ts';
import type { EngineWorld } from '../../support/worlds/engine-world.ts';
import { disk, failDisk } from './failing-disk.mjs';
import type { DiskOperation } from './failing-disk.mjs';

/** What fails: an operation on one path, from the root of the folder; null: all of them, all paths. */
export interface DiskFault {
  readonly operation: DiskOperation | null;
  readonly path: string | null;
  readonly code: string;
}

/** A folder on a disk that fails when it is told to, under the real engine and the real scan. */
export interface FailingWorld extends EngineWorld {
  readonly write: (path: string, text: string) => Promise<void>;
  /** `to` null: it is removed. */
  readonly move: (path: string, to: string | null) => Promise<void>;
  /** From now on; none: the disk is well. */
  readonly fail: (...faults: readonly DiskFault[]) => void;
  /** Lets five minutes and more pass, in which all is tried again by itself, and waits until nothing moves. */
  readonly recover: () => Promise<void>;
  /** Every request: what it was, of which path, and the sharing mode that it states. */
  readonly requests: readonly {
    readonly kind: string;
    readonly path: string;
    readonly mode: ShareMode | null;
  }[];
  readonly rescan: () => Promise<void>;
}

/** Before the folder is scanned again anyhow. */
export const soonHours = 0.05;

let faults: readonly DiskFault[] = [];
let root = '';

/**
 * Has every module that is loaded from now on read through a disk that can fail. Gives what makes worlds, and what ends
 * it.
 */
export async function failingWorlds() {
  const end = failDisk((operation, path) => {
    if (root === '' || (path !== root && !path.startsWith(`${root}/`))) return null;
    const below = path.slice(root.length + 1);
    const fault = faults.find(
      (one) => (one.operation ?? operation) === operation && (one.path ?? below) === below,
    );
    return fault?.code ?? null;
  });
  const { engineTiming, engineWorld } = await import('../../support/worlds/engine-world.ts');
  const { openFolder } = await import('../../../src/scan/folder.ts');
  const { threadlessScan } = await import('../../scan/support/threadless-scan.ts');
  const { folderSettingsOf } = await import('../../support/fixtures/default-settings.ts');
  const { recordedLog } = await import('../../support/recorded-log.ts');
  const { temporaryFolder } = await import('../../support/temporary-folder.ts');

  /** `files`: what stands there at the start, by path. */
  async function open(
    files: Readonly<Record<string, string>>,
    { metadata = {}, begins = [] }: { metadata?: Metadata; begins?: readonly DiskFault[] } = {},
  ): Promise<FailingWorld> {
    const home = await temporaryFolder();
    root = home.join('inbox');
    faults = [];
    const write = (path: string, text: string) => {
      disk.mkdirSync(dirname(join(root, path)), { recursive: true });
      disk.writeFileSync(join(root, path), text);
    };
    disk.mkdirSync(root);
    for (const [path, text] of Object.entries(files)) write(path, text);
    faults = begins;
    let folder: FolderPort | null = null;
    let thread: ReturnType<typeof threadlessScan> | null = null;
    const world = await engineWorld({
      // Of files that came long ago nothing more is waited for.
      wallClock: Date.now() + 86_400_000,
      service: { requestsPerMinute: 1_000 },
      isReading: () => thread?.isReading() ?? false,
      port: (clock) => {
        // It is never polled, so that what comes back does so by itself.
        const timing = { ...engineTiming, pollSeconds: 1_000_000 };
        const settings = { timing, service: { maxFileMegabytes: 1 }, state: { dir: '/nonexistent' } };
        const opened = openFolder(folderSettingsOf(root, { watch: 'polling', metadata }), {
          settings,
          clock,
          log: recordedLog(),
          thread: () => (thread = threadlessScan()),
        });
        folder = {
          ...opened,
          open: async (path, stat) => ({ ...(await opened.open(path, stat)), path }),
        };
        return folder;
      },
    });
    const requests: FailingWorld['requests'][number][] = [];
    world.service.observe(({ kind, sources, metadata, docIds }: OutgoingRequest) => {
      const [source] = sources as readonly (ContentSource & { readonly path: string })[];
      const known = [...world.docIds()].find(([, docId]) => docIds.includes(docId));
      requests.push({
        kind,
        path: source?.path ?? known?.[0] ?? '',
        mode: metadata?.shareInfo?.mode ?? null,
      });
    });

    return {
      ...world,
      write: async (path, text) => {
        await world.rest();
        write(path, text);
        void folder?.rescan('event');
      },
      move: async (path, to) => {
        await world.rest();
        if (to === null) disk.rmSync(join(root, path));
        else disk.renameSync(join(root, path), join(root, to));
        void folder?.rescan('event');
      },
      fail: (...now) => {
        faults = now;
      },
      recover: async () => {
        faults = [];
        await world.pass(310_000);
        await world.quiesce(soonHours);
      },
      requests,
      rescan: async () => world.withTime((folder ?? world.folder).rescan('rescan')),
      close: async () => {
        faults = [];
        await world.close();
        root = '';
        await home.remove();
      },
    };
  }

  return { open, end };
}
