import { excerpt } from '../../lib/text/printable.ts';
import { sentence } from '../../lib/text/sentences.ts';
import { numberWords } from '../../lib/text/amounts.ts';
import { systemClock } from '../../lib/time/clock.ts';
import { refKey } from '../../model/document.ts';
import { inDoubtCode, sentAgainNow } from '../../model/doubts.ts';
import { errorCode, errorMessage, MisaddressedError, notTheServiceCode } from '../../model/errors.ts';
import { silentLog } from '../../model/ports/log-port.ts';
import { finding } from '../../model/report/command-reports.ts';
import type { CheckFinding } from '../../model/report/command-reports.ts';
import { explain, withPlace } from '../../model/report/explanations.ts';
import { reasonHealth } from '../../model/report/health.ts';
import { resumeCommand } from '../../model/report/pause-words.ts';
import { attemptsOf } from '../../model/report/failures.ts';
import type { Status } from '../../model/report/status.ts';
import type { ClusterSettings, Settings } from '../../model/settings.ts';
import { missingLedger } from '../../daemon/preconditions/new-ledger.ts';
import { describeFault } from '../../remote/http/describe-fault.ts';
import { judgeAnswer } from '../../remote/judge-answer.ts';
import { ingestionPrefix } from '../../remote/send-call.ts';
import { createAgents } from '../../remote/http/agents.ts';
import { sendHttpRequest } from '../../remote/http/send-http-request.ts';
import type { Fault, HttpResult } from '../../remote/http/send-http-request.ts';
import { waitsOf } from '../../remote/http/watch-connection.ts';
import type { DaemonClient } from '../daemon-client.ts';
import { pausesOf } from '../offline/resting-engine.ts';
import { checkFolders } from './check-folders.ts';
import { checkLedger, checkStateDirectory } from './check-ledger.ts';

/** What `check` is given. */
export interface CheckOptions {
  readonly settings: Settings;
  /** The one that runs; null: none does. */
  readonly daemon: Promise<DaemonClient | null>;
  /** What reading the configuration and the secrets had to say. */
  readonly findings: readonly CheckFinding[];
  /** Signs in; null: there is nothing to sign in with. */
  readonly signIn: (() => Promise<unknown>) | null;
  /** Asks the addresses whether the service is there, and accepts the credentials, for its clock, and Redis for its settings. */
  readonly online: boolean;
}

/** Everything that would stand in the way of delivery, each with its fix. Sends nothing, changes nothing. */
export async function check(options: CheckOptions): Promise<readonly CheckFinding[]> {
  const { settings, online } = options;
  const { ledger, isClosed, findings: found } = await checkLedger(settings);
  const state = isClosed ? [] : await checkState(settings);
  const status = options.daemon.then((daemon) => daemon?.status());
  const tried = attemptsOf(await status.catch(() => null));
  const inFolders = await checkFolders(settings, ledger, tried);
  const findings = [...options.findings, ...state, ...found, ...inFolders];
  if (online) {
    findings.push(
      ...(settings.service.mode === 'embedded' ? [] : await checkService(options)),
      ...(settings.cluster === null ? [] : await checkRedis(settings.cluster, settings.service)),
    );
  }
  return isClosed ? findings : withDaemon(status, findings);
}

/** The directory itself, and the pauses in it. */
async function checkState(settings: Settings): Promise<readonly CheckFinding[]> {
  const missing = await missingLedger(settings.state).catch(() => null);
  const { paused, pause } = await pausesOf(settings, null);
  const only = paused.length === 1 ? paused[0] : undefined;
  const fix = `Resume with ${resumeCommand(only)}.`;
  return [
    ...(missing === null ? [] : [finding('error', 'state.dir', missing)]),
    ...(await checkStateDirectory(settings.state.dir)),
    ...(pause === null ? [] : [finding('error', only ?? 'folders', { ...pause, fix })]),
  ];
}

/**
 * Adds what keeps the running daemon back, and was not found here: of the service, it alone knows. About an upload that it
 * sends again now nobody can decide anything. A state directory that is full or closed is its problem when it says so.
 */
async function withDaemon(
  running: Promise<Status | undefined>,
  found: readonly CheckFinding[],
): Promise<readonly CheckFinding[]> {
  try {
    const status = await running;
    const known = new Set(found.map(({ code }) => code));
    const sending = new Set(status?.inDoubt.filter(({ isSending }) => isSending === true).map(refKey));
    const isSent = ({ code, subject }: CheckFinding) => code === inDoubtCode && sending.has(subject);
    // An outage that was found here is not one more.
    const isKnown = (code: string) =>
      known.has(code) || (known.has('service-unreachable') && ofOutage.has(code));
    const reasons = (status?.reasons ?? [])
      .filter(({ code }) => reasonHealth(code) !== 'ok' && !isKnown(code))
      .map((reason) => finding('error', 'daemon', { ...reason, fix: explain(reason.code).fix }));
    const refused = reasons.find(({ code }) => code === 'configuration-refused')?.message;
    // The daemon says it with what follows from it.
    const isTwice = ({ level, code, message }: CheckFinding) =>
      level !== 'info' && (code === 'configuration-changed' || refused?.includes(message) === true);
    const told = refused === undefined ? found : found.filter((one) => !isTwice(one));
    const judged = told.map((one) => {
      if (isSent(one)) return { ...one, fix: sentence(sentAgainNow) };
      return status && ofWriting.has(one.code) ? { ...one, level: 'warning' as const } : one;
    });
    const all = [...judged, ...reasons];
    return status === undefined ? all : all.map((one) => ({ ...one, fix: withPlace(one.fix, status) }));
  } catch (error) {
    const message = errorMessage(error);
    return [...found, finding('error', 'daemon', { code: 'daemon-silent', message })];
  }
}

