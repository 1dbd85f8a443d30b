import type { FolderListener } from '../model/ports/folder-port.ts';
import type { FolderViews } from './folder-view.ts';
import type { Parts } from './parts.ts';

/** Judges whether a folder's root is still the one that the ledger knows. */
export interface RootTrust {
  /** A sweep of everything ended. */
  readonly swept: (folder: string, summary: Parameters<FolderListener['scanned']>[0]) => void;
  /** True while the root is another than the one the ledger knows, and nothing in it proves that it is the same. */
  readonly isRootChanged: (folder: string) => boolean;
  /** A person says that the present root is right. */
  readonly adoptRoot: (folder: string) => Promise<void>;
}

export function createRootTrust(
  { ledger, log, commit, folder: folderOf }: Parts,
  views: FolderViews,
): RootTrust {
  /** What was refused counts as what was taken does: in another root it would be forgotten, and sent once more. */
  function isNothingKnown(folder: string): boolean {
    if (ledger.count(folder) > 0) return false;
    for (const [ref] of ledger.failures()) if (ref.folder === folder) return false;
    return true;
  }

  return {
    swept: (folder, { root }) => {
      const view = views.of(folder);
      const known = ledger.root(folder);
      const same = known !== undefined && known.dev === root.dev && known.ino === root.ino;
      const trusted = same || known === undefined || view.proven || isNothingKnown(folder);
      view.swept = true;
      view.proven = false;
      if (!trusted && !view.rootChanged) {
        log.warn({ folder, path: root.path }, 'the root is another directory than before: deletions wait');
      }
      view.rootChanged = !trusted;
      if (trusted && !(same && known.path === root.path)) {
        void commit([{ kind: 'root', folder, identity: root }]).catch(() => {});
      }
    },
    isRootChanged: (folder) => views.known(folder)?.rootChanged ?? false,
    adoptRoot: async (folder) => {
      const identity = await folderOf(folder)?.port.rootNow();
      if (identity === undefined || identity === null) return;
      await commit([{ kind: 'root', folder, identity }]);
      views.of(folder).rootChanged = false;
    },
  };
}
