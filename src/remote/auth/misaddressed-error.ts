import { ServiceUnavailableError } from '../../model/errors.ts';

/** The token endpoint's address is wrong: a redirect, a page that is not there, TLS that cannot be trusted. */
export class MisaddressedError extends ServiceUnavailableError {
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.name = 'MisaddressedError';
    this.reason = reason;
  }
}
