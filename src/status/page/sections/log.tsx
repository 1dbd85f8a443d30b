import { useState } from 'preact/hooks';

import { countWords } from '../../../lib/text/amounts.ts';
import type { LogPage } from '../../../model/report/log-query.ts';
import type { Activity } from '../../../model/report/status.ts';
import { useAnswer } from '../data/use-answer.ts';
import { Button, Dialog } from '../parts.tsx';
import { Happened } from './activity.tsx';

/** An answer looks back only so far: where it has fewer entries, older ones are asked for at once. */
const fewEntries = 50;
const maxEntries = 500;

/**
 * The log with its search, as `ingestd log` prints it, newest first. Nothing of it is loaded before it is opened; when
 * what happened last (`recent`) changes, its newest part is asked for again.
 */
export function Log({ recent, onClose }: { recent: readonly Activity[]; onClose: () => void }) {
  const [query, setQuery] = useState('');
  return (
    <Dialog title="Log" class="log" onClose={onClose}>
      <form
        role="search"
        onInput={({ currentTarget }) => setQuery(queryOf(currentTarget))}
        onSubmit={(event) => event.preventDefault()}
      >
        <label>
          Search
          <input
            name="search"
            type="search"
            maxLength={200}
            autocomplete="off"
            placeholder="file name, message, docId"
          />
        </label>
        <label>
          Since
          <select name="since">
            <option value="">the beginning</option>
            <option value={hoursAgo(1)}>1 hour</option>
            <option value={hoursAgo(24)}>24 hours</option>
            <option value={hoursAgo(168)}>7 days</option>
          </select>
        </label>
        <label>
          <input name="failed" type="checkbox" value="true" /> Only problems
        </label>
      </form>
      <Entries query={query} newer={0} news={recent} />
    </Dialog>
  );
}

function hoursAgo(hours: number): string {
  return new Date(Date.now() - hours * 3_600_000).toISOString();
}

function queryOf(form: HTMLFormElement): string {
  const given = [...new FormData(form)].flatMap(([name, value]) =>
    typeof value === 'string' && value !== '' ? [[name, value]] : [],
  );
  return new URLSearchParams(given).toString();
}

/**
 * A part of the log, below `newer` entries, and below it what is older: at once where that is little, else when it is
 * asked for.
 */
function Entries({ query, newer, news }: { query: string; newer: number; news?: unknown }) {
  const { answer: page, problem } = useAnswer<LogPage>(`api/log?${query}`, { news });
  const [isOlderWanted, wantOlder] = useState(false);
  if (page === null) return <Words>{problem ?? 'Searching…'}</Words>;
  const shown = newer + page.entries.length;
  const { next } = page;
  return (
    <>
      <Happened activities={page.entries} />
      {next !== null && (isOlderWanted || shown < fewEntries) ? (
        <Entries query={`${query.replace(/&before=.*/, '')}&before=${next}`} newer={shown} />
      ) : (
        <Words>{problem ?? sumOf(shown, next === null)}</Words>
      )}
      {next !== null && !isOlderWanted && shown >= fewEntries && shown < maxEntries && (
        <Button act={() => wantOlder(true)}>Show older</Button>
      )}
    </>
  );
}

function Words({ children }: { readonly children: string }) {
  return (
    <p class="faint" role="status">
      {children}
    </p>
  );
}

function sumOf(shown: number, isAll: boolean): string {
  if (shown === 0) return 'Nothing found.';
  if (isAll) return `${countWords(shown, 'entry', 'entries')}, none older.`;
  const narrow = shown >= maxEntries ? ' Search for something narrower to see older ones.' : '';
  return `The newest ${shown} entries.${narrow}`;
}
