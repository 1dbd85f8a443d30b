import { useRef, useState } from 'preact/hooks';

import { countWords, numberWords } from '../../../lib/text/amounts.ts';
import { printable } from '../../../lib/text/printable.ts';
import { refKey } from '../../../model/document.ts';
import type { DocumentListing } from '../../../model/ports/control-port.ts';
import { audienceWords } from '../../../model/report/activity-words.ts';
import type { StatusAnswer } from '../../server/status-snapshot.ts';
import { share } from '../data/ask-daemon.ts';
import { useAnswer } from '../data/use-answer.ts';
import { Ask, FoldedPanel, PathText, said } from '../parts.tsx';

/** After the last letter. */
const typingMs = 250;

/** All documents at the service, found by name, and who can see each. */
export function Documents({ status }: { readonly status: StatusAnswer }) {
  const delivered = status.folders.reduce((sum, { synced }) => sum + synced, 0);
  return (
    <FoldedPanel title="Documents" words={`${numberWords(delivered)} delivered`}>
      <Found />
    </FoldedPanel>
  );
}

function Found() {
  const [search, setSearch] = useState('');
  const typing = useRef<ReturnType<typeof setTimeout>>(undefined);
  const query = new URLSearchParams({ search });
  const { answer: found } = useAnswer<DocumentListing>(`api/documents?${query.toString()}`);
  const type = (words: string) => {
    clearTimeout(typing.current);
    typing.current = setTimeout(() => setSearch(words), typingMs);
  };
  return (
    <>
      <div class="search" role="search">
        <label>
          Find documents
          <input
            type="search"
            maxLength={200}
            autocomplete="off"
            placeholder="folder, directory or name"
            onInput={({ currentTarget }) => type(currentTarget.value)}
          />
        </label>
      </div>
      {found !== null && (
        <>
          <ul class="rows">
            {found.documents.map(({ folder, path, sharing, url }) => (
              <li key={refKey({ folder, path })}>
                <PathText folder={folder} path={path} />
                {url !== null && (
                  <a href={url} target="_blank" rel="noreferrer" aria-label={`Open ${printable(path)}`}>
                    Open
                  </a>
                )}
                <p class="faint">{audienceWords(sharing)}</p>
              </li>
            ))}
          </ul>
          <p class="faint" role="status">
            {listedWords(found)}
          </p>
        </>
      )}
    </>
  );
}

function listedWords({ documents, total }: DocumentListing): string {
  if (total === 0) return 'Nothing found.';
  if (total === documents.length) return `${countWords(total, 'document')}.`;
  return `The first ${numberWords(documents.length)} of ${numberWords(total)} are listed. Search for a name to see others.`;
}

/** Documents that a wider audience is stated for than the service has: a quiet line, and the way out. */
export function Narrower({ status }: { readonly status: StatusAnswer }) {
  const count = status.folders.reduce((sum, { narrower }) => sum + narrower, 0);
  if (count === 0) return null;
  const words = `${countWords(count, 'document is', 'documents are')} shared less widely than stated now`;
  return (
    <FoldedPanel title={words}>
      <NarrowerOnes key={count} />
    </FoldedPanel>
  );
}

function NarrowerOnes() {
  const { answer: found } = useAnswer<DocumentListing>('api/documents?narrower=true');
  if (found === null) return null;
  const shown = found.documents.flatMap(({ narrower, ...ref }) =>
    narrower === null ? [] : [{ path: refKey(ref), sharing: narrower.sharing }],
  );
  const names = shown.map(({ path, sharing }) => (
    <li key={path}>
      <bdi>{printable(path)}</bdi>: {audienceWords(sharing)}
    </li>
  ));
  const documents = countWords(shown.length, 'document');
  return (
    <>
      <ul class="rows">
        {found.documents.map(({ folder, path, narrower }) => (
          <li key={refKey({ folder, path })}>
            <PathText folder={folder} path={path} />
            {narrower !== null && (
              <p>
                {said(narrower.message)} Stated now: {audienceWords(narrower.sharing)}.
              </p>
            )}
          </li>
        ))}
      </ul>
      <p class="faint">{listedWords(found)}</p>
      <div class="head">
        <Ask
          opener="Share as stated…"
          label="Confirm sharing as stated"
          look="strong"
          question={
            <>
              <p>From now on these are seen by more people:</p>
              <ul class="names" tabIndex={0} aria-label="To be shared">
                {names}
              </ul>
            </>
          }
          confirm={`Share ${documents}`}
          act={() => share(shown)}
        />
      </div>
    </>
  );
}
