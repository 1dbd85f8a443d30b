import { closeSync, openSync } from 'node:fs';
import { isatty } from 'node:tty';
import { exitCodes } from '../../model/errors.ts';

const standardError = 2;
const echoMs = 250;

export type Signals = ReturnType<typeof listenForSignals>;

/**
 * Listens for SIGTERM, SIGINT and SIGHUP, contract section 2. A second SIGTERM or SIGINT ends the process at once. A SIGHUP because the
 * terminal was closed counts as SIGTERM: else a daemon would run on that nobody sees.
 */
export function listenForSignals() {
  const waiting: NodeJS.Signals[] = [];
  let wake: ((signal: NodeJS.Signals) => void) | null = null;
  let pending: Promise<NodeJS.Signals> | null = null;
  let stopped: { readonly by: NodeJS.Signals; readonly at: number } | null = null;
  const onTerminal = isatty(standardError);
  const names: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];

  function take(given: NodeJS.Signals): void {
    const signal = given === 'SIGHUP' && onTerminal && isTerminalGone() ? 'SIGTERM' : given;
    if (signal !== 'SIGHUP') {
      if (stopped !== null) {
        if (isEcho(signal, stopped)) return;
        process.exit(exitCodes.unforeseen);
      }
      stopped = { by: signal, at: performance.now() };
    }
    if (wake === null) waiting.push(signal);
    else wake(signal);
    wake = null;
    pending = null;
  }

  for (const name of names) process.on(name, take);
  return {
    /** Resolves with the next one, the same for all who wait for it; those that come meanwhile are kept. */
    next: (): Promise<NodeJS.Signals> => {
      const first = waiting.shift();
      if (first !== undefined) return Promise.resolve(first);
      pending ??= new Promise((resolve) => {
        wake = resolve;
      });
      return pending;
    },
    close: (): void => {
      for (const name of names) process.off(name, take);
    },
  };
}

/** Under npm, Ctrl-C comes twice: from the terminal, and handed on by npm. */
function isEcho(
  signal: NodeJS.Signals,
  first: { readonly by: NodeJS.Signals; readonly at: number },
): boolean {
  const isUnderNpm = process.env['npm_lifecycle_event'] !== undefined;
  return isUnderNpm && signal === first.by && performance.now() - first.at < echoMs;
}

/** A terminal that was hung up cannot be opened any more, though its descriptors still are. */
function isTerminalGone(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return false;
  } catch {
    return true;
  }
}
