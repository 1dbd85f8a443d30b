import { refKey } from './document.ts';
import type { DocumentRef } from './document.ts';
import { dismissedCode, openDoubts, sendAgain } from './doubts.ts';
import type { Change, LedgerPort } from './ports/ledger-port.ts';

interface Retries<T> {
  readonly failed: readonly T[];
  /** What the ledger is to forget of them and of the doubts among them. */
  readonly changes: readonly Change[];
  /** The documents of both kinds. */
  readonly retried: readonly DocumentRef[];
  readonly unknown: readonly DocumentRef[];
}

/**
 * What a person means who retries `refs`, of all that failed; null: everything but what is in doubt or was dismissed as
 * such. One of these that is named is sent again. `unknown` are those that have neither failed nor are in doubt.
 */
export function chooseRetries<T extends { readonly ref: DocumentRef }>(
  refs: readonly DocumentRef[] | null,
  failed: readonly T[],
  ledger: Pick<LedgerPort, 'doubts' | 'failure'>,
): Retries<T> {
  const wanted = refs === null ? null : new Set(refs.map(refKey));
  const doubts = openDoubts(ledger);
  const inDoubt = new Set(doubts.map(({ ref }) => refKey(ref)));
  const isMeant = (ref: DocumentRef) =>
    wanted?.has(refKey(ref)) ?? (!inDoubt.has(refKey(ref)) && ledger.failure(ref)?.code !== dismissedCode);
  const chosen = failed.filter(({ ref }) => isMeant(ref));
  const doubted = doubts.filter(({ ref }) => wanted?.has(refKey(ref)) ?? false);
  const known = new Map([...chosen, ...doubted].map(({ ref }) => [refKey(ref), ref]));
  const refused = chosen.filter(({ ref }) => ledger.failure(ref) !== undefined);
  return {
    failed: chosen,
    changes: [
      ...doubted.flatMap((doubt) => sendAgain({ ref: doubt.ref, failure: undefined, doubts: [doubt] })),
      ...refused.map(({ ref }): Change => ({ kind: 'clear', ref })),
    ],
    retried: [...known.values()],
    unknown: (refs ?? []).filter((ref) => !known.has(refKey(ref))),
  };
}
