import { useRef, useState } from 'preact/hooks';

import { printable } from '../../../lib/text/printable.ts';
import { countWords, numberWords } from '../../../lib/text/amounts.ts';
import { refKey } from '../../../model/document.ts';
import type { DocumentRef } from '../../../model/document.ts';
import { explain, fixBeside, groupByCause, mayHelpToRetry } from '../../../model/report/explanations.ts';
import type { Group } from '../../../model/report/explanations.ts';
import { failedCount, failuresInDoubt } from '../../../model/report/headline.ts';
import type { FailureStatus, HeldStatus, InDoubtStatus } from '../../../model/report/status.ts';
import { approve, keep, resolve, retry } from '../data/ask-daemon.ts';
import { momentWords } from '../data/time-words.ts';
import { Ask, Button, Cut, Fold, Part, Rows, said } from '../parts.tsx';
import type { Shown } from '../parts.tsx';

/** Rows of one cause at first, and after "Show more". */
const fewRows = 3;
const maxRows = 200;
const maxDoubts = 100;

/** Everything that needs a person: held deletions, failures with their fix, uploads in doubt, duplicates. */
export function Attention({ status }: Shown) {
  const { held } = status;
  const count = held.reduce((sum, one) => sum + one.count, 0);
  return (
    <>
      {held.length > 0 && (
        <Part class="need warn" title="Deletions held" count={count}>
          {held.map((hold) => (
            <Hold key={hold.folder} {...hold} />
          ))}
        </Part>
      )}
      <Failures status={status} />
      <Doubts status={status} />
      <Duplicates status={status} />
    </>
  );
}

function Failures({ status }: Shown) {
  const elsewhere = failuresInDoubt(status);
  // What is retried has not failed: it waits.
  const failures = status.failures.filter((failure) => failure.retryAt === null && !elsewhere.has(failure));
  const isCut = status.failures.length < status.failuresTotal;
  const total = isCut ? Math.max(failures.length, failedCount(status)) : failures.length;
  if (total === 0) return null;
  // Retrying without a path concerns doubts too: that is not to happen in passing.
  const isAll = total > failures.length && status.inDoubtTotal === 0;
  const action = isAll && <Button act={() => retry([])}>Retry all</Button>;
  return (
    <Part class="need bad" title="Failed" count={total} action={action}>
      {groupByCause(failures).map((group) => (
        <Failed key={group.code} {...group} />
      ))}
      <Cut listed={failures.length} total={total} />
    </Part>
  );
}

/** What failed for one cause. What is the same for all of it is said once. */
function Failed({ code, items }: Group<FailureStatus>) {
  const [isWhole, setWhole] = useState(false);
  const { cause } = explain(code);
  const others = Math.min(items.length, maxRows) - fewRows;
  const isOne = items.length === 1;
  const isShared = new Set(items.map(({ message }) => message)).size === 1;
  const words = isOne ? 'Retry' : `Retry all ${numberWords(items.length)}`;
  const helps = mayHelpToRetry(code);
  const action = helps && (
    <Button name={`${words}: ${cause}`} act={() => retry(items.map(refKey))}>
      {words}
    </Button>
  );
  return (
    <Part class="card" title={cause} action={action}>
      {isShared && <p>{said(items[0]?.message ?? '')}</p>}
      <p class="faint">{fixBeside(code)}</p>
      <Rows of={items} most={isWhole ? maxRows : fewRows} total={isWhole ? items.length : 0}>
        {(failure) => (
          <>
            {/* One row, one button: that of its group. */}
            {helps && !isOne && (
              <Button name={`Retry ${printable(failure.path)}`} act={() => retry([refKey(failure)])}>
                Retry
              </Button>
            )}
            {!isShared && <p>{said(failure.message)}</p>}
            {failure.attempts > 1 && <p class="faint">{failure.attempts} attempts</p>}
          </>
        )}
      </Rows>
      {others > 0 && (
        <Button act={() => setWhole(!isWhole)}>
          {isWhole ? 'Show fewer' : `Show ${numberWords(others)} more`}
        </Button>
      )}
    </Part>
  );
}

