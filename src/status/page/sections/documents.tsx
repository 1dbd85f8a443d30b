import { useState } from 'preact/hooks';

import { countWords, numberWords } from '../../../lib/text/amounts.ts';
import { printable } from '../../../lib/text/printable.ts';
import { refKey } from '../../../model/document.ts';
import type { DocumentListing } from '../../../model/ports/control-port.ts';
import { audienceWords } from '../../../model/report/activity-words.ts';
import { mayHelpToShare } from '../../../model/report/explanations.ts';
import { decide } from '../data/ask-daemon.ts';
import { useAnswer } from '../data/use-answer.ts';
import { Ask, Fold, Rows, said } from '../parts.tsx';
import type { Shown } from '../parts.tsx';

/** All documents at the service, found by name, and who can see each. */
export function Documents({ status: { folders, totals } }: Shown) {
  const delivered = folders.reduce((sum, { synced }) => sum + synced, 0);
  const { uploaded, modified, deleted, moved } = totals;
  return (
    <Fold title="Documents" words={`${numberWords(delivered)} delivered`}>
      <Found folders={folders} changes={uploaded + modified + deleted + moved} />
    </Fold>
  );
}

/** `changes`: how many there were at the service. */
function Found({ folders, changes }: Pick<Shown['status'], 'folders'> & { readonly changes: number }) {
  const [search, setSearch] = useState('');
  const query = new URLSearchParams({ search });
  const { answer: found } = useAnswer<DocumentListing>(`api/documents?${query.toString()}`, {
    news: changes,
  });
  return (
    <>
      <div role="search">
        <label>
          Find documents
          <input
            type="search"
            maxLength={200}
            autocomplete="off"
            placeholder="folder, directory or name"
            onInput={({ currentTarget }) => setSearch(currentTarget.value)}
          />
        </label>
      </div>
      {found !== null && (
        <>
          <p class="faint" role="status">
            {countWords(found.total, 'document')} found
          </p>
          <Rows of={found.documents} total={found.total}>
            {({ folder, path, sharing, url }) => (
              <>
                {url !== null && (
                  <a href={url} target="_blank" rel="noreferrer" aria-label={`Open ${printable(path)}`}>
                    Open
                  </a>
                )}
                <p class="faint">
                  {audienceWords(sharing)}
                  {folders.every(({ name }) => name !== folder) &&
                    ', kept: its folder is no longer configured'}
                </p>
              </>
            )}
          </Rows>
        </>
      )}
    </>
  );
}

/** Documents that a wider audience is stated for than the service has: a quiet line, and the way out. */
export function Narrower({ status: { folders } }: Shown) {
  const count = folders.reduce((sum, { narrower }) => sum + narrower, 0);
  if (count === 0) return null;
  const title = `${countWords(count, 'document is', 'documents are')} shared less widely than stated now`;
  return (
    <Fold title={title} words="">
      <NarrowerOnes count={count} />
    </Fold>
  );
}

function NarrowerOnes({ count }: { readonly count: number }) {
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
