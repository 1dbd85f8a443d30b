import { countWords } from '../../../lib/text/amounts.ts';
import { printable } from '../../../lib/text/printable.ts';
import { refKey } from '../../../model/document.ts';
import type { DocumentRef } from '../../../model/document.ts';
import { audienceWords, eventWords, standingWords } from '../../../model/report/activity-words.ts';
import type { Why } from '../../../model/report/command-reports.ts';
import type { Activity } from '../../../model/report/status.ts';
import { copiesWords } from '../../../model/report/failures.ts';
import { mayHelpToRetry, mayHelpToShare } from '../../../model/report/explanations.ts';
import { decide } from '../data/ask-daemon.ts';
import { exactWords, localTimes, momentWords } from '../data/time-words.ts';
import { useAnswer } from '../data/use-answer.ts';
import { Ask, Button, Dialog, Facts, Fold, said } from '../parts.tsx';
import type { Shown } from '../parts.tsx';
import { DoubtActions } from './attention.tsx';

/** The whole story of one file, as `ingestd why` tells it; told again when something happens to the file. */
export function FileStory({
  status,
  recent,
  onClose,
  ...place
}: Shown & DocumentRef & { readonly recent: readonly Activity[]; readonly onClose: () => void }) {
  const key = refKey(place);
  const news = recent.find((one) => refKey(one) === key);
  const { answer: why, problem } = useAnswer<Why>(`api/why?path=${encodeURIComponent(key)}`, { news });
  return (
    <Dialog title={printable(key)} onClose={onClose}>
      {problem !== null && <p>{printable(problem)}</p>}
      {why !== null && <Told why={why} status={status} />}
    </Dialog>
  );
}

function Told({ why, status }: Shown & { readonly why: Why }) {
  const { verdict, fix, next, nextAt, notes, sources, attempts, possibleDuplicates } = why;
  const standing = standingWords(why, momentWords);
  const fields = Object.entries(why.metadata ?? {});
  return (
    <>
      <p>
        <strong>{standing}</strong>
      </p>
      {(standing === null || verdict.kind !== 'document') && <p>{said(verdict.message)}</p>}
      {notes.map((note) => (
        <p key={note}>{said(note)}</p>
      ))}
      <p>
        Next: {printable(localTimes(next))}
        {nextAt !== null && ` (${momentWords(nextAt)})`}
      </p>
      <p>{fix}</p>
      <Actions why={why} status={status} />
      <Facts
        of={[
          ...fields.filter(([, value]) => typeof value === 'string'),
          ['Sent as', why.sentAs],
          ['Attachments', why.attachments.join(', ')],
          ['Possible duplicates', possibleDuplicates === 0 ? null : copiesWords(possibleDuplicates)],
          ...why.decisions.map((one) => [exactWords(one.at), eventWords(one, verdict.message)] as const),
        ]}
        sources={sources}
      />
      <Fold
        title={attempts.length === 0 ? 'Details' : `Details and ${countWords(attempts.length, 'attempt')}`}
      >
        <Facts
          of={[
            ['Document id', why.docId],
            [why.imported ? 'Imported' : 'Uploaded', why.uploadedAt && momentWords(why.uploadedAt)],
            ['Modified', why.modifiedAt && momentWords(why.modifiedAt)],
            ['Sidecar', why.sidecar],
            ['SHA-256', why.sha256],
            ...fields.filter(([, value]) => typeof value !== 'string'),
            ...attempts
              .toReversed()
              .map((one) => [exactWords(one.at), `${one.operation}: ${one.message}`] as const),
          ]}
          sources={sources}
        />
      </Fold>
    </>
  );
}

const ofFiles: ReadonlySet<string> = new Set(['document', 'settling', 'waiting', 'unfit', 'skipped']);

/** What a person can do about this file. */
function Actions({ why, status }: Shown & { readonly why: Why }) {
  const { path, narrower, docId, verdict, attempts } = why;
  const folder = why.folder ?? '';
  const key = refKey({ folder, path });
  const unsent = [...status.failures, ...status.skipped];
  const doubt = status.inDoubt.find((one) => refKey(one) === key);
  const isRetried =
    doubt === undefined && unsent.some((one) => refKey(one) === key && mayHelpToRetry(one.code));
  const isHeld = status.held.some((one) => one.folder === folder && one.paths.includes(path));
  const isRefused = isRetried && attempts.at(-1)?.operation === 'delete' && docId !== null;
  const remains = docId === null ? '' : '; its document then stays at the service as it is';
  return (
    <div class="actions">
      {doubt !== undefined && <DoubtActions {...doubt} />}
      {isRetried && <Button act={() => decide('retry', { paths: [key] })}>Retry</Button>}
      {(isHeld || isRefused) && (
        <Button act={() => decide('keep', { place: key })}>Keep at the service</Button>
      )}
      {narrower !== null && docId !== null && mayHelpToShare(narrower.code) && (
        <Ask
          words="Share as stated"
          look="strong"
          act={() => decide('share', { paths: [key], shown: [{ path: key, sharing: narrower.sharing }] })}
        >
          From now on it is {audienceWords(narrower.sharing)}.
        </Ask>
      )}
      {ofFiles.has(verdict.kind) && (
        <Fold title="Ignore this file…">
          <p>
            Add this line to the file .ingestignore in the folder {printable(folder)}
            {remains}:
          </p>
          <code>/{printable(path).replaceAll(/[[\]*?!#\\ ]/g, String.raw`\$&`)}</code>
        </Fold>
      )}
    </div>
  );
}
