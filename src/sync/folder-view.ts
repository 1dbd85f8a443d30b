import type { Skip } from '../model/document.ts';
import { createDirectoryTree } from './directory-tree.ts';
import type { DirectoryTree } from './directory-tree.ts';

/** What sweeps have said of one folder, besides its documents. */
export interface FolderView {
  readonly tree: DirectoryTree;
  /** By directory. */
  readonly skips: Map<string, readonly Skip[]>;
  skipCount: number;
  /** Changes that only a rescan found. */
  missed: number;
  swept: boolean;
  /** A recorded file was found unchanged in the sweep that runs. */
  proven: boolean;
  /** The root is another than the one the ledger knows, and nothing in it proves that it is the same. */
  rootChanged: boolean;
  /** Directories' devices by those of files in them, where they differ. */
  readonly devices: Map<number, Set<number>>;
}

/** The views of all folders. */
export interface FolderViews {
  /** Made when there is none. */
  readonly of: (folder: string) => FolderView;
  readonly known: (folder: string) => FolderView | undefined;
  readonly all: () => Iterable<readonly [folder: string, view: FolderView]>;
}

export function createFolderViews(): FolderViews {
  const views = new Map<string, FolderView>();
  return {
    of: (folder) => {
      let view = views.get(folder);
      if (view === undefined) {
        view = emptyView();
        views.set(folder, view);
      }
      return view;
    },
    known: (folder) => views.get(folder),
    all: () => views,
  };
}

/** Takes note that a file of device `file` lies in a directory of device `directory`. */
export function noteDevice(view: FolderView, file: number, directory: number): void {
  if (file === directory) return;
  const known = view.devices.get(file) ?? new Set();
  view.devices.set(file, known.add(directory));
}

/** These and no other files of a directory are skipped. */
export function setSkips(view: FolderView, directory: string, skips: readonly Skip[]): void {
  view.skipCount += skips.length - (view.skips.get(directory)?.length ?? 0);
  if (skips.length === 0) view.skips.delete(directory);
  else view.skips.set(directory, skips);
}

function emptyView(): FolderView {
  return {
    tree: createDirectoryTree(),
    skips: new Map(),
    skipCount: 0,
    missed: 0,
    swept: false,
    proven: false,
    rootChanged: false,
    devices: new Map(),
  };
}
