/** A refused request: status and message of the answer. */
export class RefusalError extends Error {
  readonly status: number;
  /** The document it is about, if it is about one. */
  readonly docId: string;
  /** OAuth's word for it, at the token endpoints. */
  readonly code: string;
  readonly retryAfterSeconds: number | null;

  constructor(status: number, message: string, details: RefusalDetails = {}) {
    super(message);
    this.name = 'RefusalError';
    this.status = status;
    this.docId = details.docId ?? '';
    this.code = details.code ?? 'invalid_request';
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
  }
}

interface RefusalDetails {
  readonly docId?: string;
  readonly code?: string;
  readonly retryAfterSeconds?: number;
}

/** Whether it is a RefusalError; by its name, as errors may come from another realm. */
export function isRefusal(error: unknown): error is RefusalError {
  return typeof error === 'object' && error !== null && 'name' in error && error.name === 'RefusalError';
}

/** 429 with the whole seconds after which one more request passes. */
export function tooMany(message: string, waitMs: number): RefusalError {
  return new RefusalError(429, message, {
    code: 'too_many_requests',
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  });
}

/** Interface 2.10: one member of the envelope. */
interface EnvelopeEntry {
  /** Empty where no document is concerned. */
  readonly docId: string;
  readonly message: string;
}

/** Interface 2.10. */
export interface Envelope {
  readonly error: EnvelopeEntry | null;
  readonly success: EnvelopeEntry | null;
  readonly warning: EnvelopeEntry | null;
}

/** The answer to a successful ingestion call, with its warnings. */
export function successEnvelope(docId: string, message: string, warnings: readonly string[] = []): Envelope {
  return {
    error: null,
    success: { docId, message },
    warning: warnings.length === 0 ? null : { docId, message: warnings.join('; ') },
  };
}

/** The answer to a refused ingestion call, interface 7.3. */
export function errorEnvelope(docId: string, message: string): Envelope {
  return { error: { docId, message }, success: null, warning: null };
}
