import { isPerhapsSame, ownFileKey } from '../../model/document.ts';
import type { DocumentRef, FileStat, FoundDocument, HeldMode } from '../../model/document.ts';
import { isWider } from '../../model/metadata/held-mode.ts';
import { sidecarPlaces } from '../../model/names-and-types.ts';
import type { Seen } from '../tasks/task.ts';

/** So many files are remembered, about 300 bytes each. */
const mostFiles = 10_000;

/**
 * What files that have no record count as held with, contract 7.27: the narrowest mode that an own sidecar stated for each,
 * NONE for what was attached. It goes with the file, and with what is saved in its place. A restart forgets it.
 */
export class UnsentModes {
  /** By identity, the oldest first. */
  readonly #modes = new Map<string, { readonly file: FileStat; readonly held: HeldMode }>();

  /** A file is no longer where it was seen, or no longer with the sidecar that it had. */
  note(ref: DocumentRef, { stat, ownMode }: Seen): void {
    if (ownMode === undefined) return;
    this.keep(stat, { ...ref, mode: ownMode, by: sidecarPlaces(ref.path).byName });
  }

  /** A file is, or was, attached to a document: nobody else was to see it. False: that was known, or cannot be. */
  noteAttachment(owner: DocumentRef, stat: FileStat): boolean {
    const before = this.of({ stat });
    this.keep(stat, modeOfAttachment(owner));
    return before?.mode !== this.of({ stat })?.mode;
  }

  /** A file counts as held with this mode, or a narrower one that is known. */
  keep(file: FileStat, held: HeldMode): void {
    const before = this.of({ stat: file });
    this.#modes.delete(ownFileKey(file));
    const narrowest = before !== null && isWider(held.mode, before.mode) ? before : held;
    this.#modes.set(ownFileKey(file), { file, held: narrowest });
    const [oldest] = this.#modes.keys();
    if (this.#modes.size > mostFiles && oldest !== undefined) this.#modes.delete(oldest);
  }

  /** A file was accepted with a mode: from then on it counts as held with that, though it is edited without a birth time. */
  sent(file: FileStat, held: HeldMode): void {
    const key = ownFileKey(file);
    if (file.ino !== 0 && this.#modes.has(key)) this.#modes.set(key, { file, held });
  }

  /** Null: none is known. */
  of({ stat }: Pick<FoundDocument, 'stat'>): HeldMode | null {
    const known = this.#modes.get(ownFileKey(stat));
    return known !== undefined && isPerhapsSame(known.file, stat) ? known.held : null;
  }
}

/** The mode that a file counts as held with which a document that was not sent attaches: nobody else was to see it. */
export function modeOfAttachment(owner: DocumentRef): HeldMode {
  return { ...owner, mode: 'NONE', by: sidecarPlaces(owner.path).byName, isAttachment: true };
}