const ofOutage: ReadonlySet<string> = new Set(['service-unavailable', 'tls', 'proxy-authentication']);

const ofWriting: ReadonlySet<string> = new Set(['state-unwritable', 'state-disk-full']);

/** Does it answer, and if so, does it accept the credentials? */
async function checkService({
  settings: { service },
  signIn,
}: Pick<CheckOptions, 'settings' | 'signIn'>): Promise<CheckFinding[]> {
  const { authUrl, ingestUrl } = service;
  const isOneHost = new URL(authUrl).origin === new URL(ingestUrl).origin;
  const auth = await checkAddress(authUrl, service);
  const isAway = auth.some(({ level }) => level === 'error');
  const ingest = isAway && isOneHost ? [] : await checkAddress(ingestUrl, service, harmless);
  return [
    ...auth,
    ...(isAway || signIn === null ? [] : [await checkSignIn(authUrl, signIn)]),
    // What the token endpoints said of one host and its clock is said.
    ...ingest.filter(({ level }) => !isOneHost || level === 'error'),
  ];
}

async function checkSignIn(authUrl: string, signIn: () => Promise<unknown>): Promise<CheckFinding> {
  try {
    await signIn();
    return finding('info', authUrl, { code: 'credentials-accepted', message: 'it accepts the credentials' });
  } catch (error) {
    const code = error instanceof MisaddressedError ? error.reason : errorCode(error);
    return finding('error', authUrl, { code: code ?? 'no-token', message: errorMessage(error) });
  }
}

/** Beyond this a token may look expired, or valid for too long. */
const toleratedSeconds = 60;

/** The id of no document. */
const noDocId = 'ingestd.check';
/** It cannot change anything: without credentials it is refused (interface 5), and the modify of no document has no part. */
export const harmless = { method: 'PUT', path: `${ingestionPrefix}/modify-document/${noDocId}` } as const;

/**
 * Asks an address of the service for nothing, as ingestd would connect to it: does it answer, as the service would, and
 * does its Date header agree with this machine's clock? No credentials go out.
 */
export async function checkAddress(
  address: string,
  service: Waiting,
  request: typeof harmless | typeof nothing = nothing,
): Promise<CheckFinding[]> {
  const before = Date.now();
  const answer = await ask(address, service, request).catch(errorMessage);
  if (typeof answer === 'string' || answer.kind === 'fault') {
    const message = typeof answer === 'string' ? `cannot be reached: ${answer}` : unreachableWords(answer);
    return [finding('error', address, { code: 'service-unreachable', message })];
  }
  if (request !== nothing) {
    const outcome = judgeAnswer(answer, {
      operation: 'modify',
      docId: noDocId,
      ingestUrl: address,
      now: before,
      hasWorked: false,
    });
    if (outcome.kind === 'misaddressed' || (outcome.kind === 'unavailable' && answer.status !== 429)) {
      const isOutage = outcome.kind === 'unavailable' && outcome.code !== notTheServiceCode;
      const code = isOutage ? 'service-unavailable' : outcome.code;
      return [finding('error', address, { code, message: excerpt(outcome.message) })];
    }
  }
  const { date } = answer.headers;
  const now = (before + Date.now()) / 2;
  const ahead = date === undefined ? Number.NaN : Math.round((now - Date.parse(date)) / 1000);
  return [
    finding('info', address, { code: 'service-reachable', message: 'it answers' }),
    ...judgeClock(address, ahead),
  ];
}

/** An answer is waited for as long as a connection. */
function unreachableWords({ code, host }: Fault): string {
  const why = describeFault(code).message.replace('responseSeconds', 'connectSeconds');
  return `cannot be reached${host.replace(/^\S+/, '')}: ${why}`;
}

type Waiting = Parameters<typeof waitsOf>[0];

const nothing = { method: 'HEAD', path: '' } as const;

/** Rejects with ConfigurationError where the environment names an invalid proxy. */
async function ask(
  address: string,
  service: Waiting,
  { method, path }: { readonly method: 'HEAD' | 'PUT'; readonly path: string },
): Promise<HttpResult> {
  const agents = createAgents(address);
  const { signal } = new AbortController();
  // A person waits for it, and nothing has to be made ready.
  const waits = waitsOf({ ...service, responseSeconds: service.connectSeconds });
  return sendHttpRequest(
    { method, url: `${address}${path}`, headers: {}, body: null },
    { agents, clock: systemClock, waits, signal },
  ).finally(agents.close);
}

/** `ahead`: how many seconds this machine's clock is; NaN: not known. */
function judgeClock(address: string, ahead: number): readonly CheckFinding[] {
  const seconds = Math.abs(ahead);
  if (!(seconds > toleratedSeconds)) return [];
  const way = ahead > 0 ? 'ahead of' : 'behind';
  const message = `this machine’s clock is ${numberWords(seconds)} seconds ${way} the service’s`;
  return [finding('warning', address, { code: 'clock', message })];
}

/** Whether Redis answers, lets this host in, and keeps what it is told. Writes nothing. */
async function checkRedis(
  cluster: ClusterSettings,
  service: Settings['service'],
): Promise<readonly CheckFinding[]> {
  const subject = cluster.redis.words;
  const { openLink } = await import('../../cluster/redis/connection.ts');
  const link = openLink({ cluster, service, username: '', clock: systemClock, log: silentLog });
  await link.tried;
  const trouble = link.trouble();
  const warning = link.connection()?.warning ?? null;
  link.close();
  if (trouble !== null) return [finding('error', subject, trouble)];
  return warning === null
    ? [finding('info', subject, { code: 'redis-reachable', message: 'it answers' })]
    : [finding('warning', subject, { code: 'redis-evicts', message: warning })];
}
