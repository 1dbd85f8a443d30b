import { useRef, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';

import { printable } from '../../../lib/text/printable.ts';
import { countWords, numberWords } from '../../../lib/text/amounts.ts';
import { refKey } from '../../../model/document.ts';
import { explain, fixBeside, groupByCause } from '../../../model/report/explanations.ts';
import type { Group } from '../../../model/report/explanations.ts';
import { failedCount, failuresInDoubt } from '../../../model/report/headline.ts';
import type { FailureStatus, HeldStatus, InDoubtStatus } from '../../../model/report/status.ts';
import type { StatusAnswer } from '../../server/status-snapshot.ts';
import { approve, keep, resolve, retry } from '../data/ask-daemon.ts';
import { momentWords } from '../data/time-words.ts';
import { Ask, Badge, Button, Cut, Fold, PathText, said } from '../parts.tsx';

/** Rows of one cause at first, and after "Show more". */
const fewRows = 3;
const maxRows = 200;
const maxDoubts = 100;

/** Everything that needs a person: failures with their fix, held deletions, uploads in doubt, duplicates. */
export function Attention({ status }: { readonly status: StatusAnswer }) {
  return (
    <>
      <Held held={status.held} />
      <Failures status={status} />
      <Doubts status={status} />
      <Duplicates status={status} />
    </>
  );
}

interface NeedProps {
  readonly title: string;
  readonly count: number;
  readonly tone: 'warn' | 'bad';
  readonly action?: ComponentChildren;
  readonly children: ComponentChildren;
}

function Need({ title, count, tone, action, children }: NeedProps) {
  return (
    <section class={`need ${tone}`} aria-label={title}>
      <div class="head">
        <h2>
          {title} <Badge count={count} />
        </h2>
        {action}
      </div>
      {children}
    </section>
  );
}

function Failures({ status }: { readonly status: StatusAnswer }) {
  const elsewhere = failuresInDoubt(status);
  // What is retried has not failed: it waits.
  const failures = status.failures.filter((failure) => failure.retryAt === null && !elsewhere.has(failure));
  const isCut = status.failures.length < status.failuresTotal;
  const total = isCut ? Math.max(failures.length, failedCount(status)) : failures.length;
  if (total === 0) return null;
  // Retrying without a path concerns doubts too: that is not to happen in passing.
  const everything = total > failures.length && status.inDoubtTotal === 0 && (
    <Button act={() => retry([])}>Retry all</Button>
  );
  return (
    <Need title="Failed" count={total} tone="bad" action={everything}>
      {groupByCause(failures).map((group) => (
        <Failed key={group.code} {...group} />
      ))}
      <Cut listed={failures.length} total={total} />
    </Need>
  );
}

/** What failed for one cause. What is the same for all of it is said once. */
function Failed({ code, items }: Group<FailureStatus>) {
  const [isWhole, setWhole] = useState(false);
  const { cause } = explain(code);
  const total = items.length;
  const others = Math.min(total, maxRows) - fewRows;
  const cut =
    total > maxRows ? ` (the first ${numberWords(maxRows)} of ${numberWords(total)} are listed)` : '';
  const isShared = new Set(items.map(({ message }) => message)).size === 1;
  const words = total === 1 ? 'Retry' : `Retry all ${numberWords(total)}`;
  return (
    <article class="card" aria-label={cause}>
      <div class="head">
        <h3>{cause}</h3>
        <Button class="small" aria-label={`${words}: ${cause}`} act={() => retry(items.map(refKey))}>
          {words}
        </Button>
      </div>
      {isShared && <p>{said(items[0]?.message ?? '')}</p>}
      <p class="faint">{fixBeside(code)}</p>
      <ul class="rows">
        {items.slice(0, isWhole ? maxRows : fewRows).map((failure) => (
          <li key={refKey(failure)}>
            <PathText {...failure} />
            {/* One row, one button: that of its group. */}
            {total > 1 && (
              <Button
                class="small"
                aria-label={`Retry ${printable(failure.path)}`}
                act={() => retry([refKey(failure)])}
              >
                Retry
              </Button>
            )}
            {!isShared && <p>{said(failure.message)}</p>}
            {failure.attempts > 1 && <p class="faint">{failure.attempts} attempts</p>}
          </li>
        ))}
      </ul>
      {others > 0 && (
        <button type="button" class="small" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? `Show fewer${cut}` : `Show ${numberWords(others)} more`}
        </button>
      )}
    </article>
  );
}

