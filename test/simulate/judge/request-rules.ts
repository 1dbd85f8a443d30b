import type { ServiceRequest } from '../service/service.ts';
import { modeOf } from './held-documents.ts';
import type { HeldDocument, HeldDocuments } from './held-documents.ts';
import { directoryOf, nameOf } from './reading.ts';
import type { Reading, RoledFile } from './reading.ts';
import { isWider } from './statement.ts';
import type { ShareMode, Statement } from './statement.ts';

/** What is wrong with a request as the disk is at one moment: kinds, each with its words. */
export type Problems = ReadonlyMap<string, string>;

/** What the author means by texts whose companions are not there yet. */
export interface LiveIntent {
  readonly texts: ReadonlySet<string>;
  readonly mode: ShareMode | null;
  readonly isAttachment: boolean;
}

export interface Evidence {
  readonly reading: Reading;
  readonly held: HeldDocuments;
  readonly intents: readonly LiveIntent[];
  /** Attachments by what their owners' lists said before, whatever became of their names. */
  readonly attached: ReadonlyMap<object, string>;
  /** Deletions of what is out of sight that a person has approved. */
  readonly approved: ReadonlySet<string>;
}

/** The rules for one request and one moment. */
export function problemsOf(request: ServiceRequest, evidence: Evidence): Problems {
  const problems = new Map<string, string>();
  const add = (kind: string, words: string) => problems.set(kind, words);
  if (request.kind === 'delete') for (const docId of request.docIds) deletionOf(docId, evidence, add);
  if (request.kind === 'upload') uploadOf(request, evidence, add);
  if (request.kind === 'modify')
    for (const docId of request.docIds) modifyOf(request, evidence.held.all.get(docId), evidence, add);
  return problems;
}

type Add = (kind: string, words: string) => unknown;

/** The file that an upload is of; of several with its text, one that the service does not hold yet. */
export function fileOf({ file }: ServiceRequest, reading: Reading, held: HeldDocuments): RoledFile | null {
  const holders = [...reading.files.values()].filter(
    ({ content }) => file !== null && content.toString() === file.text,
  );
  const named = holders.filter(({ path }) => path.endsWith(`/${file?.name}`));
  const isHeld = new Set(held.alive().map(({ path }) => path));
  const [best] = (named.length > 0 ? named : holders)
    .map((holder) => ({
      holder,
      rank:
        (isHeld.has(holder.path) ? 2 : 0) +
        (holder.role.kind === 'document' && holder.role.obstacle === null ? 0 : 1),
    }))
    .toSorted((one, other) => one.rank - other.rank);
  return best?.holder ?? null;
}

/** Nothing standing is deleted (contract 4 and 7.25). */
function deletionOf(docId: string, { reading, held, approved }: Evidence, add: Add): void {
  const one = held.all.get(docId);
  if (one === undefined || one.isDeleted) return;
  const own = one.identity === null || held.linked.has(one.identity) ? [] : reading.pathsOf(one.identity);
  const standing = [...held.filesOf(one, reading), ...own.map((path) => reading.files.get(path))];
  for (const file of standing) {
    if (file === undefined || file.role.kind === 'elsewhere' || file.role.kind === 'attachment') continue;
    const other = held.alive().find((own) => own !== one && own.path === file.path);
    if (other !== undefined && other.identity === file.identity) continue;
    if (file.isHidden && approved.has(docId)) continue;
    add(
      'deleted-standing',
      `${docId} is deleted, and its file stands at ${file.path}${file.isHidden ? ', out of sight' : ''}`,
    );
  }
}

function uploadOf(request: ServiceRequest, evidence: Evidence, add: Add): void {
  const { reading, held, intents, attached } = evidence;
  const text = request.file?.text ?? '';
  const file = fileOf(request, reading, held);
  const mode = modeOf(request) ?? 'DEFAULT';
  for (const intent of intents) {
    if (!intent.texts.has(text)) continue;
    if (intent.isAttachment) add('attachment-alone', `${file?.path} is meant as an attachment`);
    if (intent.mode !== null && isWider(mode, intent.mode))
      add('wider-than-meant', `${file?.path} goes out with ${mode}, and is meant as ${intent.mode}`);
  }
  if (file === null) return void add('not-there', `${request.file?.name}: no file holds what is sent`);
  const owner = attached.get(file.identity);
  const isLink = reading.pathsOf(file.identity).length > 1;
  if (owner !== undefined && file.role.kind !== 'attachment' && !isLink)
    add('attachment-alone', `${file.path} is sent alone, and is an attachment of ${owner}`);
  contentOf(request, file, mode, add);
  const double = held.alive().find((one) => one.answer !== 'none' && isSamePlace(one, file, evidence));
  if (double !== undefined)
    add(doubledKind(double, file), `${file.path} is uploaded, and the service holds it as ${double.docId}`);
}

