import type { HeldDocument } from './held-documents.ts';
import type { Judge } from './judge.ts';
import type { RoledFile } from './reading.ts';
import { isWider } from './statement.ts';

/** What ingestd itself says at the end. */
export interface Claims {
  /** docId → path, of what it knows to be at the service. */
  readonly known: ReadonlyMap<string, string>;
  /** Paths that a person is told about: failed, held, in doubt. */
  readonly told: ReadonlySet<string>;
  /** Paths that are failed, and why. */
  readonly failed: ReadonlyMap<string, string>;
  /** Documents that the service may hold beside those. */
  readonly duplicates: number;
  /** What waits, with the reason and until when; null: for nothing. */
  readonly waiting: readonly {
    readonly path: string;
    readonly reason: string;
    readonly until: number | null;
  }[];
}

/** After quiet the service is what the folders say, and all else is told. */
export function judgeEnd(judge: Judge, claims: Claims): void {
  const { held } = judge;
  for (const { path, reason, until } of claims.waiting)
    if (until === null && reason === '') judge.report('waits-for-nothing', `${path} waits without a reason`);
  for (const file of judge.reading().files.values())
    if (!claims.told.has(file.path)) judgeFile(judge, claims, file);
  const unknown = held.alive().filter(({ docId }) => !claims.known.has(docId));
  if (unknown.length > claims.duplicates)
    judge.report(
      'doubled',
      `the service holds ${unknown.map(({ docId, path }) => `${docId} (${path})`).join(', ')}; told are ${claims.duplicates}`,
    );
  for (const one of held.alive()) judgeDocument(judge, claims, one);
}

/** A file that may go out is at the service as it is. */
function judgeFile(judge: Judge, claims: Claims, file: RoledFile): void {
  const { path, role, content, identity } = file;
  if (role.kind !== 'document' || role.obstacle !== null || judge.isAttached(file)) return;
  // Both places of a directory that is shown twice cannot be right.
  if (judge.isShownTwice(file)) return;
  const failure = claims.failed.get(path);
  if (failure !== undefined)
    return judge.report(`refused-at-end/${failure}`, `${path} is failed: ${failure}`);
  const wait = claims.waiting.find((one) => one.path === path);
  if (wait !== undefined) return judge.report('waits-at-end', `${path} waits: ${wait.reason}`);
  const one = judge.held.at(path, content.toString());
  if (one === undefined && judge.held.linked.has(identity)) return;
  if (one === undefined)
    return judge.report('missing', `${path} is not at the service, and nobody is told why`);
  if (one.text !== content.toString()) judge.report('old-at-end', `${path}: the service holds ${one.text}`);
  // Links that cannot be told apart get the narrowest of theirs.
  if (judge.held.linked.has(identity)) return;
  const { mode, by } = role.statement;
  const words = `${path} is held as ${one.mode}, stated is ${mode} by ${by}`;
  if (isWider(one.mode, mode)) judge.report('wider-at-end', words);
  if (isWider(mode, one.mode) && by === 'sidecar') judge.report('narrower-at-end', words);
  const { files } = judge.reading();
  const wanted = role.attachments.map((attachment) => files.get(attachment)?.content.toString() ?? '').sort();
  // The last attachment cannot be taken back (contract 7.8).
  if (wanted.length > 0 && wanted.join('\n') !== one.attachments.toSorted().join('\n'))
    judge.report(
      'attachments-at-end',
      `${path} is held with ${one.attachments.join()}, and has ${wanted.join()}`,
    );
}

/** A document that is known has its file. */
function judgeDocument(judge: Judge, { known, told }: Claims, one: HeldDocument): void {
  const place = known.get(one.docId);
  const reading = judge.reading();
  const files = judge.held.filesOf(one, reading);
  const [file] = files;
  // What is out of sight may be anywhere in there.
  const isSomethingHidden = [...reading.files.values()].some(({ isHidden }) => isHidden);
  const isLink = one.identity !== null && judge.held.linked.has(one.identity);
  if (place === undefined || told.has(place) || isSomethingHidden || isLink) return;
  if (file === undefined || files.every(({ role }) => role.kind === 'elsewhere'))
    return judge.report('left-over', `${one.docId} is kept, and ${one.path} is gone`);
  const isIts = files.some(
    ({ path, directory }) => path === place || reading.files.get(place)?.directory === directory,
  );
  if (file.role.kind === 'document' && !isIts)
    judge.report('wrong-file', `${one.docId} is known at ${place}, and its file stands at ${one.path}`);
}
