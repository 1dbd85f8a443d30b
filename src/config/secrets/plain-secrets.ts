import { isGarbling, shortestRedacted } from '../../lib/text/redactor.ts';
import type { Credentials } from '../../model/settings.ts';
import { credentialNames, secretVariables } from './secret-names.ts';

/** What is to be said of a secret that is right, and awkward. */
export interface PlainSecret {
  readonly variable: string;
  /** Never holds the secret. */
  readonly message: string;
}

/** The secrets that cannot be kept out of texts, or not without cutting other words. */
export function plainSecrets(credentials: Credentials): readonly PlainSecret[] {
  return credentialNames.flatMap((name) => {
    const secret = credentials[name];
    const variable = secretVariables[name];
    if (secret.length < shortestRedacted) {
      const message = `its value is shorter than ${shortestRedacted} characters, and is not cut out of log and messages`;
      return [{ variable, message }];
    }
    if (!isGarbling(secret)) return [];
    const message =
      'its value is so short or plain that other words are cut where it is cut out of log and messages';
    return [{ variable, message }];
  });
}
