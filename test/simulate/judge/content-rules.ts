import type { ServiceRequest } from '../service/service.ts';
import { keyOf, modeOf } from './held-documents.ts';
import type { HeldDocument } from './held-documents.ts';
import type { Add, Moment } from './moment.ts';
import type { Kind } from './promises.ts';
import { directoryOf, nameOf } from './reading.ts';
import type { Reading, RoledFile } from './reading.ts';
import { isWider, widensByAbsence } from './statement.ts';
import type { Holding, ShareMode, Statement } from './statement.ts';
import { stillSent } from './taints.ts';

/** A document that goes out, or a change of one, as it would be of one file. */
interface Sending {
  readonly request: ServiceRequest;
  readonly moment: Moment;
  readonly file: RoledFile;
  /** What is changed; null: it is an upload. */
  readonly document: HeldDocument | null;
  /** With whom it is shared then. */
  readonly mode: ShareMode;
  /** What its companions state; null: it is no document. */
  readonly statement: Statement | null;
}

/** The files that an upload may be of. */
export function uploadedFiles({ file }: ServiceRequest, { reading }: Moment): readonly RoledFile[] {
  const name = file?.name.normalize('NFC');
  return reading.all().filter(({ path, text }) => nameOf(path) === name && text === file?.text);
}

/** The files that a change may be of: those with its content, else all that the document may be of. */
export function changedFiles(
  request: ServiceRequest,
  one: HeldDocument,
  { reading, held }: Moment,
): readonly RoledFile[] {
  const { file } = request;
  const may = held.mayFilesOf(one, reading);
  const same = may.filter(({ text }) => text === file?.text);
  return same.length > 0 ? same : may;
}

function isModeAlone({ file, attachments, metadata }: ServiceRequest): boolean {
  return file === null && attachments === null && Object.keys(metadata ?? {}).join() === 'shareInfo';
}

/** What is wrong with an upload or a change of one document. Where it may be of several files, it is wrong if it is so for each. */
export function judgeContent(
  request: ServiceRequest,
  document: HeldDocument | null,
  moment: Moment,
  add: Add,
): void {
  const files = document === null ? uploadedFiles(request, moment) : changedFiles(request, document, moment);
  if (files.length === 0) {
    const name = document === null ? request.file?.name : document.holding.path;
    const isMovedOver = moment.held
      .alive()
      .some((one) => one !== document && one.may.some(({ path }) => path === document?.holding.path));
    // What stood in its place for a moment is another document's, as only its number tells.
    const isByNumber = uploadedFiles(request, moment).some(({ identity, text }) =>
      moment.held.alive().some((one) => one.accepted === identity && one.text !== text),
    );
    const how = isMovedOver ? '/moved-over' : isByNumber ? '/by-identity' : '';
    add(`not-there${how}`, `${name}: no file that it could be of is there`);
    for (const [kind, words] of intentProblems(request, moment, name ?? '')) add(kind, words);
    return;
  }
  const problemsOf = (file: RoledFile) => {
    const problems = new Map<Kind, string>();
    const { role } = file;
    const statement = 'statement' in role ? role.statement : null;
    const mode = modeOf(request) ?? document?.holding.mode ?? 'DEFAULT';
    const sending: Sending = { request, moment, file, document, mode, statement };
    for (const rule of contentRules) rule(sending, (kind, words) => problems.set(kind, words));
    return problems;
  };
  const found = files.map(problemsOf);
  const ofCopies = moment.reading
    .all()
    .filter((file) => file.text === document?.text && !files.includes(file))
    .map(problemsOf);
  // Whose file is seen where it was last, that is it.
  const isSeen = ({ path, isHidden }: RoledFile) =>
    document?.may.every((at) => at.path === path) === true && !isHidden;
  for (const [kind, words] of found[0] ?? []) {
    if (!found.every((problems) => problems.has(kind))) continue;
    // Taken for its file, a copy that can be seen would be right.
    const isOfCopy = !files.some(isSeen) && ofCopies.some((problems) => !problems.has(kind));
    add(isOfCopy ? `${kind}/copy` : kind, words);
  }
}

type Rule = (sending: Sending, add: Add) => void;

/** What the author meant by a text, whatever is there by now to say so. */
function intentProblems(
  request: ServiceRequest,
  { intents }: Moment,
  path: string,
): readonly [Kind, string][] {
  const problems: [Kind, string][] = [];
  const text = request.file?.text ?? '';
  const mode = modeOf(request) ?? 'DEFAULT';
  for (const intent of intents) {
    if (request.kind !== 'upload' || !intent.texts.has(text)) continue;
    if (isWider(mode, intent.mode))
      problems.push(['wider-than-meant', `${path} goes out with ${mode}, and is meant as ${intent.mode}`]);
  }
  return problems;
}

/** Contract 7.28, and why it is promised. */
const noWiderThanMeant: Rule = ({ request, moment, file }, add) => {
  for (const [kind, words] of intentProblems(request, moment, file.path)) add(kind, words);
};