function Hold(held: HeldStatus) {
  const { folder, count, since, reason, paths } = held;
  const documents = countWords(count, 'document');
  const action = (
    <Ask
      opener="Approve deletion…"
      label="Decide about the deletion"
      look="danger"
      question={`Delete ${documents} at the service? That cannot be undone.`}
      confirm={`Delete ${documents}`}
      act={() => approve(held)}
    >
      <Button act={() => keep(folder)}>Keep at the service</Button>
    </Ask>
  );
  return (
    <Part
      class="card"
      title={`${countWords(count, 'file')} missing from ${printable(folder)}`}
      action={action}
    >
      <p>
        {said(reason)} Held since {momentWords(since)}.
      </p>
      <p class="faint">
        If this was a mistake, put the files back: nothing is deleted at the service until you decide.
      </p>
      <Fold title={count === 1 ? 'Show the file' : 'Show the files'}>
        <Rows
          name={`Missing from ${printable(folder)}`}
          of={paths.map((path) => ({ folder, path }))}
          total={count}
        />
      </Fold>
    </Part>
  );
}

function Doubts({ status: { inDoubt, inDoubtTotal } }: Shown) {
  if (inDoubtTotal === 0) return null;
  return (
    <Part class="need warn card" title="In doubt" count={inDoubtTotal}>
      <p class="faint">
        It is not known as what these uploads arrived, if they did. Check at the service: adopt those that
        did, send the others again. Dismiss sends nothing.
      </p>
      <Rows of={inDoubt} most={maxDoubts} total={inDoubtTotal}>
        {(doubt) => <InDoubt {...doubt} />}
      </Rows>
    </Part>
  );
}

function InDoubt(doubt: InDoubtStatus) {
  const docId = useRef<HTMLInputElement>(null);
  const key = refKey(doubt);
  const name = printable(doubt.path);
  const adopt = async () => {
    const given = docId.current?.value.trim() ?? '';
    if (given !== '') await resolve(key, { kind: 'adopt', docId: given });
  };
  const copies = doubt.count > 1 ? ` Up to ${countWords(doubt.count, 'copy', 'copies')}.` : '';
  return (
    <>
      <p>
        {said(doubt.message)}
        {copies} {momentWords(doubt.since)}.
      </p>
      <div class="actions">
        <Ask
          opener="Send again…"
          name={`Send again: ${name}`}
          label={`Confirm sending ${name} again`}
          look="strong"
          question="This uploads the document once more. If the first upload arrived, the service then has two copies."
          confirm="Upload again"
          act={() => resolve(key, { kind: 'again' })}
        />
        <Dismiss {...doubt} />
      </div>
      <Fold title="It is at the service…">
        <div class="actions">
          <label>
            docId{' '}
            <input
              ref={docId}
              maxLength={1024}
              autocomplete="off"
              onKeyDown={({ key: pressed }) => pressed === 'Enter' && void adopt()}
            />
          </label>
          <Button act={adopt}>Adopt it</Button>
        </div>
      </Fold>
    </>
  );
}

function Dismiss(place: DocumentRef) {
  const dismiss = () => resolve(refKey(place), { kind: 'dismiss' });
  return (
    <Button name={`Dismiss ${printable(place.path)}`} act={dismiss}>
      Dismiss
    </Button>
  );
}

/** Without those that are in doubt: they stand in their own list. */
function Duplicates({ status: { duplicates, inDoubt, recordedDuplicates } }: Shown) {
  if (recordedDuplicates === 0) return null;
  const doubts = new Set(inDoubt.map(refKey));
  const shown = duplicates.filter((one) => !doubts.has(refKey(one))).slice(0, maxDoubts);
  const copies = shown.reduce((sum, one) => sum + one.copies, 0);
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
            <p>up to {countWords(one.copies, 'extra copy', 'extra copies')}</p>
          </>
        )}
      </Rows>
      <Cut listed={copies} total={recordedDuplicates} />
    </Part>
  );
}