function doubledKind({ answer, path }: HeldDocument, file: RoledFile): string {
  if (answer === 'unusable') return 'doubled/no-doc-id';
  return path.split('/')[0] === file.path.split('/')[0] ? 'doubled' : 'doubled/two-folders';
}

/** One place, one file, or one directory shown at two places: not two links of a file. */
function isSamePlace(one: HeldDocument, file: RoledFile, { reading, held }: Evidence): boolean {
  // A rotation: the document may be of what stands in its place.
  if (one.former.some((path) => reading.files.has(path))) return false;
  const other = reading.files.get(one.path);
  if (held.linked.has(file.identity))
    return other?.directory === file.directory && nameOf(one.path) === nameOf(file.path);
  return (
    one.path === file.path ||
    (one.identity === file.identity && (other === undefined || other.directory === file.directory))
  );
}

function modifyOf(
  request: ServiceRequest,
  one: HeldDocument | undefined,
  evidence: Evidence,
  add: Add,
): void {
  if (one === undefined) return;
  const { held, reading } = evidence;
  // After a swap both are its own: its file, and what stands in its place.
  const places = [one.path, ...one.former]
    .map((path) => reading.files.get(path))
    .filter((file) => file !== undefined);
  const sent = places.filter(({ content }) => content.toString() === request.file?.text);
  const files = [...held.filesOf(one, reading), ...sent];
  if (files.length === 0 && one.identity !== null && held.linked.has(one.identity)) return;
  if (files.length === 0) return void add('not-there', `${one.docId} is changed, and ${one.path} is gone`);
  // Where a rotation leaves two files to choose from, it is wrong if it is so for both.
  const found = files.map((file) => {
    const problems = new Map<string, string>();
    modifyOfFile(request, one, file, (kind, words) => problems.set(kind, words));
    return problems;
  });
  for (const [kind, words] of found[0] ?? [])
    if (found.every((problems) => problems.has(kind))) add(kind, words);
}

function modifyOfFile(request: ServiceRequest, one: HeldDocument, file: RoledFile, add: Add): void {
  const asked = modeOf(request);
  contentOf(request, file, asked ?? one.mode, add);
  if (file.role.kind !== 'document' || asked === null || !isWider(asked, one.mode)) return;
  if (!mayWiden(one, file.role.statement))
    add(
      'widened-by-absence',
      `${file.path} goes from ${one.mode}, stated by ${one.statement.by} ${one.statement.place}, to ${asked}, stated by ${file.role.statement.by} ${file.role.statement.place}`,
    );
}

/** Contract 7.27. */
function mayWiden({ statement: before, path }: HeldDocument, now: Statement): boolean {
  if (now.by === 'sidecar') return true;
  if (before.by === 'sidecar' || now.by === 'nobody') return false;
  if (before.by === 'nobody') return true;
  const isWithin = now.place === before.place || now.place.startsWith(`${before.place}/`);
  return isWithin || !`${directoryOf(path)}/`.startsWith(`${before.place}/`);
}

/** What goes out of a file, as it may. */
function contentOf(
  request: ServiceRequest,
  { path, role, content }: RoledFile,
  mode: ShareMode,
  add: Add,
): void {
  if (role.kind === 'attachment')
    return void add('attachment-alone', `${path} is sent alone, and is an attachment of ${role.owner}`);
  if (role.kind !== 'document')
    return void add(`unfit-sent/${role.kind}`, `${path} is sent, and is ${role.kind}`);
  if (role.obstacle !== null)
    add(`unready-sent/${role.obstacle.kind}`, `${path} is sent, and ${role.obstacle.words}`);
  if (isWider(mode, role.statement.mode))
    add(
      'wider',
      `${path} goes out with ${mode}; stated is ${role.statement.mode} by ${role.statement.by} ${role.statement.place}`,
    );
  if (request.file !== null && request.file.text !== content.toString())
    add('old-content', `${path} is sent as it was before`);
}
