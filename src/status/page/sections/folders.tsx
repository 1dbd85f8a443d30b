import { printable } from '../../../lib/text/printable.ts';
import { countWords, numberWords } from '../../../lib/text/amounts.ts';
import { explain, groupByCause } from '../../../model/report/explanations.ts';
import { isFleetPaused } from '../../../model/report/fleet-pause.ts';
import { withDoubts } from '../../../model/report/headline.ts';
import type { FolderStatus } from '../../../model/report/status.ts';
import type { StatusAnswer } from '../../server/status-snapshot.ts';
import { rescan, setPaused } from '../data/ask-daemon.ts';
import type { Counts } from '../data/proportions.ts';
import { shortDuration } from '../data/time-words.ts';
import { Button, Cut, FoldedPanel, PathText } from '../parts.tsx';
import { Proportions } from './overview.tsx';

/** The watched folders, and the invitation where there is nothing in them yet. */
export function Folders({ status }: { readonly status: StatusAnswer }) {
  const { folders, paused, unconfigured = [] } = status;
  const isForAll = isFleetPaused(status.reasons);
  const isOnly = folders.length === 1;
  return (
    <>
      <Invitation status={status} />
      <section class="panel" aria-label={isOnly ? 'Folder' : 'Folders'}>
        {/* One folder has the same buttons below. */}
        {!isOnly && (
          <div class="head">
            <h2>Folders</h2>
            <Actions folder={null} isPaused={paused.length > 0} isForAll={isForAll} />
          </div>
        )}
        <ul class="folders">
          {withDoubts(status).map((folder) => (
            <Folder
              key={folder.name}
              folder={folder}
              isOnly={isOnly}
              isPaused={paused.includes(folder.name)}
              isForAll={isForAll}
            />
          ))}
        </ul>
        {unconfigured.map(({ name, documents }) => (
          <p key={name} class="faint">
            {printable(name)} is no longer configured. The service keeps its{' '}
            {countWords(documents, 'document')}.
          </p>
        ))}
      </section>
    </>
  );
}

interface Pause {
  readonly isPaused: boolean;
  /** With all hosts of the fleet: nothing on this page ends it. */
  readonly isForAll: boolean;
}

interface FolderProps extends Pause {
  readonly folder: FolderStatus & Counts;
  /** The headline has its numbers already. */
  readonly isOnly: boolean;
}

function Folder({ folder, isOnly, ...pause }: FolderProps) {
  const state = pause.isPaused && folder.state !== 'unavailable' ? 'paused' : folder.state;
  const notes = notesOf(folder).join(' · ');
  const Name = isOnly ? 'h2' : 'h3';
  return (
    <li class="folder">
      <Name>
        <bdi>{printable(folder.name)}</bdi>
      </Name>
      <p class="path faint">
        <bdi>{printable(folder.path)}</bdi>
      </p>
      <div class="head">
        <p class="faint">
          <span class="pill" data-state={state}>
            {state}
          </span>
          {!isOnly && ` · ${numberWords(folder.synced)} delivered`}
        </p>
        <Actions folder={folder.name} {...pause} />
      </div>
      {!isOnly && <Proportions folders={[folder]} />}
      {notes !== '' && <p class="faint">{notes}</p>}
    </li>
  );
}

/** Pause or resume, and scan: of one folder, or of all (null). */
function Actions({ folder, isPaused, isForAll }: Pause & { readonly folder: string | null }) {
  const whose = folder === null ? 'all folders' : printable(folder);
  const all = folder === null ? ' all' : '';
  const word = isPaused ? 'Resume' : 'Pause';
  return (
    <div class="actions">
      {!isForAll && (
        <Button class="small" aria-label={`${word} ${whose}`} act={() => setPaused(folder, !isPaused)}>
          {word + all}
        </Button>
      )}
      <Button class="small" aria-label={`Rescan ${whose}`} act={() => rescan(folder)}>
        {`Rescan${all}`}
      </Button>
    </div>
  );
}

function notesOf(folder: FolderStatus): string[] {
  const { oldestUnsyncedSeconds, missedByWatcher, state, kept, attached } = folder;
  const notes: string[] = [];
  if (state === 'unavailable') notes.push('nothing is deleted while it is unavailable');
  if (oldestUnsyncedSeconds >= 1) notes.push(`oldest change ${shortDuration(oldestUnsyncedSeconds)} ago`);
  if (attached > 0) notes.push(countWords(attached, 'attachment'));
  if (kept > 0) notes.push(`${numberWords(kept)} kept at the service`);
  if (missedByWatcher > 0) notes.push(`${countWords(missedByWatcher, 'change')} found by rescan`);
  return notes;
}

function Invitation({ status: { folders, held, state } }: { readonly status: StatusAnswer }) {
  const first = folders.find((folder) => folder.state !== 'unavailable');
  const isUntouched =
    held.length === 0 && folders.every((one) => one.onDisk + one.held + one.kept + one.attached === 0);
  const isLooking = state === 'starting' || folders.some((folder) => folder.state === 'scanning');
  if (!isUntouched || isLooking || first === undefined) return null;
  return (
    <section class="invitation" aria-label="Begin">
      <svg class="tray" viewBox="0 0 120 80" aria-hidden="true">
        <g class="sheet">
          <path d="M46 2h20l10 10v28H46z" />
          <path d="M66 2v10h10M52 22h18M52 29h18" />
        </g>
        <path class="box" d="M10 46h28l6 10h32l6-10h28v22a8 8 0 0 1-8 8H18a8 8 0 0 1-8-8z" />
      </svg>
      <div>
        <h2>
          Put a file into <code>{printable(first.path)}</code>
        </h2>
        <p class="faint">
          A PDF, a text, a spreadsheet, an e-mail: it is delivered within seconds. Change, rename or delete
          it, and the service follows.
        </p>
      </div>
    </section>
  );
}

const maxSkipRows = 50;

/** Files in the folders that are no documents, by the rule that says so. */
export function Skipped({ status: { skipped, skippedTotal } }: { readonly status: StatusAnswer }) {
  if (skippedTotal === 0) return null;
  return (
    <FoldedPanel title="Skipped" words={countWords(skippedTotal, 'file')}>
      {groupByCause(skipped).map(({ code, items }) => (
        <article key={code} aria-label={explain(code).cause}>
          <h3>
            {explain(code).cause} <span class="faint">{numberWords(items.length)}</span>
          </h3>
          <p class="faint">{explain(code).fix}</p>
          <ul class="names" tabIndex={0} aria-label={explain(code).cause}>
            {items.slice(0, maxSkipRows).map(({ folder, path, pathBytes = '' }) => (
              <li key={`${folder}/${path}/${pathBytes}`}>
                <PathText folder={folder} path={path} />
              </li>
            ))}
          </ul>
          {items.length > maxSkipRows && (
            <p class="faint">and {numberWords(items.length - maxSkipRows)} more</p>
          )}
        </article>
      ))}
      <Cut listed={skipped.length} total={skippedTotal} />
    </FoldedPanel>
  );
}
