import { printable } from '../../../lib/text/printable.ts';
import { numberWords } from '../../../lib/text/amounts.ts';
import { explain, fixAt } from '../../../model/report/explanations.ts';
import { partsOf, sortFailures } from '../../../model/report/failures.ts';
import { fleetHeadline } from '../../../model/report/fleet-headline.ts';
import type { FleetStatus } from '../../../model/report/fleet.ts';
import { isWhole, placedMessage, progressLine } from '../../../model/report/headline.ts';
import { reasonHealth } from '../../../model/report/health.ts';
import { decide } from '../data/ask-daemon.ts';
import { clockWords, momentWords } from '../data/time-words.ts';
import { useThrottled } from '../data/use-answer.ts';
import { Button, said } from '../parts.tsx';
import type { Shown } from '../parts.tsx';

/** Screen readers hear the headline again no sooner than this, however fast its numbers change. */
const spokenEveryMs = 12_000;

/** The head of the page: headline, progress in one bar, what is wrong. `fleet` null: this host is alone, or no other is known. */
export function Overview({
  status,
  isOffline,
  fleet,
}: Shown & { readonly isOffline: boolean; readonly fleet: FleetStatus | null }) {
  const headline = isOffline ? 'ingestd does not answer' : printable(status.headline);
  const spoken = useThrottled(headline, spokenEveryMs);
  return (
    <section class="overview" aria-label="Overview">
      <h1>{headline}</h1>
      <p class="faint">{isOffline ? '' : progressLine(status, Date.now())}</p>
      {fleet !== null && (
        <a class="tone" href="#fleet" data-health={fleet.health}>
          Fleet: {fleetHeadline(fleet)}
        </a>
      )}
      {status.trial && (
        <p class="faint">
          This is a trial: documents go to the embedded service on this machine, and nowhere else.
        </p>
      )}
      <p class="unseen" role="status">
        {spoken}
      </p>
      {/* What is no part of the bar has a heading of its own. */}
      <Proportions of={partsOf(sortFailures(status).folders).filter(({ inBar }) => inBar)} />
      <Reasons status={status} headline={headline} />
    </section>
  );
}

function Reasons({ status, headline }: Shown & { readonly headline: string }) {
  const { reasons, paused, folders } = status;
  // What is held has a list of its own.
  const shown = reasons.filter(({ code }) => code !== 'held');
  if (shown.length === 0) return null;
  return (
    <ul class="reasons" aria-label="What is wrong">
      {shown.map(({ folder, path, code, message, since, until }) => (
        <li
          key={`${code} ${folder} ${path} ${message}`}
          data-level={code === 'paused' ? 'ok' : reasonHealth(code)}
        >
          {explain(code).cause !== headline && !isWhole({ code, message }) && (
            <strong>{explain(code).cause}</strong>
          )}
          <p>
            {said(placedMessage({ folder, path, message }))}
            {since !== undefined && ` Since ${momentWords(since)}.`}
            {until !== undefined && ` Next attempt at ${clockWords(until)}.`}
          </p>
          {code !== 'paused' && <p class="faint">{said(fixAt(code, status))}</p>}
          {/* One of several folders has its button below. */}
          {code === 'paused' && (folders.length === 1 || paused.length > 1) && (
            <Button act={() => decide('resume', { folder: null })}>
              {folders.length === 1 ? 'Resume' : 'Resume all'}
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

/** A bar in proportion, and the numbers that no headline has said: all but those of what is delivered. */
export function Proportions({ of: all }: { readonly of: ReturnType<typeof partsOf> }) {
  const parts = all.filter(({ count }) => count > 0);
  const others = parts.filter(({ key }) => key !== 'synced');
  if (others.length === 0) return null;
  return (
    <>
      <div class="bar" aria-hidden="true">
        {parts.map(
          ({ key, count, inBar }) => inBar && <i key={key} class={key} style={{ flexGrow: count }} />,
        )}
      </div>
      <ul class="legend">
        {others.map(({ key, words, count }) => (
          <li key={words} class={key}>
            <strong>{numberWords(count)}</strong> {words}
          </li>
        ))}
      </ul>
    </>
  );
}
