import { sumOf } from '../../../lib/sum-of.ts';
import { printable } from '../../../lib/text/printable.ts';
import { countWords, numberWords } from '../../../lib/text/amounts.ts';
import { refKey } from '../../../model/document.ts';
import type { DocumentRef } from '../../../model/document.ts';
import { explain, groupByCause, mayHelpToRetry } from '../../../model/report/explanations.ts';
import type { Group } from '../../../model/report/explanations.ts';
import {
  copiesWords,
  doubtWords,
  duplicatesApart,
  isAway,
  sortFailures,
} from '../../../model/report/failures.ts';
import type { FailureStatus, HeldStatus, InDoubtStatus } from '../../../model/report/status.ts';
import { decide } from '../data/ask-daemon.ts';
import { momentWords } from '../data/time-words.ts';
import { Ask, Button, Fold, More, Part, Rows, said } from '../parts.tsx';
import type { Shown } from '../parts.tsx';

/** Of one cause, at first. */
const fewRows = 3;

/** Everything that needs a person: failures with their fix, held deletions, uploads in doubt, duplicates. */
export function Attention({ status }: Shown) {
  return (
    <>
      <Failures status={status} />
      {status.held.length > 0 && (
        <Part class="need warn" title="Deletions held">
          {status.held.map((hold) => (
            <Hold key={hold.folder} {...hold} isLater={isAway(hold, status)} />
          ))}
        </Part>
      )}
      <Doubts status={status} />
      <Duplicates status={status} />
    </>
  );
}

function Failures({ status }: Shown) {
  const { failed, failedTotal } = sortFailures(status);
  const total = Math.max(failed.length, failedTotal);
  if (total === 0) return null;
  // Retrying without a path concerns doubts too: that is not to happen in passing.
  const isAll = total > failed.length && status.inDoubtTotal === 0;
  const action = isAll && <Button act={() => decide('retry', { paths: [] })}>Retry all</Button>;
  return (
    <Part class="need bad" title="Failed" count={total} action={action}>
      {groupByCause(failed).map((group) => (
        <Failed key={group.code} {...group} />
      ))}
      <More count={total - failed.length} />
    </Part>
  );
}

/** What failed for one cause. What is the same for all of it is said once. */
function Failed({ code, items }: Group<FailureStatus>) {
  const { cause, fix, endsElsewhere } = explain(code);
  const isShared = new Set(items.map(({ message }) => message)).size === 1;
  const helps = mayHelpToRetry(code);
  const words = items.length === 1 ? 'Retry' : `Retry all ${numberWords(items.length)}`;
  const action = helps && (
    <Button name={`${words}: ${cause}`} act={() => decide('retry', { paths: items.map(refKey) })}>
      {words}
    </Button>
  );
  return (
    <Part class="card" title={cause} action={action}>
      {isShared && <p>{said(items[0]?.message ?? '')}</p>}
      <p class="faint">
        {fix} {!helps && endsElsewhere !== true && 'When that is fixed, it is sent by itself.'}
      </p>
      <Rows of={items} most={fewRows}>
        {({ message }) => !isShared && <p>{said(message)}</p>}
      </Rows>
    </Part>
  );
}

function Hold({ folder, count, since, reason, paths, isLater }: HeldStatus & { readonly isLater: boolean }) {
  const keep = () => decide('keep', { place: folder });
  // Unless others are held by then than were shown.
  const shown = { most: count, paths: paths.map((path) => `${folder}/${path}`) };
  return (
    <Part class="card" title={`${countWords(count, 'file')} missing from ${printable(folder)}`}>
      <p>
        {said(reason)} Held since {momentWords(since)}.
      </p>
      <p class="faint">
        If this was a mistake, put the files back: nothing is deleted at the service until you decide
        {isLater ? ', which you can when the folder is available again.' : '.'}
      </p>
      {!isLater && (
        <div class="actions">
          <Button act={keep}>Keep at the service</Button>
          <Ask
            words={`Delete ${countWords(count, 'document')}`}
            look="danger"
            instead={<button onClick={() => void keep()}>Keep at the service</button>}
            act={() => decide('approve', { folder, ...shown })}
          >
            They are deleted at the service. That cannot be undone.
          </Ask>
        </div>
      )}
      <Fold title={count === 1 ? 'Show the file' : 'Show the files'}>
        <Rows of={paths.map((path) => ({ folder, path }))} total={count} />
      </Fold>
    </Part>
  );
}

function Doubts({ status: { inDoubt, inDoubtTotal } }: Shown) {
  if (inDoubtTotal === 0) return null;
  const [words, ...others] = new Set(inDoubt.map((doubt) => said(doubtWords(doubt))));
  const isShared = others.length === 0 && inDoubt.length > 1;
  return (
    <Part class="need warn card" title="In doubt" count={inDoubtTotal}>
      {isShared && <p>{words}</p>}
      <p class="faint" hidden={inDoubt.every(({ isSending }) => isSending === true)}>
        Nobody knows whether these uploads arrived. Check at the service: adopt those that did, send the
        others again. Dismiss sends nothing.
      </p>
      <Rows of={inDoubt} most={fewRows} total={inDoubtTotal}>
        {(doubt) => (
          <>
            <p>
              {isShared || said(doubtWords(doubt))}
              {doubt.count > 1 && ` Up to ${countWords(doubt.count, 'copy', 'copies')}.`} Since{' '}
              {momentWords(doubt.since)}.
            </p>
            <div class="actions">
              <DoubtActions {...doubt} />
            </div>
          </>
        )}
      </Rows>
    </Part>
  );
}

/** What ends the doubt: in its row, and among what can be done about its file. */
export function DoubtActions(doubt: InDoubtStatus) {
  const path = refKey(doubt);
  const adopt = (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    const docId = new FormData(event.currentTarget).get('docId');
    if (typeof docId === 'string') void decide('resolve', { path, action: 'adopt', docId: docId.trim() });
  };
  if (doubt.isSending === true) return null;
  return (
    <>
      <Ask
        words="Send again"
        name={`Send again: ${printable(doubt.path)}`}
        look="strong"
        act={() => decide('resolve', { path, action: 'again' })}
      >
        This uploads the document once more. Look at the service first: if the first upload arrived, it then
        has two copies, and ingestd does not count them.
      </Ask>
      <Dismiss {...doubt} />
      <Fold title="It is at the service…">
        <form onSubmit={adopt}>
          <label>
            Document id <input name="docId" required maxLength={1024} autocomplete="off" />
          </label>
          <button>Adopt it</button>
        </form>
      </Fold>
    </>
  );
}

function Dismiss(place: DocumentRef) {
  const dismiss = () => decide('resolve', { path: refKey(place), action: 'dismiss' });
  return (
    <Button name={`Dismiss ${printable(place.path)}`} act={dismiss}>
      Dismiss
    </Button>
  );
}

function Duplicates({ status }: Shown) {
  const { recordedDuplicates } = status;
  if (recordedDuplicates === 0) return null;
  const shown = duplicatesApart(status);
  const copies = sumOf(shown, (one) => one.copies);
  return (
    <Part class="need warn card" title="Possible duplicates" count={recordedDuplicates}>
      <p class="faint">
        The service may hold extra copies of these documents, because answers were lost. Delete extra copies
        there, then dismiss the entry.
      </p>
      <Rows of={shown}>
        {(one) => (
          <>
            <Dismiss {...one} />
            <p>{copiesWords(one.copies)}</p>
          </>
        )}
      </Rows>
      <More count={recordedDuplicates - copies} />
    </Part>
  );
}
