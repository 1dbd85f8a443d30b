import { printable } from '../../../lib/text/printable.ts';
import { countWords, durationWords, numberWords } from '../../../lib/text/amounts.ts';
import { partsOf, sortFailures } from '../../../model/report/failures.ts';
import type { CountedFolder } from '../../../model/report/failures.ts';
import { isFleetPaused } from '../../../model/report/fleet-pause.ts';
import { decide } from '../data/daemon.ts';
import { Part, PathWords } from '../parts.tsx';
import type { Shown } from '../parts.tsx';
import { Proportions } from './overview.tsx';

/** The watched folders, and the invitation where there is nothing in them yet. */
export function Folders({ status }: Shown) {
  const { folders, unconfigured = [] } = status;
  const isOnly = folders.length === 1;
  return (
    <>
      <Invitation status={status} />
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

function Invitation({ status: { folders, held, state } }: Shown) {
  const first = folders.find((folder) => folder.state !== 'unavailable');
  const isUntouched =
    held.length === 0 && folders.every((one) => one.onDisk + one.held + one.kept + one.attached === 0);
  const isLooking = state === 'starting' || folders.some((folder) => folder.state === 'scanning');
  if (!isUntouched || isLooking || first === undefined) return null;
  return (
    <section class="invitation" aria-label="Begin">
      <h2>
        Put a file into <code>{printable(first.path)}</code>
      </h2>
      <p class="faint">
        A PDF, a text, a spreadsheet, an e-mail: it is delivered within seconds. Change, rename or delete it,
        and the service follows.
      </p>
    </section>
  );
}
