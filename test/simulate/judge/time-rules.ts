import type { FormFile } from '../service/read-form.ts';
import type { ServiceRequest } from '../service/service.ts';
import type { Arrivals } from './arrivals.ts';
import type { ContentSpans, Span } from './content-spans.ts';
import { changedFiles, uploadedFiles } from './content-rules.ts';
import { modeOf } from './held-documents.ts';
import type { HeldDocument } from './held-documents.ts';
import type { Add, Moment } from './moment.ts';
import { directoryOf, isOutOfReach, nameOf } from './reading.ts';
import type { RoledFile } from './reading.ts';
import { isWider } from './statement.ts';

/** What the rules about time go by. */
export interface Times {
  readonly spans: ContentSpans;
  readonly arrivals: Arrivals;
  readonly settleMs: number;
  /** What was done on another machine is seen so much later, ms. */
  readonly lateMs: number;
  /** A change that was complete so long before a byte is honoured by it, ms (contract 7.30). */
  readonly honouredMs: number;
  /** So long after it was done ingestd has noticed a change by itself, ms. */
  readonly noticeMs: number;
  /** The moments that a request's first byte may go by, the oldest first. */
  readonly window: readonly Moment[];
  /** Those within `settleMs` before it. */
  readonly settling: readonly Moment[];
  /** Those since it may have been decided. */
  readonly underWay: readonly Moment[];
}

const tenMinutesMs = 600_000;

/** Whether a PDF has its end: what is of another type, or does not begin like one, is whole (contract 7.36). */
export function isWhole(path: string, text: string): boolean {
  return !/\.pdf$/i.test(path) || !text.startsWith('%PDF-') || text.slice(-1024).includes('%%EOF');
}

/** What is wrong with a request because it goes out too early. `document`: what it changes; null: it is an upload, or several. */
export function judgeTimes(
  request: ServiceRequest,
  document: HeldDocument | null,
  times: Times,
  add: Add,
): void {
  const { file, attachments } = request;
  for (const one of [...(file === null ? [] : [file]), ...(attachments ?? [])])
    onlyWhatHasSettled(request, one, times, add);
  if (file !== null && !isWhole(file.name, file.text)) onlyWhatIsWhole(request, file, times, add);
  const moment = times.window.at(-1);
  if (moment === undefined || (request.kind !== 'upload' && document === null)) return;
  const files = document === null ? uploadedFiles(request, moment) : changedFiles(request, document, moment);
  const [first] = files;
  if (first === undefined || files.length > 1) return;
  onlySettledStatements(request, first, document, times, add);
  if (document === null) onlyWhenQuiet(request, first, moment, times, add);
}

/** What is not whole by its own format has not changed for long (contract 7.36). */
function onlyWhatIsWhole(
  { firstByteAt }: ServiceRequest,
  { name, text }: FormFile,
  { spans, lateMs }: Times,
  add: Add,
): void {
  const stood = Math.max(0, ...spans.of(text).map((span) => stoodFor(span, firstByteAt)));
  if (stood < tenMinutesMs - lateMs - 1)
    add('incomplete', `${name} goes out without its end, when it has stood for ${Math.round(stood)} ms`);
}

/** What is sent has stood unchanged for as long as it takes to settle (contract 7.31). */
function onlyWhatHasSettled(
  { firstByteAt }: ServiceRequest,
  { name, text }: FormFile,
  { spans, settleMs, lateMs, window, underWay }: Times,
  add: Add,
): void {
  const all = spans.of(text);
  if (all.length === 0) return add('torn', `${name}: never stood like this: ${text}`);
  const holders = new Set(
    window
      .flatMap(({ reading }) => reading.all().filter((file) => nameOf(file.path) === name.normalize('NFC')))
      .map(({ identity }) => identity),
  );
  const own = all.filter(({ identity }) => holders.has(identity));
  const stood = Math.max(...(own.length > 0 ? own : all).map((span) => stoodFor(span, firstByteAt)));
  if (stood >= settleMs - lateMs - 1) return;
  // What stood there before had settled when it was decided.
  const hadSettled = underWay.some(({ reading }) =>
    reading
      .all()
      .filter((file) => nameOf(file.path) === name.normalize('NFC'))
      .some(({ identity, text: before }) =>
        spans
          .of(before)
          .some(
            (span) =>
              span.identity === identity &&
              span.to !== null &&
              stoodFor(span, firstByteAt) >= settleMs - lateMs - 1,
          ),
      ),
  );
  add(
    hadSettled ? 'unsettled/in-a-gap' : 'unsettled',
    `${name} goes out when it has stood for ${Math.round(stood)} ms`,
  );
}

