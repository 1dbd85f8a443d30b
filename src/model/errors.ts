/** Exit codes. */
export const exitCodes = {
  ok: 0,
  unforeseen: 1,
  usage: 2,
  credentials: 3,
  unfinished: 4,
  locked: 5,
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

/** Usage or configuration: the message names the key or flag, the value and the fix. Exit code 2. */
export class ConfigurationError extends IngestdError {
  /** The message fault by fault, each on one line; a file is named by the first of them alone. */
  readonly faults: readonly string[];

  constructor(
    message: string,
    { faults = [message], cause }: ErrorOptions & { readonly faults?: readonly string[] } = {},
  ) {
    super('configuration', exitCodes.usage, message, { cause });
    this.faults = faults;
  }
}

/** The token endpoint refused the credentials. Exit code 3. */
export class CredentialsRefusedError extends IngestdError {
  constructor(message: string) {
    super('credentials-refused', exitCodes.credentials, message);
  }
}

/** The service could not be reached or gave no valid answer. Exit code 1. */
export class ServiceUnavailableError extends IngestdError {
  readonly retryAfterMs: number | null;
  /** It is there, and asks for fewer requests (429). */
  readonly isTooMany: boolean;

  constructor(
    message: string,
    retryAfterMs: number | null = null,
    { isTooMany = false }: { readonly isTooMany?: boolean } = {},
  ) {
    super('service-unavailable', exitCodes.unforeseen, message);
    this.retryAfterMs = retryAfterMs;
    this.isTooMany = isTooMany;
  }
}

/** The token endpoint's address is wrong: a redirect, a page that is not there, TLS that cannot be trusted. */
export class MisaddressedError extends ServiceUnavailableError {
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
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

/** A file is no longer the one that was inspected. */
export class ContentChangedError extends IngestdError {
  constructor(message: string, details?: ErrorOptions) {
    super('content-changed', exitCodes.unforeseen, message, details);
  }
}

/** A file cannot be read. */
export class ContentUnreadableError extends IngestdError {
  constructor(message: string, details?: ErrorOptions) {
    super('content-unreadable', exitCodes.unforeseen, message, details);
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

/** In words, with the system's code. */
export function cannotBeRead(what: string, code: string | undefined): string {
  return `${what} cannot be read (${code ?? 'unknown error'})`;
}

/** What can be done about a file or directory that is not this user's. */
export const asItsUser =
  'run the command as the user that runs ingestd, or give that user the directory and all that is in it';

/** An error of the file system, in words where a person can change what it is about; any other stays what it is. */
export function fileFault(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return error;
  const { code, path, dest = path, syscall } = error as NodeJS.ErrnoException & { readonly dest?: string };
  if (dest === undefined) return error;
  const fault = (words: string) => new ConfigurationError(`${dest} ${words}`, { cause: error });
  if (code === 'EACCES' || code === 'EPERM') return fault(`is closed to this user (${code}); ${asItsUser}`);
  if (code === 'EISDIR') return fault('is a directory where ingestd keeps a file; move it away');
  if ((code === 'EEXIST' && syscall === 'mkdir') || (code === 'ENOTDIR' && syscall === 'scandir'))
    return fault('is a file where ingestd keeps a directory; move it away');
  if (code === 'ENOTDIR')
    return fault('lies below a file where ingestd keeps a directory; move that file away');
  return error;
}

/** The message of whatever was thrown. */
export function errorMessage(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'message' in error) return String(error.message);
  return String(error);
}