/** A narrower mode goes out whatever the content does (contract 7.27), and nothing else with it. */
function isNarrowing(
  request: ServiceRequest,
  document: HeldDocument | null,
  role: RoledFile['role'],
): boolean {
  const mode = modeOf(request);
  if (document === null || mode === null || !isModeAlone(request)) return false;
  const held = [document.holding, ...document.perhaps];
  return 'isStated' in role && role.isStated && held.some((one) => isWider(one.mode, mode));
}

/** Contract, section 4: what is a document. */
const onlyDocuments: Rule = ({ request, document, file: { path, role } }, add) => {
  if (isNarrowing(request, document, role)) return;
  if (role.kind !== 'document' && role.kind !== 'attachment')
    add(`unfit-sent/${role.kind}`, `${path} is sent, and is ${role.kind}`);
};

/** Contract, section 4: no attachment alone, for as long as it stays one. */
const noAttachmentAlone: Rule = ({ request, moment, document, file }, add) => {
  const { path, role, identity } = file;
  const isLink = moment.reading.pathsOf(identity).length > 1;
  const taint = moment.taintOf(identity);
  const stands = role.kind === 'attachment' && !taint.isLate;
  const owner = stands ? role.owner : isLink || taint.isOpen || taint.isLate ? null : taint.owner;
  // What came to its owner's own place is that document's content by now, wherever it goes with that.
  const isContent = owner === path || (document !== null && taint.sentWith.includes(document.docId));
  if (owner === null || isContent || (request.kind !== 'upload' && request.file === null)) return;
  const isAsItWas = role.kind === 'attachment' || taint.holdings.some((one) => isTold(one, file));
  const isListedBeside = directoryOf(owner) === directoryOf(path);
  const where = role.kind === 'attachment' && !isListedBeside ? '/listed-elsewhere' : '';
  add(
    isAsItWas ? `attachment-alone${where}` : 'attachment-alone/by-identity',
    `${path} is sent alone, and is an attachment of ${owner}`,
  );
};

/** Contract, sections 4, 7.10, 7.29 and 7.35: it waits for what says what it is. */
const onlyWhenReady: Rule = ({ request, document, file: { path, role } }, add) => {
  if (role.kind !== 'document' || role.obstacle === null || isNarrowing(request, document, role)) return;
  const { kind, words, isForNew, isOpen } = role.obstacle;
  if (isOpen === true || (document !== null && isForNew === true)) return;
  add(`unready-sent/${kind}`, `${path} is sent, and ${words}`);
};

/** Contract 7.27: a narrower mode always goes out. */
const noWiderThanStated: Rule = ({ file, mode, statement }, add) => {
  if (statement !== null && isWider(mode, statement.mode))
    add(
      'wider',
      `${file.path} goes out with ${mode}; stated is ${statement.mode} by ${statement.by} ${statement.place}`,
    );
};

/** Contract 7.27: sharing never widens by absence. */
const noWiderByAbsence: Rule = ({ request, document, file, statement }, add) => {
  const asked = modeOf(request);
  if (statement === null || document === null || asked === null || isSharedSo(document, asked)) return;
  const { holding } = document;
  // Wherever it was last accepted, whatever of it that was, and where what is held was stated once more.
  const accepted = document.perhaps.filter((one) =>
    [one.statement, one.restates].includes(holding.statement),
  );
  if ([holding, ...accepted].every((one) => widensByAbsence(asked, one, statement)))
    add(
      'widened-by-absence',
      `${file.path} goes from ${holding.mode}, stated by ${holding.statement.by} ${holding.statement.place}, to ${asked}, stated by ${statement.by} ${statement.place}`,
    );
};

/** Contract 7.27: the mode goes with the file; what was an attachment, or private and not sent, counts as held so. */
const noWiderThanItsFile: Rule = ({ request, moment, document, file, mode, statement }, add) => {
  const isSent = request.file !== null || modeOf(request) !== null;
  if (statement === null || !isSent || isSharedSo(document, mode)) return;
  // What the service holds as another name of a private file is shared as widely already: a narrower mode always goes out.
  if (isNarrowing(request, document, file.role)) return;
  const holdings = [
    ...moment.held.holdingsOf(file.identity, document),
    ...moment.taintOf(file.identity).holdings,
  ];
  const found = holdings.filter((holding) => widensByAbsence(mode, holding, statement));
  const wider = found.find((holding) => isTold(holding, file)) ?? found[0];
  if (wider !== undefined)
    add(
      isTold(wider, file) ? 'wider-than-its-file' : 'wider-than-its-file/by-identity',
      `${file.path} goes out with ${mode}, stated by ${statement.by} ${statement.place}; its file counts as ${wider.mode} since ${wider.path}`,
    );
};

/** Whether a person lets it be shared as widely, or more widely. */
function isSharedSo(document: HeldDocument | null, mode: ShareMode): boolean {
  const shared = document?.shared ?? null;
  return shared !== null && !isWider(mode, shared);
}

/** Of what was renamed and edited only its number tells which file it is (contract 7.19). */
function isTold({ path, text }: Holding, file: RoledFile): boolean {
  return path === file.path || text === undefined || text === file.text;
}