function stoodFor({ from, to }: Span, at: number): number {
  return Math.min(at, to ?? Infinity) - from;
}

/** A statement that has not settled widens nothing (contract 7.27). */
function onlySettledStatements(
  request: ServiceRequest,
  file: RoledFile,
  document: HeldDocument | null,
  { spans, settleMs, lateMs, settling, window }: Times,
  add: Add,
): void {
  const statement = file.role.kind === 'document' ? file.role.statement : null;
  const mode = modeOf(request);
  const says = window.at(-1)?.reading.files.get(statement?.file ?? '');
  // What is wider than it is wrong by another rule.
  if (says === undefined || statement === null || mode === null || isWider(mode, statement.mode)) return;
  const span = spans.of(says.text).find(({ identity, to }) => identity === says.identity && to === null);
  const stood = request.firstByteAt - (span?.from ?? 0);
  if (stood >= settleMs - lateMs - 1) return;
  const wasNarrower = settling
    .map(({ reading }) => reading.files.get(file.path))
    .some(
      (one) =>
        one?.identity === file.identity &&
        one.role.kind === 'document' &&
        isWider(mode, one.role.statement.mode),
    );
  if (document === null ? wasNarrower : isWider(mode, document.holding.mode))
    add(
      'unsettled-statement',
      `${file.path} goes out with ${mode}, which ${says.path} says since ${Math.round(stood)} ms`,
    );
}

/** A new document without a sidecar goes out when it is quiet around it (contract 7.28). */
function onlyWhenQuiet(
  request: ServiceRequest,
  file: RoledFile,
  { reading, from }: Moment,
  times: Times,
  add: Add,
): void {
  const { arrivals, settleMs, lateMs, honouredMs, noticeMs, spans } = times;
  if (reading.sidecarOf(file.path) !== null) return;
  const late = arrivals.lately(file.path, request.firstByteAt, lateMs + honouredMs);
  if (late === null || from > request.firstByteAt) return;
  const folder = `${file.path.split('/')[0]}/`;
  // Of what comes to another directory only a listing tells.
  const isNoticed = (sidecar: string) =>
    file.path.startsWith(`${directoryOf(sidecar)}/`) ||
    arrivals.lastChange(sidecar) <= request.firstByteAt - noticeMs;
  // The defaults of a directory are no sidecar.
  const isInUse = [...reading.files.values()].some(
    ({ path, role }) =>
      // Where nothing is a document, nothing is a sidecar; nor is it where nothing is looked at (contract 7.35).
      role.kind !== 'elsewhere' &&
      reading.shutDirectory(path) === null &&
      path.startsWith(folder) &&
      // What a mount hides is in no use.
      !isOutOfReach(path) &&
      path.endsWith('.meta.json') &&
      nameOf(path) !== '.meta.json' &&
      isNoticed(path),
  );
  const isPrivate = modeOf(request) === 'NONE';
  const stood = Math.max(...spans.of(file.text).map((span) => stoodFor(span, request.firstByteAt)));
  if (stood >= (isInUse && !isPrivate ? tenMinutesMs : 10 * settleMs)) return;
  // Before that name came it was ready, and is on its way since.
  const before = arrivals.lastChange(late) - 1;
  const wasReady =
    stood - (request.firstByteAt - before) >= settleMs && arrivals.lately(file.path, before, 0) === null;
  add(wasReady ? 'unquiet/in-a-gap' : 'unquiet', `${file.path} goes out, and ${late} has just come`);
}
