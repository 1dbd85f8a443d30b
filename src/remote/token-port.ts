import type { AuthPort } from '../model/ports/service-port.ts';
import type { Credentials } from '../model/settings.ts';

/** A token and the credentials it was obtained with. */
export interface Pass {
  readonly token: string;
  readonly credentials: Credentials;
}

/** Tokens in memory; one request for one at a time, however many ask. */
export interface TokenSource extends AuthPort {
  /**
   * A token, renewed ahead of its end; `needMs` is how long it is needed. Throws CredentialsRefusedError,
   * ServiceUnavailableError, MisaddressedError; while a failure rests it does so without a request.
   */
  readonly access: (options?: { readonly needMs?: number }) => Promise<Pass>;
  /** Another token than this one, which was answered with 401. Throws as `access` does. */
  readonly renew: (pass: Pass) => Promise<Pass>;
  /** A fresh token was answered with 401 as well: counts as a refusal of the credentials. */
  readonly refuse: (pass: Pass, message: string) => void;
  /** A call with this token was let in. */
  readonly prove: (pass: Pass) => void;
  /** Makes a text of the service fit to be shown. */
  readonly censor: (text: string, pass: Pass) => string;
  /** How long until the token endpoint is asked again after a failure, ms; 0: at the next need. */
  readonly restMs: () => number;
  /** Ends what is under way. */
  readonly close: () => void;
}
