import { useState } from 'preact/hooks';

import { countWords, numberWords } from '../../../lib/text/amounts.ts';
import { printable } from '../../../lib/text/printable.ts';
import { capitalized } from '../../../lib/text/sentences.ts';
import { refKey } from '../../../model/document.ts';
import type { DocumentListing } from '../../../model/ports/control-port.ts';
import { audienceWords } from '../../../model/report/activity-words.ts';
import { mayHelpToShare } from '../../../model/report/explanations.ts';
import { decide } from '../data/ask-daemon.ts';
import { useAnswer } from '../data/use-answer.ts';
import { Ask, Rows, said } from '../parts.tsx';
import type { Shown } from '../parts.tsx';

/** All documents, found by name, with who can see each or why it is not sent. */
export function Documents({ status: { folders, totals } }: Shown) {
  const [search, setSearch] = useState('');
  // What only gets older is no news.
  const counts = folders.map((one) => ({ ...one, oldestUnsyncedSeconds: 0 }));
  const news = JSON.stringify([{ ...totals, requests: 0, bytesSent: 0 }, counts]);
  const path = `api/documents?search=${encodeURIComponent(search)}`;
  const { answer: found } = useAnswer<DocumentListing>(path, { news });
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
        {found !== null && `${numberWords(found.total)} found`}
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
                {folders.every(({ name }) => name !== folder) && ', kept: its folder is no longer configured'}
              </p>
            )}
            {state !== null && <p>{said(capitalized(state))}</p>}
          </>
        )}
      </Rows>
    </>
  );
}

/** Documents that a wider audience is stated for than the service has: a quiet line, and the way out. */
export function Narrower({ count }: { readonly count: number }) {
  const { answer: found } = useAnswer<DocumentListing>('api/documents?narrower=true', { news: count });
  if (found === null) return null;
  const shown = found.documents.flatMap(({ narrower, ...place }) =>
    narrower === null || !mayHelpToShare(narrower.code)
      ? []
      : [{ path: refKey(place), sharing: narrower.sharing }],
  );
  const names = shown.map(({ path, sharing }) => `${printable(path)} (${audienceWords(sharing)})`);
  return (
    <>
      <Rows of={found.documents} total={found.total}>
        {({ narrower }) => narrower !== null && <p>{said(narrower.message)}</p>}
      </Rows>
      {shown.length > 0 && (
        <Ask
          words={`Share ${countWords(shown.length, 'document')} as stated`}
          look="strong"
          act={() => decide('share', { paths: shown.map(({ path }) => path), shown })}
        >
          From now on more people see {names.join(', ')}.
        </Ask>
      )}
    </>
  );
}
