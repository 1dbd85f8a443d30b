import { countWords, numberWords } from '../../lib/text/amounts.ts';
import { ConfigurationError } from '../../model/errors.ts';

/**
 * A person approves the deletions that were shown, and no others. `shown` undefined: whatever is held is meant. Throws
 * ConfigurationError where more are held by now.
 */
export function requireShown(held: number, shown: number | undefined): void {
  if (shown === undefined || held <= shown) return;
  throw new ConfigurationError(
    `${countWords(held, 'deletion')} ${held === 1 ? 'is' : 'are'} held by now, more than the ${numberWords(shown)} that you were shown, so none was released; see what is held, and approve again`,
  );
}
