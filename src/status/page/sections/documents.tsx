import { useState } from 'preact/hooks';

import { countWords, localTime, numberWords } from '../../../lib/text/amounts.ts';
import { printable } from '../../../lib/text/printable.ts';
import { capitalized } from '../../../lib/text/sentences.ts';
import { refKey } from '../../../model/document.ts';
import type { DocumentRef } from '../../../model/document.ts';
import type { DocumentListing } from '../../../model/ports/control-port.ts';
import { audienceWords, eventsOf, factsOf, standingWords } from '../../../model/report/activity-words.ts';
import type { Why } from '../../../model/report/command-reports.ts';
import { mayHelpToRetry, mayHelpToShare } from '../../../model/report/explanations.ts';
import { decide, useAnswer } from '../data/daemon.ts';
import { page } from '../data/page.ts';
import { Ask, Facts, Fold, Rows, momentWords, said, told } from '../parts.tsx';
import type { Shown } from '../parts.tsx';
import { DoubtActions, Keep } from './attention.tsx';

/** All documents, found by name, with who can see each or why it is not sent. */
export function Documents({ status }: Shown) {
  const [search, setSearch] = useState('');
  const path = `api/documents?search=${encodeURIComponent(search)}`;
  const { answer: found } = useAnswer<DocumentListing>(path, status);
  return (
    <>
      <div role="search">
        <label>
          Find documents
          <input
            type="search"
            maxLength={200}
            autocomplete="off"
            placeholder="folder, directory, name or state"
            onInput={({ currentTarget }) => setSearch(currentTarget.value)}
          />
        </label>
      </div>
      <p class="faint" role="status">
        {found !== undefined && `${numberWords(found.total)} found`}
      </p>
      <Rows of={found?.documents ?? []} total={found?.total ?? 0}>
        {({ folder, path, isDelivered, state, sharing, url }) => (
          <>
            {url !== null && (
              <a href={url} target="_blank" rel="noreferrer" aria-label={`Open ${printable(path)}`}>
                Open
              </a>
            )}
            {isDelivered && (
              <p class="faint">
                {audienceWords(sharing)}
                {status.folders.every(({ name }) => name !== folder) &&
                  ', kept: its folder is no longer configured'}
              </p>
            )}
            {state !== null && <p>{said(capitalized(state))}</p>}
          </>
        )}
      </Rows>
    </>
  );
}

/** Documents that a wider audience is stated for than the service has, and the way out. */
export function Narrower({ count }: { readonly count: number }) {
  const { answer: found } = useAnswer<DocumentListing>('api/documents?narrower=true', count);
  const documents = (found?.documents ?? []).flatMap(({ folder, path, narrower }) =>
    narrower === null ? [] : [{ folder, path, ...narrower }],
  );
  return (
    <>
      <Rows of={documents} words={({ message }) => said(message)} total={count} />
      <Share of={documents} />
    </>
  );
}

/** Asks whether documents are to be shared as it is stated for them, where a person's word can do that. */
function Share({ of: documents }: { readonly of: readonly (DocumentRef & NonNullable<Why['narrower']>)[] }) {
  const shown = documents
    .filter(({ code }) => mayHelpToShare(code))
    .map((one) => ({ path: refKey(one), sharing: one.sharing }));
  const names = shown.map(({ path, sharing }) => `${printable(path)} (${audienceWords(sharing)})`);
  if (shown.length === 0) return null;
  return (
    <Ask
      words={`Share ${countWords(shown.length, 'document')} as stated`}
      look="strong"
      act={() => decide('share', { paths: shown.map(({ path }) => path), shown })}
    >
      From now on more people see {names.join(', ')}.
    </Ask>
  );
}

/** The whole story of one file, as `ingestd why` tells it; told again when something happens to the file. */
export function FileStory({ status, ...place }: Shown & DocumentRef) {
  const key = refKey(place);
  const news = page.recent.find((one) => refKey(one) === key);
  const { answer: why, problem } = useAnswer<Why>(`api/why?path=${encodeURIComponent(key)}`, news);
  if (why === undefined) return <p>{printable(problem ?? '')}</p>;
  const next = `Next: ${why.next}${why.nextAt === null ? '' : ` (${why.nextAt})`}`;
  const events = eventsOf(why).toReversed();
  const fields = Object.entries(why.metadata ?? {}).map(
    ([name, value]) => [name, value, why.sources[name]] as const,
  );
  return (
    <>
      <p>
        <strong>{printable(standingWords(why, momentWords))}</strong>
      </p>
      {[...why.notes.map((note) => said(note)), told(next), why.fix].map((words) => (
        <p key={words}>{words}</p>
      ))}
      <Actions why={why} status={status} />
      <Fold title={events.length === 0 ? 'Details' : `Details and ${countWords(events.length, 'event')}`}>
        <Facts
          of={[...fields, ...factsOf(why), ...events.map(([at, words]) => [localTime(at), words] as const)]}
        />
      </Fold>
    </>
  );
}

const ofFiles: ReadonlySet<string> = new Set(['document', 'settling', 'waiting', 'unfit', 'skipped']);

/** What a person can do about this file. */
function Actions({ why, status }: Shown & { readonly why: Why }) {
  const { path, narrower, docId, verdict, attempts } = why;
  const folder = why.folder ?? '';
  const key = refKey({ folder, path });
  const isIt = (one: DocumentRef) => refKey(one) === key;
  const doubt = status.inDoubt.find(isIt);
  const unsent = [...status.failures, ...status.skipped];
  const isRetried = doubt === undefined && unsent.some((one) => isIt(one) && mayHelpToRetry(one.code));
  const isHeld = status.held.some((one) => one.folder === folder && one.paths.includes(path));
  const isRefused = isRetried && attempts.at(-1)?.operation === 'delete' && docId !== null;
  const remains = docId === null ? '' : '; its document then stays at the service as it is';
  return (
    <div class="actions">
      {doubt !== undefined && <DoubtActions {...doubt} />}
      {isRetried && <button onClick={() => decide('retry', { paths: [key] })}>Retry</button>}
      {(isHeld || isRefused) && <Keep place={key} />}
      {narrower !== null && docId !== null && <Share of={[{ folder, path, ...narrower }]} />}
      {ofFiles.has(verdict.kind) && (
        <Fold title="Ignore this file…">
          <p>
            Add this line to the file .ingestignore in the folder {printable(folder)}
            {remains}:
          </p>
          <code>/{printable(path).replaceAll(/[[\]*?!#\\ ]/g, String.raw`\$&`)}</code>
        </Fold>
      )}
    </div>
  );
}
