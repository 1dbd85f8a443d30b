import { dirname, join } from 'node:path';

import { directoryOf } from '../../../src/model/document.ts';
import type { Metadata, ShareMode } from '../../../src/model/metadata/metadata.ts';
import type { OutgoingRequest } from '../../support/worlds/simulated-service.ts';
import type { EngineWorld } from '../../support/worlds/engine-world.ts';
import type { ScannedFolder, ScannedSource } from '../../support/worlds/scanned-folder.ts';
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
  const { engineWorld } = await import('../../support/worlds/engine-world.ts');
  const { scannedFolder } = await import('../../support/worlds/scanned-folder.ts');
  const { folderSettingsOf } = await import('../../support/fixtures/default-settings.ts');
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
    let folder: ScannedFolder | null = null;
    const world = await engineWorld({
      // Of files that came long ago nothing more is waited for.
      wallClock: Date.now() + 86_400_000,
      service: { requestsPerMinute: 1_000 },
      isReading: () => folder?.isReading() ?? false,
      port: (clock) => {
        const settings = folderSettingsOf(root, { watch: 'native', metadata });
        folder = scannedFolder(settings, clock);
        return folder;
      },
    });
    const requests: FailingWorld['requests'][number][] = [];
    world.service.observe(({ kind, sources, metadata, docIds }: OutgoingRequest) => {
      const [source] = sources as readonly ScannedSource[];
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
        folder?.changed(directoryOf(path));
      },
      move: async (path, to) => {
        await world.rest();
        if (to === null) disk.rmSync(join(root, path));
        else disk.renameSync(join(root, path), join(root, to));
        for (const one of [path, to ?? path]) folder?.changed(directoryOf(one));
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
