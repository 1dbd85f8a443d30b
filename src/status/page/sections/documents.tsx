import { useState } from 'preact/hooks';

import { countWords, numberWords } from '../../../lib/text/amounts.ts';
import { printable } from '../../../lib/text/printable.ts';
import { capitalized } from '../../../lib/text/sentences.ts';
import { refKey } from '../../../model/document.ts';
import type { DocumentListing } from '../../../model/ports/control-port.ts';
import { audienceWords } from '../../../model/report/activity-words.ts';
import { mayHelpToShare } from '../../../model/report/explanations.ts';
import { decide, useAnswer } from '../data/daemon.ts';
import { Ask, Rows, said } from '../parts.tsx';
import type { Shown } from '../parts.tsx';

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
  const documents = (found?.documents ?? []).flatMap(({ narrower, ...place }) =>
    narrower === null ? [] : [{ ...narrower, ...place, sharing: narrower.sharing }],
  );
  const shown = documents
    .filter(({ code }) => mayHelpToShare(code))
    .map((one) => ({ path: refKey(one), sharing: one.sharing }));
  const names = shown.map(({ path, sharing }) => `${printable(path)} (${audienceWords(sharing)})`);
  return (
    <>
      <Rows of={documents} words={({ message }) => said(message)} total={count} />
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
