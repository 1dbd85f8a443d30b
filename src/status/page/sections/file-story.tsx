import type { ComponentChildren } from 'preact';

import { countWords } from '../../../lib/text/amounts.ts';
import { printable } from '../../../lib/text/printable.ts';
import { refKey } from '../../../model/document.ts';
import { activityWords, audienceWords } from '../../../model/report/activity-words.ts';
import type { Why } from '../../../model/report/command-reports.ts';
import type { Activity } from '../../../model/report/status.ts';
import type { StatusAnswer } from '../../server/status-snapshot.ts';
import { keep, retry, share } from '../data/ask-daemon.ts';
import { useAnswer } from '../data/use-answer.ts';
import { clockWords, momentWords, recentWords } from '../data/time-words.ts';
import { Button, Dialog, Fold, said, Time } from '../parts.tsx';

interface StoryProps {
  readonly folder: string;
  readonly path: string;
  readonly status: StatusAnswer;
  /** What happened last, newest first. */
  readonly recent: readonly Activity[];
  readonly onClose: () => void;
}

/** The whole story of one file, as `ingestd why` tells it; told anew when something happens to the file. */
export function FileStory({ folder, path, status, recent, onClose }: StoryProps) {
  const key = refKey({ folder, path });
  const news = recent.find((one) => refKey(one) === key);
  const { answer: why, problem } = useAnswer<Why>(`api/why?path=${encodeURIComponent(key)}`, { news });
  return (
    <Dialog title={printable(key)} onClose={onClose}>
      {problem !== null && <p>{printable(problem)}</p>}
      {why !== null && (
        <>
          <Words why={why} />
          <Actions why={why} status={status} />
          <Facts why={why} />
          <Details why={why} />
        </>
      )}
    </Dialog>
  );
}

/** What there is to know first. */
function Words({ why }: { readonly why: Why }) {
  const { verdict, fix, next, nextAt, notes } = why;
  const standing = standingOf(why);
  return (
    <>
      {standing !== null && (
        <p>
          <strong>{standing}</strong>
        </p>
      )}
      {(standing === null || verdict.kind !== 'document') && <p>{said(verdict.message)}</p>}
      {fix !== null && <p class="faint">{fix}</p>}
      {notes.map((note) => (
        <p key={note}>{said(note)}</p>
      ))}
      <p>
        Next: {printable(next)}
        {nextAt !== null && ` (${clockWords(nextAt)})`}
      </p>
    </>
  );
}

/** What the service has; null: nothing. */
function standingOf(why: Why): string | null {
  const { docId, deletedAt, imported, metadata } = why;
  if (deletedAt !== null) return `Deleted ${recentWords(deletedAt)}`;
  if (docId === null) return null;
  const at = why.modifiedAt ?? why.uploadedAt;
  const what = imported && why.modifiedAt === null ? 'Imported' : 'Delivered';
  const mode = metadata?.shareInfo?.mode ?? null;
  return `${what}${at === null ? '' : ` ${recentWords(at)}`}, ${audienceWords(mode)}`;
}

/** What a person can do about this file. */
function Actions({ why, status }: { readonly why: Why; readonly status: StatusAnswer }) {
  const folder = why.folder ?? '';
  const { path, narrower, docId } = why;
  const key = refKey({ folder, path });
  const hasFailed = status.failures.some((one) => refKey(one) === key);
  const isHeld = status.held.some((one) => one.folder === folder && one.paths.includes(path));
  const isFile = ['document', 'settling', 'waiting', 'unfit', 'skipped'].includes(why.verdict.kind);
  return (
    <div class="actions">
      {hasFailed && <Button act={() => retry([key])}>Retry</Button>}
      {isHeld && <Button act={() => keep(key)}>Keep at the service</Button>}
      {narrower !== null && docId !== null && (
        <Button act={() => share([{ path: key, sharing: narrower.sharing }])}>
          Share as stated: {audienceWords(narrower.sharing)}
        </Button>
      )}
      {isFile && (
        <Fold title="Ignore this file…">
          <p>
            Add this line to the file .ingestignore in the folder {printable(folder)}
            {docId !== null && '; its document then stays at the service as it is'}:
          </p>
          <code class="line">{`/${printable(path).replaceAll(/[[\]*?!#\\ ]/g, String.raw`\$&`)}`}</code>
        </Fold>
      )}
    </div>
  );
}

/** What of it is in plain words. */
function Facts({ why }: { readonly why: Why }) {
  const { metadata, sources, sentAs, attachments, possibleDuplicates, decisions } = why;
  const plain = Object.entries(metadata ?? {}).flatMap(([field, value]) =>
    typeof value === 'string' ? [{ field, value }] : [],
  );
  return (
    <dl>
      {plain.map(({ field, value }) => (
        <Fact key={field} name={field} source={sources[field]}>
          {printable(value)}
        </Fact>
      ))}
      {sentAs !== null && <Fact name="Sent as">{printable(sentAs)}</Fact>}
      {attachments.length > 0 && <Fact name="Attachments">{attachments.map(printable).join(', ')}</Fact>}
      {possibleDuplicates > 0 && (
        <Fact name="Possible duplicates">{countWords(possibleDuplicates, 'extra copy', 'extra copies')}</Fact>
      )}
      {decisions.toReversed().map((one) => (
        <Fact key={one.at} name={momentWords(one.at)}>
          {printable(`${one.what}: ${activityWords(one) ?? ''}`)}
        </Fact>
      ))}
    </dl>
  );
}

interface FactProps {
  readonly name: string;
  readonly source?: string | undefined;
  readonly children: ComponentChildren;
}

function Fact({ name, source, children }: FactProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <bdi>{children}</bdi>
        {source !== undefined && <span class="faint"> (from {printable(source)})</span>}
      </dd>
    </div>
  );
}

/** For those who look closer: identifiers, metadata as it is sent, and each attempt. */
function Details({ why }: { readonly why: Why }) {
  const { docId, sha256, sidecar, uploadedAt, modifiedAt, metadata, sources, attempts } = why;
  const structured = Object.entries(metadata ?? {}).filter(([, value]) => typeof value !== 'string');
  const facts = [
    { name: 'Document id', value: docId },
    { name: why.imported ? 'Imported' : 'Uploaded', value: uploadedAt },
    { name: 'Modified', value: modifiedAt },
    { name: 'Sidecar', value: sidecar },
    { name: 'SHA-256', value: sha256 },
    ...structured.map(([name, value]) => ({ name, value: JSON.stringify(value) })),
  ];
  return (
    <Fold title={attempts.length === 0 ? 'Details' : `Details and ${countWords(attempts.length, 'attempt')}`}>
      <dl>
        {facts.map(
          ({ name, value }) =>
            value !== null &&
            value !== '' && (
              <Fact key={name} name={name} source={sources[name]}>
                <code>{printable(value)}</code>
              </Fact>
            ),
        )}
      </dl>
      <ol class="rows">
        {attempts.toReversed().map(({ at, operation, code, message }) => (
          <li key={`${at} ${operation}`}>
            <Time at={at} />
            <p>
              {printable(`${operation}: ${message}`)} <code class="faint">{printable(code)}</code>
            </p>
          </li>
        ))}
      </ol>
    </Fold>
  );
}
