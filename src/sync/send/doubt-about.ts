import { randomUUID } from 'node:crypto';

import type { DocumentRef } from '../../model/document.ts';
import { adoptedWords } from '../../model/doubts.ts';
import type { Metadata } from '../../model/metadata/metadata.ts';
import type { Change, Doubt, LedgerRecord } from '../../model/ports/ledger-port.ts';

/**
 * `count` further documents of a path may stand at the service. `stat`: of the file that was sent. `holds`: nothing is
 * sent before a person says so.
 */
export function doubtAbout(
  ref: DocumentRef,
  {
    message,
    since,
    stat,
    carried,
    count = 1,
    holds = false,
  }: Pick<Doubt, 'message' | 'since' | 'stat' | 'carried'> & { count?: number; holds?: boolean },
): Doubt {
  return { id: randomUUID(), ref, stat, carried, count, since, message, holds };
}

/** What lost answers may have left at the service is not forgotten with the record. */
export function traceOfDuplicates(
  ref: DocumentRef,
  record: LedgerRecord | undefined,
  now: number,
  message: string,
): readonly Change[] {
  const count = record?.possibleDuplicates ?? 0;
  return count === 0 ? [] : [{ kind: 'doubt', doubt: doubtAbout(ref, { message, since: now, count }) }];
}

/** The service does not know the docId that a person gave: the uploads are in doubt as before, and wait for a person. */
export function doubtAgain(ref: DocumentRef, record: LedgerRecord): readonly Change[] {
  const { stat, possibleDuplicates, uploadedAt, unsure } = record;
  const known = {
    since: Date.parse(uploadedAt),
    stat: stat.ino === 0 ? undefined : stat,
    message: adoptedWords(record) ?? '',
    holds: true,
  };
  const attachments = unsure?.attachments === true;
  const [first, ...others] = (unsure?.metadata ?? []).slice(0, possibleDuplicates + 1);
  const about = (metadata: Metadata | undefined, count: number): Change => {
    const carried = metadata && { metadata, attachments };
    return { kind: 'doubt', doubt: doubtAbout(ref, { ...known, carried, count }) };
  };
  const doubts = [
    about(first, possibleDuplicates + 1 - others.length),
    ...others.map((one) => about(one, 1)),
  ];
  return [{ kind: 'drop', ref }, ...doubts];
}