/** Contract 7.27: no mode widens over attachments that cannot be taken back. */
const noWiderOverAttachments: Rule = ({ request, document, file: { path, role } }, add) => {
  const asked = modeOf(request);
  if (
    document === null ||
    asked === null ||
    role.kind !== 'document' ||
    role.obstacle?.isOpen === true ||
    !isWider(asked, document.holding.mode)
  )
    return;
  const listed = role.attachments.map(nameOf);
  const shown = (request.attachments ?? document.attachments).find(
    ({ name }) => !listed.includes(name.normalize('NFC')),
  );
  if (shown !== undefined)
    add(
      'widened-over-attachments',
      `${path} goes to ${asked}, and is held with ${shown.name}, which is not listed`,
    );
};

/** Never old content over new, and every docId with its file. */
const onlyItsContent: Rule = ({ request, moment, document, file }, add) => {
  const text = request.file?.text;
  if (document === null || text === undefined || text === file.text) return;
  const other = moment.reading.all().find((one) => one.text === text && one.role.kind === 'document');
  // Of two names that are one either may stand (contract 7.3).
  if (other?.path === file.path) return;
  if (other === undefined) add('old-content', `${file.path} is sent as it was before`);
  else {
    const isNameRight = other.path === document.holding.path;
    const isAnothers = moment.held.alive().some((one) => one !== document && one.accepted === other.identity);
    const how = isAnothers ? '/swapped' : '/by-identity';
    add(
      `wrong-file${isNameRight ? how : ''}`,
      `${document.docId} is of ${file.path}, and gets what stands at ${other.path}`,
    );
  }
};

/** Contract, section 4: what goes out with a document is what is listed, whole (7.8). */
const onlyItsAttachments: Rule = ({ request, moment, document, file }, add) => {
  const { path, role } = file;
  if (role.kind !== 'document' || role.obstacle !== null) return;
  const isSent = request.attachments !== null || (request.kind === 'upload' && role.attachments.length > 0);
  if (!isSent) return;
  const { files } = moment.reading;
  const wanted = role.attachments.map((one) => files.get(one)?.text ?? '').toSorted();
  const still = stillSent(moment.reading, file, { docId: document?.docId, taintOf: moment.glimpseOf });
  const isMore = (text: string) => still.has(text) && !wanted.includes(text);
  const texts = (request.attachments ?? []).map(({ text }) => text);
  const sent = texts.filter((text) => !isMore(text)).toSorted();
  if (wanted.join('\n') !== sent.join('\n'))
    add('wrong-attachments', `${path} is sent with [${sent.join()}], and has [${wanted.join()}]`);
};

/** Nothing doubled: what ingestd knows to be at the service is not uploaded (7.1, 7.25, 7.32). */
const nothingDoubled: Rule = ({ document, moment: { held, reading }, file }, add) => {
  if (document !== null) return;
  const known = held.alive().filter((one) => one.answer !== 'none' && held.isKnownFile(one, file, reading));
  const files = new Set(known.flatMap((one) => held.filesOf(one, reading).filter(isListed).map(keyOf)));
  if (known.length === 0 || known.length < files.size) return;
  add(
    doubledKind(known, file, { reading, files: files.size }),
    `${file.path} is uploaded, and the service holds it as ${known.map(({ docId }) => docId).join()}`,
  );
};

/** What is special about an upload of what the service holds, of which so many files stand. */
function doubledKind(
  known: readonly HeldDocument[],
  file: RoledFile,
  { reading, files }: { readonly reading: Reading; readonly files: number },
): Kind {
  if (known.some(({ answer }) => answer === 'unusable')) return 'doubled/no-doc-id';
  // Only its identity tells that it was edited and moved, or moved from where nothing can be seen.
  const isSeen = (path: string) =>
    reading.files.get(path)?.isHidden !== true && !reading.isBesideUnlisted(path);
  const isTold = ({ text, holding }: HeldDocument) => text === file.text && isSeen(holding.path);
  const untold = known.filter(isTold).length >= files ? '' : '/by-identity';
  // Its own file was replaced, and what stands in its place has moved since.
  const own = known.filter(({ accepted }) => accepted === file.identity);
  if (own.length < reading.pathsOf(file.identity).length) return `doubled/replaced${untold}`;
  // A copy is taken for the document's own file.
  const isCopied = ({ text, accepted }: HeldDocument) =>
    reading.all().some((one) => one.text === text && one.identity !== accepted);
  if (known.every(isCopied)) return 'doubled/copy';
  return `doubled${untold}`;
}

/** Whether a file is in a directory that is listed. */
export function isListed({ role }: RoledFile): boolean {
  return role.kind !== 'elsewhere' && role.kind !== 'unowned';
}

/** One line each: what no upload and no modify may do. */
const contentRules: readonly Rule[] = [
  noWiderThanMeant,
  onlyDocuments,
  noAttachmentAlone,
  onlyWhenReady,
  noWiderThanStated,
  noWiderByAbsence,
  noWiderThanItsFile,
  noWiderOverAttachments,
  onlyItsContent,
  onlyItsAttachments,
  nothingDoubled,
];
