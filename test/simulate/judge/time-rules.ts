import type { ServiceRequest } from '../service/service.ts';
import type { Arrivals } from './arrivals.ts';
import type { ContentSpans, Span } from './content-spans.ts';
import { uploadedFiles } from './content-rules.ts';
import { modeOf } from './held-documents.ts';
import type { Add, Moment } from './moment.ts';
import { directoryOf, nameOf } from './reading.ts';
import type { RoledFile } from './reading.ts';
import { isWider } from './statement.ts';

/** What the rules about time go by. */
export interface Times {
  readonly spans: ContentSpans;
  readonly arrivals: Arrivals;
  readonly settleMs: number;
  /** What was done on another machine is seen so much later, ms. */
  readonly lateMs: number;
  /** The moments that a request's first byte may go by, the oldest first. */
  readonly window: readonly Moment[];
  /** Those within `settleMs` before it. */
  readonly settling: readonly Moment[];
  /** Those since it may have been decided. */
  readonly underWay: readonly Moment[];
}

const tenMinutesMs = 600_000;

/** What is wrong with a request because it goes out too early. */
export function judgeTimes(request: ServiceRequest, times: Times, add: Add): void {
  for (const { name, text } of [
    ...(request.file === null ? [] : [request.file]),
    ...(request.attachments ?? []),
  ])
    onlyWhatHasSettled(request, { name, text }, times, add);
  const moment = times.window.at(-1);
  if (request.kind !== 'upload' || moment === undefined) return;
  const files = uploadedFiles(request, moment);
  const [file] = files;
  if (file === undefined || files.length > 1) return;
  onlySettledStatements(request, file, times, add);
  onlyWhenQuiet(request, file, moment, times, add);
}

/** What is sent has stood unchanged for as long as it takes to settle (contract 7.31). */
function onlyWhatHasSettled(
  { firstByteAt }: ServiceRequest,
  { name, text }: { readonly name: string; readonly text: string },
  { spans, settleMs, lateMs, window, underWay }: Times,
  add: Add,
): void {
  const all = spans.of(text);
  if (all.length === 0) return void add('torn', `${name}: never stood like this: ${text}`);
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
      .some(({ identity, content }) =>
        spans
          .of(content.toString())
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
function onlySettledStatements(request: ServiceRequest, file: RoledFile, times: Times, add: Add): void {
  const { spans, settleMs, lateMs, settling, window } = times;
  const statement = file.role.kind === 'document' ? file.role.statement : null;
  const mode = modeOf(request) ?? 'DEFAULT';
  const says = window.at(-1)?.reading.files.get(statement?.file ?? '');
  // What is wider than it is wrong by another rule.
  if (says === undefined || statement === null || isWider(mode, statement.mode)) return;
  const span = spans
    .of(says.content.toString())
    .find(({ identity, to }) => identity === says.identity && to === null);
  const stood = request.firstByteAt - (span?.from ?? 0);
  if (stood >= settleMs - lateMs - 1) return;
  const narrower = settling
    .map(({ reading }) => reading.files.get(file.path))
    .find(
      (one) =>
        one?.identity === file.identity &&
        one.role.kind === 'document' &&
        isWider(mode, one.role.statement.mode),
    );
  if (narrower !== undefined)
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
  const { arrivals, settleMs, lateMs, spans } = times;
  if (reading.sidecarOf(file.path) !== null) return;
  const late = arrivals.lately(file.path, request.firstByteAt, lateMs + honouredMs);
  if (late === null || from > request.firstByteAt) return;
  const folder = `${file.path.split('/')[0]}/`;
  const isInUse = [...reading.files.keys()].some(
    (path) => path.startsWith(folder) && path.endsWith('.meta.json'),
  );
  const isPrivate = modeOf(request) === 'NONE';
  const stood = Math.max(
    ...spans.of(file.content.toString()).map((span) => stoodFor(span, request.firstByteAt)),
  );
  if (stood >= (isInUse && !isPrivate ? tenMinutesMs : 10 * settleMs)) return;
  // Before that name came it was ready, and is on its way since.
  const before = arrivals.lastChange(late) - 1;
  const wasReady =
    stood - (request.firstByteAt - before) >= settleMs && arrivals.lately(file.path, before, 0) === null;
  const isBelow = directoryOf(late) !== directoryOf(file.path);
  add(
    wasReady
      ? 'unquiet/in-a-gap'
      : isBelow
        ? 'unquiet/below'
        : arrivals.hasGrown(late)
          ? 'unquiet/grown'
          : 'unquiet',
    `${file.path} goes out, and ${late} has just come`,
  );
}

/** A change that was complete so long before a byte is honoured by it, ms (contract 7.30). */
export const honouredMs = 100;
