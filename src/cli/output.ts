import type { Writable } from 'node:stream';
import picocolors from 'picocolors';
import { errorCode } from '../model/errors.ts';

/** Standard output of a command. */
export interface Output {
  /** One line, as it stands: names and messages in it have gone through `printable`. */
  readonly line: (text?: string) => void;
  /** Text as it stands: scripts, exports. */
  readonly raw: (text: string) => void;
  /** One JSON value, and nothing else is to follow. */
  readonly json: (value: unknown) => void;
  readonly colors: ReturnType<typeof picocolors.createColors>;
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
    line: (text = '') => raw(`${text}\n`),
    json: (value) => raw(`${JSON.stringify(value, null, terminal ? 2 : undefined)}\n`),
    colors: picocolors.createColors(wantsColor(terminal, env)),
    terminal,
    closed: () => closed,
    flush: () =>
      new Promise((resolve) => {
        if (closed || stream.destroyed) resolve();
        else stream.write('', () => resolve());
      }),
  };
}

/** https://no-color.org, and FORCE_COLOR for pipes that understand. */
function wantsColor(terminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  if (env['NO_COLOR']) return false;
  if (env['FORCE_COLOR']) return env['FORCE_COLOR'] !== '0';
  return terminal && env['TERM'] !== 'dumb';
}
