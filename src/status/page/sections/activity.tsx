import { countWords } from '../../../lib/text/amounts.ts';
import { printable } from '../../../lib/text/printable.ts';
import { refKey } from '../../../model/document.ts';
import { activityWords, gathered } from '../../../model/report/activity-words.ts';
import type { Activity } from '../../../model/report/status.ts';
import { clockWords } from '../data/time-words.ts';
import { Button, Fold, Part, PathText, Rows } from '../parts.tsx';

/** The log has the rest. */
const lines = 3;

interface ActivitiesProps {
  /** Newest first; null: not known yet. */
  readonly recent: readonly Activity[] | null;
  readonly openLog: () => void;
}

/** What happened last. */
export function Activities({ recent, openLog }: ActivitiesProps) {
  const bursts = gathered(recent ?? []).slice(0, lines);
  return (
    <Part title="Recent activity" action={<Button act={openLog}>Search the log…</Button>}>
      <ol class="activity">
        {bursts.map((burst) => (
          <Happened key={keyOf(burst.at(-1))} burst={burst} words={clockWords} />
        ))}
      </ol>
      {recent?.length === 0 && <p class="faint">Nothing yet.</p>}
    </Part>
  );
}

const tones: Readonly<Record<string, string>> = {
  uploaded: 'uploaded',
  modified: 'modified',
  moved: 'moved',
  failed: 'failed',
  problem: 'failed',
  held: 'held',
  'in doubt': 'held',
  warning: 'held',
  recovered: 'uploaded',
};

interface HappenedProps {
  /** One thing that happened, or the same in one directory several times, newest first. */
  readonly burst: readonly Activity[];
  readonly words: (at: string) => string;
}

/** A line of activity. */
export function Happened({ burst, words }: HappenedProps) {
  const [newest] = burst;
  if (newest === undefined) return null;
  const { at, what, folder, path } = newest;
  const documents = [...new Map(burst.map((one) => [refKey(one), one])).values()];
  const place = printable(`${folder}/${path}`.split('/').slice(0, -1).join('/'));
  return (
    <li>
      <time dateTime={at} title={at}>
        {words(at)}
      </time>
      <span class={`what ${tones[what] ?? ''}`}>{printable(what)}</span>
      {documents.length === 1 ? (
        <Subject {...newest} />
      ) : (
        <Fold title={`${countWords(documents.length, 'document')} in ${place}`}>
          <Rows of={documents} />
        </Fold>
      )}
      <p class="faint">{printable(activityWords(newest) ?? '')}</p>
    </li>
  );
}

/** What something is about: one document, or how many. What concerns a folder is the story of no file. */
export function Subject({ folder, path, documents }: Pick<Activity, 'folder' | 'path' | 'documents'>) {
  if (path !== '' && documents <= 1) return <PathText folder={folder} path={path} />;
  const many = countWords(documents, 'document');
  if (path !== '') return <span>{many}</span>;
  return (
    <span>
      <bdi>{printable(folder || 'ingestd')}</bdi>
      {documents > 1 && ` (${many})`}
    </span>
  );
}

/** Tells activities apart. */
export function keyOf(activity: Activity | undefined): string {
  return activity === undefined ? '' : `${activity.at} ${activity.what} ${refKey(activity)}`;
}
