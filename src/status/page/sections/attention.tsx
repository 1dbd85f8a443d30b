import { sumOf } from '../../../lib/sum-of.ts';
import { printable } from '../../../lib/text/printable.ts';
import { countWords, numberWords } from '../../../lib/text/amounts.ts';
import { refKey } from '../../../model/document.ts';
import type { DocumentRef } from '../../../model/document.ts';
import { explain, groupByCause, mayHelpToRetry } from '../../../model/report/explanations.ts';
import type { Group } from '../../../model/report/explanations.ts';
import {
  copiesWords,
  doubtWords,
  duplicatesApart,
  isAway,
  sortFailures,
} from '../../../model/report/failures.ts';
import type { FailureStatus, HeldStatus, InDoubtStatus } from '../../../model/report/status.ts';
import { decide } from '../data/daemon.ts';
import { Ask, Fold, Part, Rows, said } from '../parts.tsx';
import type { Shown } from '../parts.tsx';

/** Of one cause, at first. */
const fewRows = 3;

const doubtFix =
  'Nobody knows whether these uploads arrived. Check at the service: adopt those that did, send the others again. Dismiss sends nothing.';

/** Everything that needs a person: failures with their fix, held deletions, uploads in doubt, duplicates. */
export function Attention({ status }: Shown) {
  const { held, inDoubt, inDoubtTotal, recordedDuplicates } = status;
  const { failed, failedTotal } = sortFailures(status);
  const duplicates = duplicatesApart(status);
  const unlisted = failedTotal - failed.length;
  return (
    <>
      <Part class="need bad" title="Failed" count={Math.max(failed.length, failedTotal)}>
        {groupByCause(failed).map((group) => (
          <Failed key={group.code} {...group} />
        ))}
        {unlisted > 0 && <p class="faint">and {numberWords(unlisted)} more</p>}
      </Part>
      {held.length > 0 && (
        <Part class="need warn" title="Deletions held">
          {held.map((hold) => (
            <Hold key={hold.folder} {...hold} isLater={isAway(hold, status)} />
          ))}
        </Part>
      )}
      <Part class="need warn card" title="In doubt" count={inDoubtTotal}>
        <Rows
          of={inDoubt}
          words={(doubt) => said(doubtWords(doubt))}
          fix={inDoubt.every(({ isSending }) => isSending) ? '' : doubtFix}
          most={fewRows}
          total={inDoubtTotal}
        >
          {(doubt) => (
            <>
              <p>{said(doubt.count > 1 ? copiesWords(doubt.count) : '', `since ${doubt.since}`)}</p>
              <div class="actions">
                <DoubtActions {...doubt} />
              </div>
            </>
          )}
        </Rows>
      </Part>
      <Part class="need warn card" title="Possible duplicates" count={recordedDuplicates}>
        <Rows
          of={duplicates}
          fix="The service may hold extra copies of these documents, because answers were lost. Delete extra copies there, then dismiss the entry."
          total={duplicates.length + recordedDuplicates - sumOf(duplicates, (one) => one.copies)}
        >
          {(one) => (
            <>
              <Dismiss {...one} />
              <p>{copiesWords(one.copies)}</p>
            </>
          )}
        </Rows>
      </Part>
    </>
  );
}

/** What failed for one cause. */
function Failed({ code, items }: Group<FailureStatus>) {
  const { cause, fix, endsElsewhere } = explain(code);
  const helps = mayHelpToRetry(code);
  const byItself = helps || endsElsewhere === true ? '' : ' When that is fixed, it is sent by itself.';
  const words = items.length === 1 ? 'Retry' : `Retry all ${numberWords(items.length)}`;
  const action = helps && (
    <button aria-label={`${words}: ${cause}`} onClick={() => decide('retry', { paths: items.map(refKey) })}>
      {words}
    </button>
  );
  return (
    <Part class="card" title={cause} action={action}>
      <Rows of={items} words={({ message }) => said(message)} fix={fix + byItself} most={fewRows} />
    </Part>
  );
}

function Hold({ folder, count, since, reason, paths, isLater }: HeldStatus & { readonly isLater: boolean }) {
  const keep = <Keep place={folder} />;
  // Unless others are held by then than were shown.
  const shown = { folder, most: count, paths: paths.map((path) => refKey({ folder, path })) };
  return (
    <Part class="card" title={`${countWords(count, 'file')} missing from ${printable(folder)}`}>
      <p>{said(reason, `held since ${since}`)}</p>
      <p class="faint">
        If this was a mistake, put the files back: nothing is deleted at the service until you decide
        {isLater ? ', which you can when the folder is available again.' : '.'}
      </p>
      {!isLater && (
        <div class="actions">
          {keep}
          <Ask
            words={`Delete ${countWords(count, 'document')}`}
            look="danger"
            instead={keep}
            act={() => decide('approve', shown)}
          >
            They are deleted at the service. That cannot be undone.
          </Ask>
        </div>
      )}
      <Fold title={count === 1 ? 'Show the file' : 'Show the files'}>
        <Rows of={paths.map((path) => ({ folder, path }))} total={count} />
      </Fold>
    </Part>
  );
}

/** Of a file that is gone, or all of a folder whose deletion is held. */
export function Keep({ place }: { readonly place: string }) {
  return <button onClick={() => decide('keep', { place })}>Keep at the service</button>;
}

/** What ends the doubt: in its row, and among what can be done about its file. */
export function DoubtActions(doubt: InDoubtStatus) {
  const path = refKey(doubt);
  const adopt = (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    const docId = new FormData(event.currentTarget).get('docId');
    if (typeof docId === 'string') decide('resolve', { path, action: 'adopt', docId: docId.trim() });
  };
  if (doubt.isSending === true) return null;
  return (
    <>
      <Ask
        words="Send again"
        name={`Send again: ${printable(doubt.path)}`}
        look="strong"
        act={() => decide('resolve', { path, action: 'again' })}
      >
        This uploads the document once more. Look at the service first: if the first upload arrived, it then
        has two copies, and ingestd does not count them.
      </Ask>
      <Dismiss {...doubt} />
      <Fold title="It is at the service…">
        <form onSubmit={adopt}>
          <label>
            Document id <input name="docId" required maxLength={1024} autocomplete="off" />
          </label>
          <button>Adopt it</button>
        </form>
      </Fold>
    </>
  );
}

function Dismiss(place: DocumentRef) {
  return (
    <button
      aria-label={`Dismiss ${printable(place.path)}`}
      onClick={() => decide('resolve', { path: refKey(place), action: 'dismiss' })}
    >
      Dismiss
    </button>
  );
}
