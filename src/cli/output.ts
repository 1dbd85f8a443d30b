import { randomUUID } from 'node:crypto';
import type { Writable } from 'node:stream';
import picocolors from 'picocolors';
import { countWords } from '../lib/text/amounts.ts';
import { printable, printableJson } from '../lib/text/printable.ts';
import { errorCode } from '../model/errors.ts';

/** Standard output of a command. Whatever names and messages hold, only `raw` lets it act on a terminal. */
export type Output = ReturnType<typeof createOutput>;

/** Writes to a stream; a reader that goes away (`| head`) is no error. `asTyped`: how a line names commands. */
export function createOutput(
  stream: Writable & { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
  asTyped = (text: string): string => text,
) {
  let used = false;
  let closed = false;
  let failure: Error | undefined;
  stream.on('error', (error) => {
    closed = true;
    if (errorCode(error) !== 'EPIPE') failure ??= error;
  });
  const terminal = stream.isTTY === true;
  const raw = (text: string): void => {
    if (closed) return;
    used = true;
    stream.write(text);
  };
  const line = (text = ''): void => raw(`${printable(asTyped(text)).replaceAll(ownEscape, '\x1b')}\n`);
  const colors = createColors(wantsColor(terminal, env));
  return {
    /** Text of ingestd's own as it stands: scripts, help. */
    raw,
    /** One line: control characters in it are escaped. */
    line,
    asTyped,
    /** A line that begins with a count; nothing where there is nothing to count. */
    tally: (paint: keyof typeof colors, count: number, noun: string, words: string): void => {
      if (count > 0) line(colors[paint](`${countWords(count, noun)} ${words}`));
    },
    /** A JSON value, its control characters as `\u` escapes. On a terminal it is indented unless `compact`. */
    json: (value: unknown, layout: 'compact' | 'indented' = terminal ? 'indented' : 'compact'): void =>
      raw(`${printableJson(JSON.stringify(value, null, layout === 'indented' ? 2 : undefined))}\n`),
    colors,
    /** True once nothing more can be written. */
    closed: (): boolean => closed,
    /** Resolves when everything is written, or with what kept it from being written. */
    flush: () =>
      new Promise<Error | undefined>((resolve) => {
        // Nothing was written, so nothing can be missing: /dev/full refuses an empty write as well.
        if (!used || closed || stream.destroyed) resolve(failure);
        // A stream emits its error after the callback.
        else stream.write('', () => setImmediate(() => resolve(failure)));
      }),
  };
}

/** So many documents at least, of which the same is said, are one line. */
export const leastGathered = 5;

/** Stands in a painted text for the escape character: no name and no message can bring it. */
const ownEscape = `<${randomUUID()}>`;

/** Paints text on a terminal that shows colors. */
function createColors(enabled: boolean) {
  const colors = picocolors.createColors(enabled);
  const own = (paint: (text: string) => string) => (text: string) =>
    paint(printable(text)).replaceAll('\x1b', ownEscape);
  return {
    bold: own(colors.bold),
    dim: own(colors.dim),
    red: own(colors.red),
    yellow: own(colors.yellow),
    green: own(colors.green),
    cyan: own(colors.cyan),
  };
}

/** https://no-color.org, and FORCE_COLOR for pipes that understand. */
function wantsColor(terminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  if (env['NO_COLOR']) return false;
  if (env['FORCE_COLOR']) return env['FORCE_COLOR'] !== '0';
  return terminal && env['TERM'] !== 'dumb';
}
