import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { countWords } from '../../../lib/text/amounts.ts';
import { logMatcher } from '../../../model/report/log-query.ts';
import type { LogFilter, LogPage } from '../../../model/report/log-query.ts';
import type { Activity } from '../../../model/report/status.ts';
import { get } from '../data/ask-daemon.ts';
import { dayAndClockWords } from '../data/time-words.ts';
import { useTyping } from '../data/use-typing.ts';
import { Button, Dialog } from '../parts.tsx';
import { Happened, keyOf } from './activity.tsx';

/** So many are loaded at first and with each "Show older", and never more than the other in all. */
const rowsAtOnce = 50;
const maxRows = 500;

interface LogProps {
  /** What happened last, newest first. */
  readonly recent: readonly Activity[];
  /** Counts the connections: what happened while there was none is looked up. */
  readonly connections: number;
  readonly onClose: () => void;
}

/** The log with its search, as `ingestd log` prints it, newest first. Nothing of it is loaded before it is opened. */
export function Log({ recent, connections, onClose }: LogProps) {
  const form = useRef<HTMLFormElement>(null);
  const type = useTyping();
  const [filter, setFilter] = useState<LogFilter>({ search: '', failed: false, since: null });
  const { entries, isSearching, words, older } = useEntries(filter, recent, connections);
  const change = () => form.current !== null && setFilter(readFilter(form.current));
  return (
    <Dialog title="Log" class="log" onClose={onClose}>
      <form
        ref={form}

        role="search"
        onInput={() => type(change)}
        onSubmit={(event) => {
          event.preventDefault();
          change();
        }}
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
          <select name="hours">
            <option value="1">1 hour</option>
            <option value="24">24 hours</option>
            <option value="168">7 days</option>
            <option value="0" selected>
              the beginning
            </option>
          </select>
        </label>
        <label>
          <input name="failed" type="checkbox" /> Only problems
        </label>
      </form>
      <ol class="activity">
        {entries.map((entry) => (
          <Happened key={keyOf(entry)} burst={[entry]} words={dayAndClockWords} />
        ))}
      </ol>
      <p class="faint" role="status">
        {words}
      </p>
      {older !== null && !isSearching && <Button act={older}>Show older</Button>}
    </Dialog>
  );
}

function readFilter(form: HTMLFormElement): LogFilter {
  const data = new FormData(form);
  const search = data.get('search');
  const hours = Number(data.get('hours'));
  return {
    search: typeof search === 'string' ? search.trim() : '',
    failed: data.has('failed'),
    since: hours === 0 ? null : new Date(Date.now() - hours * 3_600_000).toISOString(),
  };
}

/** What the log has of what is wanted, and what comes to it. */
function useEntries(filter: LogFilter, recent: readonly Activity[], connections: number) {
  const [entries, setEntries] = useState<readonly Activity[]>([]);
  const [next, setNext] = useState<string | null>(null);
  const [state, setState] = useState<'searching' | 'found' | 'unanswered'>('searching');
  /** Counts the searches: an answer to an older one comes too late. */
  const search = useRef(0);
  const matches = useMemo(() => logMatcher(filter), [filter]);
  const rows = entries.length;
  const isFull = rows >= maxRows;

  /** Each answer looks back a little further: asks until there are enough, or nothing is left. */
  const load = async (from: string | null) => {
    const mine = search.current;
    let before = from;
    let found = 0;
    setState('searching');
    do {
      const page = await ask(filter, before);
      if (mine !== search.current) return;
      if (page === null) return setState('unanswered');
      setEntries((known) => joined(known, page.entries));
      before = page.next;
      setNext(before);
      found += page.entries.length;
    } while (before !== null && found < rowsAtOnce);
    setState('found');
  };

  useEffect(() => {
    setEntries([]);
    void load(null);
    return () => {
      search.current += 1;
    };
  }, [filter, connections]);
  useEffect(() => setEntries((known) => joined(recent.filter(matches), known)), [recent]);

  return {
    entries,
    isSearching: state === 'searching',
    words: state === 'found' ? sumOf(rows, next === null) : stateWords[state],
    older: state === 'unanswered' || (next !== null && !isFull) ? () => load(next) : null,
  };
}

const stateWords = { searching: 'Searching…', unanswered: 'The daemon does not answer.' };

function sumOf(rows: number, isAll: boolean): string {
  if (rows === 0) return 'Nothing found.';
  if (isAll) return `${countWords(rows, 'entry', 'entries')}, none older.`;
  const narrow = rows >= maxRows ? ' Search for something narrower to see older ones.' : '';
  return `The newest ${rows} entries.${narrow}`;
}

/** Two lists, newest first, each entry once. */
function joined(newer: readonly Activity[], older: readonly Activity[]): readonly Activity[] {
  const all = new Map([...newer, ...older].map((entry) => [keyOf(entry), entry]));
  return [...all.values()].slice(0, maxRows);
}

function ask({ search, failed, since }: LogFilter, before: string | null): Promise<LogPage | null> {
  const query = new URLSearchParams({ search, failed: String(failed) });
  if (since !== null) query.set('since', since);
  if (before !== null) query.set('before', before);
  return get(`api/log?${query.toString()}`);
}
