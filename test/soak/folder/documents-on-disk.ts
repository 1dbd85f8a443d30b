import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Metadata } from '../../../src/model/metadata/metadata.ts';

/** A document as a plain reading of the rules finds it, with none of the daemon's code. */
export interface DocumentOnDisk {
  /** From the root, with `/`. */
  readonly path: string;
  readonly absolute: string;
  readonly name: string;
  /** Absolute; null: none. */
  readonly sidecar: string | null;
  /** Of its directory of attachments, by name, then those that its sidecar lists. */
  readonly attachments: readonly { readonly name: string; readonly absolute: string }[];
  /** Names that its sidecar lists, of files beside it. */
  readonly listed: readonly string[];
  /** Highest precedence first: sidecar, nearest `.meta.json`, outer ones. */
  readonly layers: readonly Metadata[];
}

const types = /\.(?:txt|pdf|csv|html|docx|eml)$/i;
const temporaryName = /^\.|^~\$|~$|^#.*#$|\.(?:tmp|part|crdownload|swp|swx|osl-tmp)$|^4913$/i;

const sidecarEnd = '.meta.json';

/** Every document below a root. Throws where something goes while it reads. */
export function documentsOnDisk(
  root: string,
  prefix = '',
  outer: readonly Metadata[] = [],
): DocumentOnDisk[] {
  const directory = join(root, prefix);
  const entries = readdirSync(directory, { withFileTypes: true });
  const names = new Set(entries.map(({ name }) => name));
  const layers = names.has('.meta.json') ? [readMetadata(join(directory, '.meta.json')), ...outer] : outer;
  const found: DocumentOnDisk[] = [];
  const carried = new Set(
    entries.flatMap(({ name }) =>
      name.endsWith(sidecarEnd) && names.has(name.slice(0, -sidecarEnd.length))
        ? listedIn(join(directory, name))
        : [],
    ),
  );
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const { name } = entry;
    if (temporaryName.test(name) || name.endsWith(sidecarEnd) || carried.has(name)) continue;
    const path = prefix === '' ? name : `${prefix}/${name}`;
    if (entry.isDirectory()) {
      if (!name.endsWith('.attachments')) found.push(...documentsOnDisk(root, path, layers));
    } else if (entry.isFile() && types.test(name)) {
      const sidecar = [`${name}.meta.json`, `${name.slice(0, name.lastIndexOf('.'))}.meta.json`].find((one) =>
        names.has(one),
      );
      const absolute = join(root, path);
      const listed = sidecar === undefined ? [] : listedIn(join(directory, sidecar));
      found.push({
        path,
        absolute,
        name,
        sidecar: sidecar === undefined ? null : join(directory, sidecar),
        attachments: [
          ...(names.has(`${name}.attachments`) ? filesIn(`${absolute}.attachments`) : []),
          ...listed.map((one) => ({ name: one, absolute: join(directory, one) })),
        ],
        listed,
        layers: sidecar === undefined ? layers : [readMetadata(join(directory, sidecar)), ...layers],
      });
    }
  }
  return found;
}

/** Directories below a root that may hold documents, from the root; the root itself is `''`. */
export function directoriesOnDisk(root: string, prefix = ''): string[] {
  const found = [prefix];
  for (const entry of readdirSync(join(root, prefix), { withFileTypes: true })) {
    if (!entry.isDirectory() || temporaryName.test(entry.name) || entry.name.endsWith('.attachments'))
      continue;
    found.push(...directoriesOnDisk(root, prefix === '' ? entry.name : `${prefix}/${entry.name}`));
  }
  return found;
}

function filesIn(directory: string): { name: string; absolute: string }[] {
  return readdirSync(directory)
    .filter((name) => !temporaryName.test(name))
    .sort()
    .map((name) => ({ name, absolute: join(directory, name) }));
}

function listedIn(sidecar: string): readonly string[] {
  const { attachments = [] } = JSON.parse(readFileSync(sidecar, 'utf8')) as { attachments?: string[] };
  return attachments;
}

function readMetadata(file: string): Metadata {
  return JSON.parse(readFileSync(file, 'utf8')) as Metadata;
}
