import { printable } from '../../../lib/text/printable.ts';
import { countWords, durationWords, numberWords } from '../../../lib/text/amounts.ts';
import { explain, groupByCause } from '../../../model/report/explanations.ts';
import { partsOf, sortFailures } from '../../../model/report/failures.ts';
import type { CountedFolder } from '../../../model/report/failures.ts';
import { isFleetPaused } from '../../../model/report/fleet-pause.ts';
import { decide } from '../data/ask-daemon.ts';
import { Button, Fold, More, Part, PathWords, Rows, said } from '../parts.tsx';
import type { Shown } from '../parts.tsx';
import { Proportions } from './overview.tsx';

/** The watched folders, and the invitation where there is nothing in them yet. */
export function Folders({ status }: Shown) {
  const isOnly = status.folders.length === 1;
  return (
    <>
      <Invitation status={status} />
      {/* One folder has the same buttons below. */}
      <Part
        title={isOnly ? 'Folder' : 'Folders'}
        action={!isOnly && <Actions folder={null} status={status} />}
      >
        <ul class="folders">
          {sortFailures(status).folders.map((folder) => (
            <Folder key={folder.name} folder={folder} status={status} />
          ))}
        </ul>
        {status.unconfigured?.map(({ name, documents }) => (
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
  const { name, path } = folder;
  // The headline has the numbers of an only folder already.
  const isOnly = status.folders.length === 1;
  const isPaused = status.paused.includes(name);
  const state = isPaused && folder.state !== 'unavailable' ? 'paused' : folder.state;
  return (
    <li>
      <h3>
        <bdi>{printable(name)}</bdi>
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
      <p class="faint">{notesOf(folder, isOnly)}</p>
    </li>
  );
}

/** Pause or resume, and scan: of one folder, or of all (null). */
function Actions({ folder, status }: Shown & { readonly folder: string | null }) {
  const { paused, folders, reasons } = status;
  const [whose, all] = folder === null ? ['all folders', ' all'] : [printable(folder), ''];
  const isPaused = folder === null ? paused.length === folders.length : paused.includes(folder);
  // The headline has the button of an only folder, and that of all.
  const isAbove = isPaused && (folders.length === 1 || folder === null);
  const word = isPaused ? 'Resume' : 'Pause';
  return (
    <div class="actions">
      {/* Nothing on this page ends a pause of all hosts of the fleet. */}
      {!isFleetPaused(reasons) && !isAbove && (
        <Button name={`${word} ${whose}`} act={() => decide(isPaused ? 'resume' : 'pause', { folder })}>
          {word + all}
        </Button>
      )}
      <Button name={`Rescan ${whose}`} act={() => decide('rescan', { folder })}>
        Rescan{all}
      </Button>
    </div>
  );
}

function notesOf(folder: CountedFolder, isOnly: boolean): string {
  const { synced, oldestUnsyncedSeconds, kept, attached } = folder;
  const isOnItsWay = folder.pending + folder.waiting > 0;
  const notes = [
    !isOnly && `${numberWords(synced)} delivered`,
    isOnItsWay && oldestUnsyncedSeconds >= 1 && `oldest change ${durationWords(oldestUnsyncedSeconds)} ago`,
    attached > 0 && countWords(attached, 'attachment'),
    kept > 0 && `${numberWords(kept)} kept at the service`,
  ];
  return notes.filter(Boolean).join(' · ');
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

/** Files in the folders that are no documents, by the rule that says so. */
export function Skipped({ status: { skipped, skippedTotal } }: Shown) {
  if (skippedTotal === 0) return null;
  return (
    <Fold title="Skipped" words={countWords(skippedTotal, 'file')}>
      {groupByCause(skipped).map(({ code, items }) => (
        <Part class="card" key={code} title={explain(code).cause} count={items.length}>
          <p class="faint">{explain(code).fix || said(items[0]?.message ?? '')}</p>
          <Rows of={items} />
        </Part>
      ))}
      <More count={skippedTotal - skipped.length} />
    </Fold>
  );
}
