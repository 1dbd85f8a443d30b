import type { Credentials } from './settings.ts';

/** Exit codes. */
export const exitCodes = {
  ok: 0,
  unforeseen: 1,
  usage: 2,
  credentials: 3,
  unfinished: 4,
  locked: 5,
  /** As a shell says it of a program that Ctrl+C ends. */
  interrupted: 130,
} as const;

/** An error whose message is for a person and whose `exitCode` is for the process. */
export class IngestdError extends Error {
  readonly code: string;
  readonly exitCode: number;

  constructor(code: string, exitCode: number, message: string, details?: ErrorOptions) {
    super(message, details);
    this.name = new.target.name;
    this.code = code;
    this.exitCode = exitCode;
  }
}

/**
 * Usage or configuration: the message names the key or flag, the value and the fix. Where it lists several faults, each
 * begins a line. Exit code 2.
 */
export class ConfigurationError extends IngestdError {
  constructor(message: string, details?: ErrorOptions) {
    super('configuration', exitCodes.usage, message, details);
  }
}

/** The token endpoint refused the credentials. Exit code 3. */
export class CredentialsRefusedError extends IngestdError {
  /** Those that it means; empty: it does not say. */
  readonly which: readonly (keyof Credentials)[];

  constructor(message: string, which: readonly (keyof Credentials)[] = []) {
    super('credentials-refused', exitCodes.credentials, message);
    this.which = which;
  }
}

/** The service could not be reached or gave no valid answer. Exit code 1. */
export class ServiceUnavailableError extends IngestdError {
  readonly retryAfterMs: number | null;
  /** The code by which a status tells it. */
  readonly reason: string;

  constructor(message: string, retryAfterMs: number | null = null, reason = 'service-unavailable') {
    super('service-unavailable', exitCodes.unforeseen, message);
    this.retryAfterMs = retryAfterMs;
    this.reason = reason;
  }
}

/** The token endpoint's address is wrong: a redirect, a page that is not there, TLS that cannot be trusted. */
export class MisaddressedError extends ServiceUnavailableError {
  constructor(reason: string, message: string) {
    super(message, null, reason);
  }
}

/** Another process holds the state directory. Exit code 5. */
export class StateLockedError extends IngestdError {
  constructor(message: string) {
    super('state-locked', exitCodes.locked, message);
  }
}

/** The ledger's files cannot be read without guessing. The message names the file and the way out. Exit code 1. */
export class LedgerDamagedError extends IngestdError {
  /** The message without the way out. */
  readonly fault: string;

  constructor(message: string, { fault = message, cause }: ErrorOptions & { readonly fault?: string } = {}) {
    super('ledger-damaged', exitCodes.unforeseen, message, { cause });
    this.fault = fault;
  }
}

/** The ledger cannot be written now (disk full, read-only): nothing of the call is stored. */
export class LedgerUnwritableError extends IngestdError {
  constructor(message: string, details?: ErrorOptions) {
    super('ledger-unwritable', exitCodes.unforeseen, message, details);
  }
}

/** Says whether it is for want of space, by itself or as the cause of what was thrown. */
export function isDiskFull(error: unknown): boolean {
  const causes =
    typeof error === 'object' && error !== null && 'cause' in error ? [error, error.cause] : [error];
  return causes.map(errorCode).some((code) => code === 'ENOSPC' || code === 'EDQUOT');
}

/** Says whether nothing is there; where something could not be looked at, nobody knows. */
export function isMissing(error: unknown): boolean {
  return readFaultOf(errorCode(error)) === 'gone';
}

/** A file is no longer the one that was inspected. */
export class ContentChangedError extends IngestdError {
  constructor(message: string, details?: ErrorOptions) {
    super('content-changed', exitCodes.unforeseen, message, details);
  }
}

/** A file cannot be opened or read to its end; `code`, by what `cause` says, is one of `isUnreadable`. */
export class ContentUnreadableError extends IngestdError {
  constructor(what: string, cause: unknown) {
    const fault = errorCode(cause);
    super(unreadableCodeOf(fault), exitCodes.unforeseen, cannotBeRead(what, fault), { cause });
  }
}

/** A permit's place in the minute was lost before its request began. Nothing went out. */
export class PermitLostError extends IngestdError {
  constructor() {
    super('permit-lost', exitCodes.unforeseen, 'the permit of this request was lost before it began');
  }
}

/** A call to something that is closed or closing. */
export class StoppedError extends IngestdError {
  constructor(message = 'stopped') {
    super('stopped', exitCodes.unforeseen, message);
  }
}

