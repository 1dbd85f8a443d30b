import type { SendKind } from '../../model/operation.ts';
import type { Attempt } from '../../model/ports/ledger-port.ts';
import { sharingWords } from '../../model/report/activity-words.ts';
import type { Activity } from '../../model/report/status.ts';

/** So many attempts of a document are remembered. */
export const mostAttempts = 10;
/** Of so many paths. */
const mostPaths = 1_000;

/** The code of an attempt that the service accepted. */
export const acceptedCode = 'accepted';

/** What there is to say of an attempt that the service accepted. */
export function acceptedMessage({
  what,
  message,
  sharing,
}: Pick<Activity, 'what' | 'message' | 'sharing'>): string {
  return [message ?? what, ...(sharing === undefined ? [] : [sharingWords(sharing)])].join(', ');
}

/** By what the log of activities says then. */
export const acceptedOperations = {
  uploaded: 'upload',
  modified: 'modify',
  deleted: 'delete',
} as const satisfies Record<string, SendKind>;

/**
 * The last attempts of documents whose requests were not all accepted, since this process began: the log of activities
 * says nothing of one that is repeated by itself. All attempts of a path from the first that is kept here on.
 */
export class Attempts {
  readonly #byKey = new Map<string, readonly Attempt[]>();

  /** Oldest first. */
  of(key: string): readonly Attempt[] {
    return this.#byKey.get(key) ?? [];
  }

  note(key: string, attempt: Attempt): void {
    const before = this.of(key);
    // The log has it, and most documents have no other.
    if (before.length === 0 && attempt.code === acceptedCode) return;
    this.#byKey.delete(key);
    this.#byKey.set(key, [...before, attempt].slice(-mostAttempts));
    if (this.#byKey.size <= mostPaths) return;
    const [oldest] = this.#byKey.keys();
    if (oldest !== undefined) this.#byKey.delete(oldest);
  }
}
