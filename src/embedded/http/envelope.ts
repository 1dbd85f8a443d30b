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

/** The answer to an ingestion call that was done, with what did not quite go as asked. */
export function successEnvelope(docId: string, message: string, warnings: readonly string[] = []): Envelope {
  return {
    error: null,
    success: { docId, message },
    warning: warnings.length === 0 ? null : { docId, message: warnings.join('; ') },
  };
}

/** The answer to an ingestion call that was turned down, interface 7.3. */
export function errorEnvelope(docId: string, message: string): Envelope {
  return { error: { docId, message }, success: null, warning: null };
}