/** The literal `code` of a foreign error (`ENOENT`, `ECONNRESET`), or undefined. Never `instanceof Error`. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** What one can do about a path that could not be opened, read, listed or looked at. */
export type ReadFault =
  /** Nothing stands there. */
  | 'gone'
  /** A person has to change something: permissions, or a path that is too long. */
  | 'barred'
  /** The system cannot tell at the moment. Nothing may be concluded of what is there; it is tried again. */
  | 'passing';

const readFaults: Readonly<Record<string, ReadFault>> = {
  ENOENT: 'gone',
  ENOTDIR: 'gone',
  EACCES: 'barred',
  EPERM: 'barred',
  ENAMETOOLONG: 'barred',
};

/** Sorts the code of a file system's error; whatever is not known to last may pass. */
export function readFaultOf(code: string | undefined): ReadFault {
  return readFaults[code ?? ''] ?? 'passing';
}

/** What answers at the service's address is something else: a web server, a gateway, a network's login page. */
export const notTheServiceCode = 'not-the-service';
/** An address is wrong, or a login page is in between for a while. */
export const elsewhereCodes: ReadonlySet<string> = new Set([
  notTheServiceCode,
  'auth-not-found',
  'redirect',
  'tls',
]);
/** The reason's code where something cannot be read until a person changes that. */
export const unreadableCode = 'unreadable';
/** The same where its path is too long. */
export const tooLongCode = 'path-too-long';
/** The same where it may pass: it is tried again by itself. */
export const unreadableNowCode = 'unreadable-now';

/** The same of a directory; and of one whose ignore file a person has to correct. */
export const unreadableDirectoryCode = 'unreadable-directory';
export const unreadableDirectoryNowCode = 'unreadable-directory-now';
export const ignoreFileCode = 'ignore-file-invalid';

/** Whether a reason is that what is in a folder is not known in full. */
export function isOfUnreadPlace({ code }: { readonly code: string }): boolean {
  const isBarred = code === unreadableDirectoryCode || code === ignoreFileCode || code === tooLongCode;
  return isBarred || isOfPassingFault({ code });
}

/** Whether a reason is that something is read again by itself. */
export function isOfPassingFault({ code }: { readonly code: string }): boolean {
  return code === unreadableNowCode || code === unreadableDirectoryNowCode;
}

/** The code of a document whose doubt was dismissed while it had not been delivered. */
export const dismissedCode = 'doubt-dismissed';

/** The reason's code for what the file system said. */
export function unreadableCodeOf(code: string | undefined): string {
  if (code === 'ENAMETOOLONG') return tooLongCode;
  return readFaultOf(code) === 'barred' ? unreadableCode : unreadableNowCode;
}

/** The reason's code of a folder that shows the files of another one. */
export const shownTwiceCode = 'folder-shown-twice';

/** Whether a reason is that something cannot be read, for now or for longer. */
export function isUnreadable({ code }: { readonly code: string }): boolean {
  return [unreadableCode, tooLongCode, unreadableNowCode, ignoreFileCode].includes(code);
}

/** The same of what was thrown where something was read. */
export function unreadCode(error: unknown): string {
  const code = errorCode(error) ?? '';
  return isUnreadable({ code }) ? code : unreadableNowCode;
}

const holders: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENAMETOOLONG: 'the path is too long',
  EBUSY: 'another program has it in use',
  EAGAIN: 'another program has locked it',
  EWOULDBLOCK: 'another program has locked it',
  EDEADLK: 'another program has locked it',
  ENOLCK: 'the file server has no lock to give',
  ETXTBSY: 'another program is running or writing it',
  EIO: 'the disk or network share reports an error',
  ESTALE: 'the file server no longer knows the open file',
  ENXIO: 'the device is not there',
  ENODEV: 'the device is not there',
  ETIMEDOUT: 'the file server does not answer',
  EHOSTDOWN: 'the file server cannot be reached',
  EHOSTUNREACH: 'the file server cannot be reached',
  ENETUNREACH: 'the file server cannot be reached',
  ENOTCONN: 'the file server is not connected',
  EMFILE: 'this process has too many files open',
  ENFILE: 'the system has too many files open',
  ENOMEM: 'the system is short of memory',
};

/** In words: what keeps it from being read, as far as that is known, and the system's code. */
export function cannotBeRead(what: string, code: string | undefined): string {
  const holder = holders[code ?? ''];
  return `${what} cannot be read (${holder === undefined ? '' : `${holder}, `}${code ?? 'unknown error'})`;
}

/** The message of whatever was thrown. */
export function errorMessage(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'message' in error) return String(error.message);
  return String(error);
}
