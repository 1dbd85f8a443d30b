import { sumOf } from '../../../lib/sum-of.ts';
import { countWords, numberWords, sizeWords } from '../../../lib/text/amounts.ts';
import { printable } from '../../../lib/text/printable.ts';
import { refKey } from '../../../model/document.ts';
import { createBursts, gathered, subjectWords } from '../../../model/report/activity-words.ts';
import { explain, groupByCause } from '../../../model/report/explanations.ts';
import { sortFailures } from '../../../model/report/failures.ts';
import type { Activity } from '../../../model/report/status.ts';
import { Fold, List, Part, PathText, PathWords, Rows, momentWords, said, told } from '../parts.tsx';
import type { Shown } from '../parts.tsx';

/** What happened last, newest first. What happened to many at once is one line, which opens. */
export function Activities({ recent }: { readonly recent: readonly Activity[] }) {
  const bursts = createBursts();
  for (const activity of recent) bursts.add(activity);
  const lines = bursts.lines(1).map((burst) => {
    const oldest = burst.at(-1) ?? burst[0];
    return <Line key={`${oldest.at} ${oldest.what} ${refKey(oldest)}`} burst={burst} />;
  });
  return (
    <Part title="Recent activity">
      <List of={lines} class="activity" most={3} />
      {recent.length === 0 && <p class="faint">Nothing yet.</p>}
    </Part>
  );
}

function Line({ burst }: { readonly burst: readonly [Activity, ...Activity[]] }) {
  const all = gathered(burst);
  const documents = [...new Map(burst.map((one) => [refKey(one), one])).values()];
  return (
    <li>
      <time title={all.at}>{momentWords(all.at)}</time>
      <span class={`what ${all.what}`}>{printable(all.what)}</span>
      {documents.length === 1 ? (
        <Subject {...all} />
      ) : (
        <Fold title={printable(subjectWords(all))}>
          <Rows of={documents} />
        </Fold>
      )}
      <p class="faint">{told(all.words ?? '')}</p>
    </li>
  );
}

/** What something is about. What concerns a folder, or many documents, is the story of no file. */
function Subject(about: Parameters<typeof subjectWords>[0]) {
  if (about.path !== '' && about.documents <= 1) return <PathText {...about} />;
  return (
    <span>
      <PathWords path={subjectWords(about)} />
    </span>
  );
}

/** What is being sent now, what comes next, and how much of the minute's budget is used. */
export function Transfers({ status: { transfers, rate, queue } }: Shown) {
  const { limit, used, windowSeconds } = rate;
  const counts = `${numberWords(queue.inFlight)} being sent, ${numberWords(queue.pending)} queued`;
  const isQuiet = queue.inFlight + queue.pending === 0;
  const span = windowSeconds === 60 ? 'minute' : `${windowSeconds} s`;
  const rows = transfers.map(({ operation, bytesSent, bytesTotal, ...one }) => (
    <li key={`${operation} ${one.documents} ${refKey(one)}`}>
      <Subject {...one} /> <span class="faint">{operation}</span>
      {bytesTotal > 0 && (
        <progress
          aria-label={`${operation} ${one.path}`}
          max={bytesTotal}
          // Full is for what the service has accepted, which is in no list of transfers.
          value={Math.min(bytesSent, Math.floor(bytesTotal * 0.99))}
        />
      )}
      <p class="faint">
        {bytesSent < bytesTotal
          ? `${sizeWords(bytesSent)} of ${sizeWords(bytesTotal)}`
          : 'waiting for an answer'}
      </p>
    </li>
  ));
  return (
    <Fold title="In progress" words={isQuiet ? 'nothing now' : counts}>
      <List of={rows} class="rows" most={8} />
      <p>
        {numberWords(used)} of {countWords(limit, 'request')} in the last {span}
      </p>
    </Fold>
  );
}

/** Documents that wait for something by name: a sidecar, an attachment, the next attempt. A retry needs nobody. */
export function Waiting({ status }: Shown) {
  const { retried } = sortFailures(status);
  const waits = [...status.waiting.map((one) => ({ ...one, retryAt: null })), ...retried];
  // The others are being written: they have nothing to say.
  const counted = sumOf(status.folders, ({ waiting }) => waiting);
  const total = Math.max(waits.length, counted);
  if (waits.length === 0) return null;
  return (
    <Fold title="Waiting" words={countWords(total, 'document')}>
      <Rows
        of={waits}
        words={({ message, retryAt }) => said(message, retryAt && `next attempt at ${retryAt}`)}
        most={5}
        total={total}
      />
    </Fold>
  );
}

/** Files in the folders that are no documents, by the rule that says so. */
export function Skipped({ status: { skipped, skippedTotal } }: Shown) {
  const unlisted = skippedTotal - skipped.length;
  if (skippedTotal === 0) return null;
  return (
    <Fold title="Skipped" words={countWords(skippedTotal, 'file')}>
      {groupByCause(skipped).map(({ code, items }) => (
        <Part class="card" key={code} title={explain(code).cause} count={items.length}>
          <Rows of={items} fix={explain(code).fix || said(items[0]?.message ?? '')} />
        </Part>
      ))}
      {unlisted > 0 && <p class="faint">and {numberWords(unlisted)} more</p>}
    </Fold>
  );
}
