import { sameFile } from '../../model/document.ts';
import type { DocumentRef, FileIdentity, FileStat, FoundDocument, HeldMode } from '../../model/document.ts';
import { isWider } from '../../model/metadata/held-mode.ts';
import { sidecarPlaces } from '../../model/names-and-types.ts';
import type { Seen } from '../tasks/task.ts';

/** So many files are remembered, about 300 bytes each. */
const mostFiles = 10_000;

/**
 * What own sidecars stated for files that have no record, contract 7.27: the narrowest mode of each that waited to be sent,
 * wherever it and its sidecar go. A restart forgets it.
 */
export class UnsentModes {
  /** By inode number, the oldest first. */
  readonly #modes = new Map<number, { readonly file: FileIdentity; readonly held: HeldMode }>();

  /** A file is no longer where it was seen, or no longer with the sidecar that it had. */
  note(ref: DocumentRef, { stat, ownMode }: Seen): void {
    if (ownMode === undefined) return;
    const before = this.of({ stat });
    const held = { ...ref, mode: ownMode, by: sidecarPlaces(ref.path).byName };
    this.#set(stat, before !== null && isWider(ownMode, before.mode) ? before : held);
  }

  /** A file is not attached any more to a document that was not sent: nobody else was to see it. */
  noteAttachment(owner: DocumentRef, stat: FileStat): void {
    this.#set(stat, modeOfAttachment(owner));
  }

  #set(file: FileStat, held: HeldMode): void {
    this.#modes.delete(file.ino);
    this.#modes.set(file.ino, { file, held });
    const [oldest] = this.#modes.keys();
    if (this.#modes.size > mostFiles && oldest !== undefined) this.#modes.delete(oldest);
  }

  /** Null: none is known. */
  of({ stat }: Pick<FoundDocument, 'stat'>): HeldMode | null {
    const known = this.#modes.get(stat.ino);
    return known !== undefined && sameFile(known.file, stat) ? known.held : null;
  }
}

/** The mode that a file counts as held with which a document that was not sent attaches: nobody else was to see it. */
export function modeOfAttachment(owner: DocumentRef): HeldMode {
  return { ...owner, mode: 'NONE', by: sidecarPlaces(owner.path).byName, isAttachment: true };
}
