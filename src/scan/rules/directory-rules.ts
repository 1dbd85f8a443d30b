import { errorCode, errorMessage } from '../../model/errors.ts';
import { createIgnoreRules } from './ignore-rules.ts';
import { readSmallFile } from '../../lib/read-small-file.ts';
import type { PlacedRules } from '../walk/directory-state.ts';

/** Name of the files with ignore rules in the tree. */
export const rulesName = '.ingestignore';

/** The rules of a directory, or why they cannot be read: then nothing in it may be sent. */
export type RulesReading =
  | { readonly kind: 'valid'; readonly rules: PlacedRules }
  | { readonly kind: 'unreadable'; readonly message: string };

/** Reads a directory's `.ingestignore`. Never throws. */
export function readRules(directory: string, absolute: string): RulesReading {
  try {
    const file = readSmallFile(absolute);
    if (file === null)
      return { kind: 'unreadable', message: `its ${rulesName} is too large or no regular file` };
    const patterns = file.bytes
      .toString('utf8')
      .replace(/^\uFEFF/, '')
      .split(/\r?\n/);
    return { kind: 'valid', rules: { directory, rules: createIgnoreRules(patterns) } };
  } catch (error) {
    const why = errorCode(error) ?? errorMessage(error);
    return { kind: 'unreadable', message: `its ${rulesName} cannot be read (${why})` };
  }
}