function Held({ held }: { readonly held: readonly HeldStatus[] }) {
  if (held.length === 0) return null;
  const total = held.reduce((sum, { count }) => sum + count, 0);
  return (
    <Need title="Deletions held" count={total} tone="warn">
      {held.map((hold) => (
        <Hold key={hold.folder} {...hold} />
      ))}
    </Need>
  );
}

function Hold(held: HeldStatus) {
  const { folder, count, since, reason, paths } = held;
  const documents = countWords(count, 'document');
  const others = count - paths.length;
  return (
    <article class="card">
      <div class="head">
        <h3>
          {countWords(count, 'file')} missing from {printable(folder)}
        </h3>
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
      </div>
      <p>
        {said(reason)} Held since {momentWords(since)}.
      </p>
      <p class="faint">
        If this was a mistake, put the files back: nothing is deleted at the service until you decide.
      </p>
      <Fold title={count === 1 ? 'Show the file' : 'Show the files'}>
        <ul class="names" tabIndex={0} aria-label={`Missing from ${printable(folder)}`}>
          {paths.map((path) => (
            <li key={path}>
              <PathText folder={folder} path={path} />
            </li>
          ))}
        </ul>
        {others > 0 && <p class="faint">and {numberWords(others)} more</p>}
      </Fold>
    </article>
  );
}

function Doubts({ status: { inDoubt, inDoubtTotal } }: { readonly status: StatusAnswer }) {
  if (inDoubtTotal === 0) return null;
  return (
    <Need title="In doubt" count={inDoubtTotal} tone="warn">
      <div class="card">
        <p class="faint">
          It is not known as what these uploads arrived, if they did. Check at the service: adopt those that
          did, send the others again. Dismiss sends nothing.
        </p>
        <ul class="rows">
          {inDoubt.slice(0, maxDoubts).map((doubt) => (
            <InDoubt key={refKey(doubt)} {...doubt} />
          ))}
        </ul>
        <Cut listed={Math.min(maxDoubts, inDoubt.length)} total={inDoubtTotal} />
      </div>
    </Need>
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
    <li>
      <PathText {...doubt} />
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
        <form
          class="actions"
          onSubmit={(event) => {
            event.preventDefault();
            void adopt();
          }}
        >
          <label>
            docId <input ref={docId} maxLength={1024} autocomplete="off" />
          </label>
          <Button class="small" act={adopt}>
            Adopt it
          </Button>
        </form>
      </Fold>
    </li>
  );
}

function Dismiss(place: { readonly folder: string; readonly path: string }) {
  return (
    <Button
      class="small"
      aria-label={`Dismiss ${printable(place.path)}`}
      act={() => resolve(refKey(place), { kind: 'dismiss' })}
    >
      Dismiss
    </Button>
  );
}

/** Without those that are in doubt: they stand in their own list. */
function Duplicates({ status }: { readonly status: StatusAnswer }) {
  const { duplicates, inDoubt, recordedDuplicates } = status;
  if (recordedDuplicates === 0) return null;
  const doubts = new Set(inDoubt.map(refKey));
  const shown = duplicates.filter((one) => !doubts.has(refKey(one))).slice(0, maxDoubts);
  const copies = shown.reduce((sum, one) => sum + one.copies, 0);
  return (
    <Need title="Possible duplicates" count={recordedDuplicates} tone="warn">
      <div class="card">
        <p class="faint">
          The service may hold extra copies of these documents, because answers were lost. Delete extra copies
          there, then dismiss the entry.
        </p>
        <ul class="rows">
          {shown.map((one) => (
            <li key={refKey(one)}>
              <PathText {...one} />
              <Dismiss {...one} />
              <p>up to {countWords(one.copies, 'extra copy', 'extra copies')}</p>
            </li>
          ))}
        </ul>
        <Cut listed={copies} total={recordedDuplicates} />
      </div>
    </Need>
  );
}
