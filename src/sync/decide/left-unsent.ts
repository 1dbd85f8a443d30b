import { sameFile } from '../../model/document.ts';
import type { FoundDocument } from '../../model/document.ts';
import type { Seen } from '../tasks/task.ts';

/**
 * Files that waited to be sent and have left their paths: the sidecar that one had may follow it. Monotonic ms.
 */
export class LeftUnsent {
  /** By inode number, the oldest first. */
  readonly #left = new Map<number, { readonly seen: Seen; readonly at: number }>();
  readonly #graceMs: number;

  constructor(graceMs: number) {
    this.#graceMs = graceMs;
  }

  /** A file is no longer where it was seen. Of one that moves on, what it was at its first path counts. */
  note(seen: Seen, now: number): void {
    for (const [ino, { at }] of this.#left) {
      if (now - at < this.#graceMs) break;
      this.#left.delete(ino);
    }
    const before = this.#left.get(seen.stat.ino)?.seen;
    const first = before !== undefined && sameFile(before.stat, seen.stat) ? before : seen;
    this.#left.delete(seen.stat.ino);
    this.#left.set(seen.stat.ino, { seen: first, at: now });
  }

  /** When a document that was never sent left another path, where it had other companions; null: it did not. */
  leftAt({ stat, fingerprint }: FoundDocument): number | null {
    const left = this.#left.get(stat.ino);
    if (left === undefined || !sameFile(left.seen.stat, stat)) return null;
    return left.seen.fingerprint === fingerprint ? null : left.at;
  }
}
