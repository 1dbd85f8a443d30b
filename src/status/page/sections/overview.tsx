import { printable } from '../../../lib/text/printable.ts';
import { countWords, durationWords, numberWords } from '../../../lib/text/amounts.ts';
import { explain, fixAt } from '../../../model/report/explanations.ts';
import { partsOf, sortFailures } from '../../../model/report/failures.ts';
import type { CountedFolder } from '../../../model/report/failures.ts';
import { fleetHeadline, hostWords } from '../../../model/report/fleet-headline.ts';
import { isFleetPaused } from '../../../model/report/fleet-pause.ts';
import type { FleetStatus } from '../../../model/report/fleet.ts';
import { isWhole, nothingYet, placedMessage, progressLine } from '../../../model/report/headline.ts';
import { reasonHealth } from '../../../model/report/health.ts';
import { decide } from '../data/daemon.ts';
import { page } from '../data/page.ts';
import { Part, PathWords, said } from '../parts.tsx';
import type { Shown } from '../parts.tsx';

/** The head of the page: headline, progress in one bar, what is wrong. `fleet` undefined: this host is alone, or no other is known. */
export function Overview({ status, fleet }: Shown & { readonly fleet: FleetStatus | undefined }) {
  const { isOffline } = page;
  const headline = isOffline ? 'ingestd does not answer' : printable(status.headline);
  // What is held has a list of its own, and what is no part of the bar a heading.
  const reasons = status.reasons.filter(({ code }) => code !== 'held');
  const bar = partsOf(sortFailures(status).folders).filter(({ inBar }) => inBar);
  return (
    <section class="overview" aria-label="Overview">
      <h1>{headline}</h1>
      <p class="faint">{isOffline ? '' : progressLine(status, Date.now())}</p>
      {fleet !== undefined && (
        <a class="tone" href="#fleet" data-health={fleet.health}>
          Fleet: {fleetHeadline(fleet)}
        </a>
      )}
      {status.trial && (
        <p class="faint">
          This is a trial: documents go to the embedded service on this machine, and nowhere else.
        </p>
      )}
      <Proportions of={bar} />
      <ul class="reasons" aria-label="What is wrong">
        {reasons.map((reason) => {
          const { code, folder, path, message, since, until } = reason;
          const { cause } = explain(code);
          return (
            <li
              key={`${code} ${folder} ${path} ${message}`}
              data-level={code === 'paused' ? 'ok' : reasonHealth(code)}
            >
              {cause !== headline && !isWhole(reason) && <strong>{cause}</strong>}
              <p>
                {said(placedMessage(reason), since && `since ${since}`, until && `next attempt at ${until}`)}
              </p>
              <p class="faint">{said(fixAt(code, status))}</p>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** A bar in proportion, and the numbers that no headline has said: all but those of what is delivered. */
function Proportions({ of: all }: { readonly of: ReturnType<typeof partsOf> }) {
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

/** The watched folders, and the invitation where there is nothing in them yet. */
export function Folders({ status }: Shown) {
  const { headline, folders, unconfigured = [] } = status;
  const isOnly = folders.length === 1;
  return (
    <>
      {headline === nothingYet && (
        <section class="invitation" aria-label="Begin">
          <h2>
            Put a file into <code>{printable(folders[0]?.path ?? '')}</code>
          </h2>
          <p class="faint">
            A PDF, a text, a spreadsheet, an e-mail: it is delivered within seconds. Change, rename or delete
            it, and the service follows.
          </p>
        </section>
      )}
      <Part
        title={isOnly ? 'Folder' : 'Folders'}
        action={!isOnly && <Actions folder={null} status={status} />}
      >
        <ul class="folders">
          {sortFailures(status).folders.map((folder) => (
            <Folder key={folder.name} folder={folder} status={status} />
          ))}
        </ul>
        {unconfigured.map(({ name, documents }) => (
          <p key={name} class="faint">
            {printable(name)} is no longer configured. The service keeps its{' '}
            {countWords(documents, 'document')}.
          </p>
        ))}
      </Part>
    </>
  );
}

function Folder({ folder, status }: Shown & { readonly folder: CountedFolder }) {
  const { name, path, synced, pending, waiting, oldestUnsyncedSeconds, kept, attached } = folder;
  const isPaused = status.paused.includes(name) && folder.state !== 'unavailable';
  const state = isPaused ? 'paused' : folder.state;
  // The headline has the numbers of an only folder already.
  const isOnly = status.folders.length === 1;
  const isLate = pending + waiting > 0 && oldestUnsyncedSeconds >= 1;
  const notes = [
    !isOnly && `${numberWords(synced)} delivered`,
    isLate && `oldest change ${durationWords(oldestUnsyncedSeconds)} ago`,
    attached > 0 && countWords(attached, 'attachment'),
    kept > 0 && `${numberWords(kept)} kept at the service`,
  ];
  return (
    <li>
      <h3>
        <PathWords path={name} />
      </h3>
      <p class="path faint">
        <PathWords path={path} />
      </p>
      <div class="head">
        <span class="pill" data-state={state}>
          {state}
        </span>
        <Actions folder={name} status={status} />
      </div>
      <div>{!isOnly && <Proportions of={partsOf([folder])} />}</div>
      <p class="faint">{notes.filter(Boolean).join(' · ')}</p>
    </li>
  );
}

/** Pause or resume, and scan: of one folder, or of all (null). */
function Actions({ folder, status }: Shown & { readonly folder: string | null }) {
  const { paused, folders, reasons } = status;
  const isPaused = folder === null ? paused.length === folders.length : paused.includes(folder);
  const word = isPaused ? 'Resume' : 'Pause';
  const whose = printable(folder ?? 'all folders');
  const all = folder === null ? ' all' : '';
  return (
    <div class="actions">
      {/* Nothing on this page ends a pause of all hosts of the fleet. */}
      {!isFleetPaused(reasons) && (
        <button
          aria-label={`${word} ${whose}`}
          onClick={() => decide(isPaused ? 'resume' : 'pause', { folder })}
        >
          {word + all}
        </button>
      )}
      <button aria-label={`Rescan ${whose}`} onClick={() => decide('rescan', { folder })}>
        Rescan{all}
      </button>
    </div>
  );
}

/** All hosts of the account. */
export function Fleet({ fleet, status }: Shown & { readonly fleet: FleetStatus }) {
  const { account, hosts, rate } = fleet;
  return (
    <Part title="Fleet" id="fleet">
      <p class="faint">
        {numberWords(rate.used)} of {countWords(status.rate.limit, 'request')} used by all hosts in the last{' '}
        {rate.windowSeconds} s · account {printable(account)}
      </p>
      <ul class="hosts">
        {hosts.map((one) => {
          const isHere = one.presence === 'here';
          return (
            <li key={one.host} data-health={one.health}>
              <div class="head">
                <h3>
                  <PathWords path={one.host} />
                </h3>
                {one.host === status.fleet?.host && <span class="faint">this host</span>}
                <span class="pill">{isHere ? one.health : one.presence}</span>
              </div>
              <p>{isHere ? printable(one.headline) : said(`last seen ${one.lastSeen}`)}</p>
              <p class="faint">{printable(hostWords(one).join(' · '))}</p>
            </li>
          );
        })}
      </ul>
    </Part>
  );
}
