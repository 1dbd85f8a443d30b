import { createHash } from 'node:crypto';

import { decodeText } from '../../lib/text/decode-text.ts';
import { readSmallFile } from '../../lib/files/read-small-file.ts';
import { joinPath } from '../../model/document.ts';
import {
  cannotBeRead,
  errorCode,
  errorMessage,
  ignoreFileCode,
  readFaultOf,
  tooLongCode,
} from '../../model/errors.ts';
import { ignoreFileName } from '../rules/classify.ts';
import { createIgnoreRules } from '../rules/ignore-patterns.ts';
import type { FileRules, PlacedRules } from '../rules/ignore-patterns.ts';
import type { Tree, UnreadDirectory } from '../walk/directory-state.ts';

/** The rules of an ignore file, or why there are none: then nothing in it and below is sent or deleted. */
export type RulesReading =
  { readonly kind: 'valid'; readonly rules: FileRules } | ({ readonly kind: 'invalid' } & UnreadDirectory);

const maxBytes = 64 * 1024;
const maxPatterns = 1_000;
/** Of all ignore files of a folder, equal ones counted once: compiled they take 75 MB. */
const maxPatternsInAll = 50_000;
const maxPatternBytes = 512;

/** Reads a directory's `.ingestignore`, in place of `former`: one content is compiled once. Never throws. */
export function readIgnoreFile(absolute: string, tree: Tree, former?: FileRules): RulesReading {
  try {
    const file = readSmallFile(absolute);
    if (file === null || file.bytes.length > maxBytes) return invalid(notPlain);
    const content = createHash('sha256').update(file.bytes).digest('base64');
    const known = tree.rulesOf(content);
    if (known !== undefined) return { kind: 'valid', rules: known };
    const text = decodeText(file.bytes);
    if (text.kind === 'invalid') return invalid(text.message);
    const patterns = text.value
      .split(/\r\n?|\n/)
      .map((pattern, index) => ({ pattern, place: `:${index + 1}` }))
      .filter(({ pattern }) => pattern !== '' && !pattern.startsWith('#'));
    if (patterns.length > maxPatterns)
      return invalid(`has ${patterns.length} patterns, but at most ${maxPatterns} are allowed; remove some`);
    if (patterns.some(({ pattern }) => Buffer.byteLength(pattern) > maxPatternBytes))
      return invalid(`has a pattern of more than ${maxPatternBytes} bytes; make it shorter`);
    if (tree.patterns() - (former?.patterns ?? 0) + patterns.length > maxPatternsInAll)
      return invalid(
        `has ${patterns.length} patterns, but those of all ignore files of a folder, equal files counted once, may be ${maxPatternsInAll} at most; remove some`,
      );
    return {
      kind: 'valid',
      rules: { ...createIgnoreRules(patterns), content, patterns: patterns.length },
    };
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) return invalid(`cannot be read (${errorMessage(error)})`);
    // A link, or a socket.
    if (code === 'ELOOP' || code === 'ENXIO') return invalid(notPlain);
    const message = cannotBeRead(`its ${ignoreFileName}`, code);
    const isPassing = readFaultOf(code) !== 'barred';
    return { kind: 'invalid', message, isPassing, code: code === 'ENAMETOOLONG' ? tooLongCode : undefined };
  }
}

/** The rules that hold in a directory: those above it, and those of its own ignore file, if it has one. */
export function rulesBelow(
  above: readonly PlacedRules[],
  directory: string,
  own: FileRules | undefined,
): readonly PlacedRules[] {
  if (own === undefined) return above;
  return [...above, { directory, file: joinPath(directory, ignoreFileName), rules: own }];
}

const notPlain = `is larger than ${maxBytes / 1024} KiB or not a regular file; replace it, or remove it`;

function invalid(why: string): RulesReading {
  return { kind: 'invalid', message: `its ${ignoreFileName} ${why}`, isPassing: false, code: ignoreFileCode };
}
