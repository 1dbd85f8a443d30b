import { countWords, numberWords } from '../../../lib/text/amounts.ts';
import { printable } from '../../../lib/text/printable.ts';
import { refKey } from '../../../model/document.ts';
import {
  activityWords,
  burstWords,
  createBursts,
  directoryOfAll,
} from '../../../model/report/activity-words.ts';
import type { Activity } from '../../../model/report/status.ts';
import { mostRecent } from '../data/connection.ts';
import { localTimes, momentWords } from '../data/time-words.ts';
import { Fold, Part, PathText, Rows } from '../parts.tsx';

/** So many are shown; the others are there to be opened. */
const fewLines = 3;

/** What happened last, newest first; null: not known yet. What happened to many at once is one line, which opens. */
export function Activities({ recent }: { readonly recent: readonly Activity[] | null }) {
  const bursts = createBursts();
  for (const activity of recent ?? []) bursts.add(activity);
  const lines = bursts.lines(1).map((burst) => {
    const oldest = burst.at(-1) ?? burst[0];
    return <Line key={`${oldest.at} ${oldest.what} ${refKey(oldest)}`} burst={burst} />;
  });
  const more = lines.length - fewLines;
  return (
    <Part title="Recent activity">
      <ol class="activity">{lines.slice(0, fewLines)}</ol>
      {more > 0 && (
        <Fold title={`Show ${numberWords(more)} more`}>
          <ol class="activity">{lines.slice(fewLines)}</ol>
          {recent?.length === mostRecent && <p class="faint">ingestd log has what was before.</p>}
        </Fold>
      )}
      {recent?.length === 0 && <p class="faint">Nothing yet.</p>}
    </Part>
  );
}

function Line({ burst }: { readonly burst: readonly [Activity, ...Activity[]] }) {
  const [newest] = burst;
  const { at, what, folder } = newest;
  const documents = [...new Map(burst.map((one) => [refKey(one), one])).values()];
  const directory = directoryOfAll(burst);
  const place = printable(directory === '' ? folder : refKey({ folder, path: directory }));
  const isOne = documents.length === 1;
  const where = what === 'uploaded' ? `to ${place}` : `in ${place}`;
  return (
    <li>
      <time dateTime={at} title={at}>
        {momentWords(at)}
      </time>
      <span class={`what ${what}`}>{printable(what)}</span>
      {isOne ? (
        <Subject {...newest} />
      ) : (
        <Fold title={`${countWords(documents.length, 'document')} ${where}`}>
          <Rows of={documents} />
        </Fold>
      )}
      <p class="faint">{printable(localTimes((isOne ? activityWords : burstWords)(newest) ?? ''))}</p>
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
