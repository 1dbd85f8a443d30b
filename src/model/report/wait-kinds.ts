/** What waiting documents wait for: to stop changing, for another file, for the next attempt, or for something else. */
export const waitKinds = ['settling', 'sidecar', 'attachment', 'retry', 'other'] as const;

/** The code of a document that waits because it is not whole by its own format: contract 7.36. */
export const incompleteCode = 'incomplete';

/** The code of a new document that waits because a sidecar beside it that fits no file may be meant for it: 7.29. */
export const likelySidecarCode = 'likely-sidecar';

export type WaitKind = (typeof waitKinds)[number];

/** Nothing waits: to be added to. */
export function noWaits(): Record<WaitKind, number> {
  return { settling: 0, sidecar: 0, attachment: 0, retry: 0, other: 0 };
}
