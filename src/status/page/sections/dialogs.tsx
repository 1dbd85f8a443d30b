import { countWords, localTime } from '../../../lib/text/amounts.ts';
import { printable } from '../../../lib/text/printable.ts';
import { refKey } from '../../../model/document.ts';
import type { DocumentRef } from '../../../model/document.ts';
import { audienceWords, eventWords, standingWords } from '../../../model/report/activity-words.ts';
import type { Why } from '../../../model/report/command-reports.ts';
import { copiesWords } from '../../../model/report/failures.ts';
import { mayHelpToRetry, mayHelpToShare } from '../../../model/report/explanations.ts';
import { decide, useAnswer } from '../data/daemon.ts';
import { change, page } from '../data/page.ts';
import type { Question } from '../data/page.ts';
import { Ask, Facts, Fold, PathWords, momentWords, said, told } from '../parts.tsx';
import type { Shown } from '../parts.tsx';
import { DoubtActions } from './attention.tsx';

const show = (dialog: HTMLDialogElement | null) => dialog?.showModal();

/** The dialogs that are open. Escape closes one, and the focus goes back. */
export function Dialogs({ status }: Shown) {
  return page.dialogs.map((one) => {
    const isStory = 'folder' in one;
    const title = isStory ? refKey(one) : `${one.name ?? one.words}?`;
    // It tells a moment after it was closed: what was opened since then stays.
    const close = () => change({ dialogs: page.dialogs.filter((other) => other !== one) });
    return (
      <dialog key={one} ref={show} aria-label={printable(title)} onClose={close}>
        <form method="dialog" class="head">
          <h2>
            <PathWords path={title} />
          </h2>
          <button>{isStory ? 'Close' : 'Cancel'}</button>
        </form>
        {isStory ? <FileStory {...one} status={status} /> : <Answers {...one} />}
      </dialog>
    );
  });
}

function Answers({ words, look, act, instead, children }: Question) {
  return (
    <>
      <p>{children}</p>
      <form method="dialog">
        {instead}
        <button class={look} onClick={act}>
          {words}
        </button>
      </form>
    </>
  );
}

/** The whole story of one file, as `ingestd why` tells it; told again when something happens to the file. */
function FileStory({ status, ...place }: Shown & DocumentRef) {
  const key = refKey(place);
  const news = page.recent?.find((one) => refKey(one) === key);
  const { answer: why, problem } = useAnswer<Why>(`api/why?path=${encodeURIComponent(key)}`, news);
  if (why === null) return <p>{printable(problem ?? '')}</p>;
  const { verdict, attempts, possibleDuplicates, nextAt } = why;
  const fields = Object.entries(why.metadata ?? {}).map(
    ([name, value]) => [name, value, why.sources[name]] as const,
  );
  return (
    <>
      <p>{printable(problem ?? '')}</p>
      <p>
        <strong>{printable(standingWords(why, momentWords))}</strong>
      </p>
      {why.notes.map((note) => (
        <p key={note}>{said(note)}</p>
      ))}
      <p>
        Next: {told(why.next)}
        {nextAt !== null && ` (${momentWords(nextAt)})`}
      </p>
      <p>{why.fix}</p>
      <Actions why={why} status={status} />
      <Facts
        of={[
          ...fields.filter(([, value]) => typeof value === 'string'),
          ['Sent as', why.sentAs],
          ['Attachments', why.attachments.join(', ')],
          ['Possible duplicates', possibleDuplicates === 0 ? null : copiesWords(possibleDuplicates)],
          ...why.decisions.map((one) => [localTime(one.at), eventWords(one, verdict.message)] as const),
        ]}
      />
      <Fold
        title={attempts.length === 0 ? 'Details' : `Details and ${countWords(attempts.length, 'attempt')}`}
      >
        <Facts
          of={[
            ['Document id', why.docId],
            [why.imported ? 'Imported' : 'Uploaded', why.uploadedAt],
            ['Modified', why.modifiedAt],
            ['Sidecar', why.sidecar],
            ['SHA-256', why.sha256],
            ...fields.filter(([, value]) => typeof value !== 'string'),
            ...attempts
              .toReversed()
              .map((one) => [localTime(one.at), `${one.operation}: ${one.message}`] as const),
          ]}
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
  const isIt = (one: DocumentRef) => refKey(one) === key;
  const doubt = status.inDoubt.find(isIt);
  const unsent = [...status.failures, ...status.skipped];
  const isRetried = doubt === undefined && unsent.some((one) => isIt(one) && mayHelpToRetry(one.code));
  const isHeld = status.held.some((one) => one.folder === folder && one.paths.includes(path));
  const isRefused = isRetried && attempts.at(-1)?.operation === 'delete' && docId !== null;
  const remains = docId === null ? '' : '; its document then stays at the service as it is';
  return (
    <div class="actions">
      {doubt !== undefined && <DoubtActions {...doubt} />}
      {isRetried && <button onClick={() => decide('retry', { paths: [key] })}>Retry</button>}
      {(isHeld || isRefused) && (
        <button onClick={() => decide('keep', { place: key })}>Keep at the service</button>
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
