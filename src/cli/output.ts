import { randomUUID } from 'node:crypto';
import type { Writable } from 'node:stream';
import picocolors from 'picocolors';
import { printable, printableJson } from '../lib/text/printable.ts';
import { errorCode } from '../model/errors.ts';

/** Paints text on a terminal that shows colors. */
type Colors = Readonly<
  Record<'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan', (text: string) => string>
>;

/** Standard output of a command. Whatever names and messages hold, only `raw` lets it act on a terminal. */
export interface Output {
  /** One line: control characters in it are escaped. */
  readonly line: (text?: string) => void;
  /** Lines in the place of those that were there before. */
  readonly screen: (lines: readonly string[]) => void;
  /** Text of ingestd's own as it stands: scripts, help. */
  readonly raw: (text: string) => void;
  /** A JSON value, its control characters as `\u` escapes. On a terminal it is indented unless `compact`. */
  readonly json: (value: unknown, layout?: 'compact' | 'indented') => void;
  readonly colors: Colors;
  /** True on a terminal: progress and redrawing make sense. */
  readonly terminal: boolean;
  /** True once the reader went away. */
  readonly closed: () => boolean;
  /** Resolves when everything is written. */
  readonly flush: () => Promise<void>;
}

interface OutputStream extends Writable {
  readonly isTTY?: boolean;
}

/** Writes to a stream; a reader that goes away (`| head`) is no error. */
export function createOutput(
  stream: OutputStream,
  env: Readonly<Record<string, string | undefined>>,
): Output {
  let closed = false;
  stream.on('error', (error) => {
    closed = true;
    if (errorCode(error) !== 'EPIPE') process.exitCode = 1;
  });
  const terminal = stream.isTTY === true;
  const raw = (text: string): void => {
    if (!closed) stream.write(text);
  };
  return {
    raw,
    line: (text = '') => raw(`${safeLine(text)}\n`),
    // Home, then each line with the rest of the old one cut, then what is below.
    screen: (lines) => raw(`\x1b[H${lines.map((line) => `${safeLine(line)}\x1b[K\n`).join('')}\x1b[J`),
    json: (value, layout = terminal ? 'indented' : 'compact') =>
      raw(`${printableJson(JSON.stringify(value, null, layout === 'indented' ? 2 : undefined))}\n`),
    colors: createColors(wantsColor(terminal, env)),
    terminal,
    closed: () => closed,
    flush: () =>
      new Promise((resolve) => {
        if (closed || stream.destroyed) resolve();
        else stream.write('', () => resolve());
      }),
  };
}

/** Stands in a painted text for the escape character: no name and no message can bring it. */
const ownEscape = `<${randomUUID()}>`;

function createColors(enabled: boolean): Colors {
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

function safeLine(text: string): string {
  return printable(text).replaceAll(ownEscape, '\x1b');
}

/** https://no-color.org, and FORCE_COLOR for pipes that understand. */
function wantsColor(terminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  if (env['NO_COLOR']) return false;
  if (env['FORCE_COLOR']) return env['FORCE_COLOR'] !== '0';
  return terminal && env['TERM'] !== 'dumb';
}
