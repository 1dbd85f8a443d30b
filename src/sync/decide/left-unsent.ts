import { sameFile } from '../../model/document.ts';
import type { DocumentRef, FoundDocument } from '../../model/document.ts';
import type { Seen } from '../tasks/task.ts';

/** A file that waited to be sent, and left its path. `at`: monotonic, ms. */
interface Left {
  readonly ref: DocumentRef;
  readonly seen: Seen;
  readonly at: number;
}

/** So many files are remembered, about 300 bytes each. */
const mostFiles = 10_000;

/** Files that waited to be sent and have left their paths: the sidecar that one had may follow it. */
export class LeftUnsent {
  /** By inode number, the oldest first. */
  readonly #left = new Map<number, Left>();

  /** A file is no longer where it was seen. Of one that moves on, its first path counts. */
  note(ref: DocumentRef, seen: Seen, now: number): void {
    const before = this.#left.get(seen.stat.ino);
    const first = before !== undefined && sameFile(before.seen.stat, seen.stat) ? before : { ref, seen };
    this.#left.delete(seen.stat.ino);
    this.#left.set(seen.stat.ino, { ...first, at: now });
    const [oldest] = this.#left.keys();
    if (this.#left.size > mostFiles && oldest !== undefined) this.#left.delete(oldest);
  }

  /** From where a document that was never sent came, where it had other companions; null: from nowhere that is known. */
  of({ stat, fingerprint }: FoundDocument): Left | null {
    const left = this.#left.get(stat.ino);
    if (left === undefined || !sameFile(left.seen.stat, stat)) return null;
    return left.seen.fingerprint === fingerprint ? null : left;
  }
}
