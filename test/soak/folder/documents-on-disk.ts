import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import type { Metadata } from '../../../src/model/metadata/metadata.ts';
import { above, nameOf, Reading } from '../../simulate/judge/reading.ts';
import type { SeenFile } from '../../simulate/judge/reading.ts';

/** A document as a plain reading of the contract finds it, with none of the daemon's code. */
export interface DocumentOnDisk {
  /** From the root, with `/`. */
  readonly path: string;
  readonly absolute: string;
  readonly attachments: readonly { readonly name: string; readonly absolute: string }[];
  /** Highest precedence first: sidecar, nearest `.meta.json`, outer ones. */
  readonly layers: readonly Metadata[];
}

/** What stands in folders below `home`, as the judge of the simulation reads it. Throws where something goes meanwhile. */
export function readFolders(home: string, names: readonly string[]): Reading {
  const files: SeenFile[] = [];
  const inodes = new Map<number, object>();
  const visit = (directory: string): void => {
    const place = { directory };
    for (const entry of readdirSync(join(home, directory), { withFileTypes: true })) {
      const path = `${directory}/${entry.name}`;
      if (entry.isDirectory()) {
        visit(path);
        continue;
      }
      const { ino, size } = statSync(join(home, path));
      const identity = inodes.get(ino) ?? { ino };
      inodes.set(ino, identity);
      // Of what is neither sidecar nor list the judge only wants to know whether it is empty.
      const isRead = /\.(?:meta\.json|ingestignore)$/.test(path);
      const content = isRead ? readFileSync(join(home, path)) : Buffer.alloc(Math.min(size, 1));
      files.push({
        path,
        identity,
        directory: place,
        device: inodes,
        content,
        text: content.toString(),
        isHidden: false,
        isUnlisted: false,
      });
    }
  };
  for (const name of names) visit(name);
  const folders = names.map((name) => ({ name, mode: null }));
  return new Reading(files, folders);
}

/** Every document of a folder. */
export function documentsOnDisk(home: string, folder: string): readonly DocumentOnDisk[] {
  const reading = readFolders(home, [folder]);
  const layersOf = (path: string) =>
    [reading.sidecarOf(path)?.path ?? '', ...above(path).map((directory) => `${directory}/.meta.json`)]
      .filter((file) => reading.files.has(file))
      .map((file) => JSON.parse(readFileSync(join(home, file), 'utf8')) as Metadata);
  return [...reading.files.values()].flatMap(({ path, role }) => {
    if (role.kind !== 'document') return [];
    return {
      path: path.slice(folder.length + 1),
      absolute: join(home, path),
      attachments: role.attachments.map((one) => ({ name: nameOf(one), absolute: join(home, one) })),
      layers: layersOf(path),
    };
  });
}
