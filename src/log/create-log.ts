import { fstatSync } from 'node:fs';
import { isatty } from 'node:tty';
import { pino } from 'pino';
import { orNull } from '../lib/or-null.ts';
import { printable, printableJson } from '../lib/text/printable.ts';
import type { Redactor } from '../lib/text/redactor.ts';
import type { LogPort } from '../model/ports/log-port.ts';
import type { Settings } from '../model/settings.ts';
import { cleanData, cleanText } from './clean-data.ts';
import { writeStandardError } from './standard-error.ts';

/** What a log is made of. */
export interface LogOptions {
  readonly level: Settings['log']['level'];
  readonly format: Settings['log']['format'];
  readonly redactor: Redactor;
  /** How a line for a person names commands. Default: as it stands. */
  readonly asTyped?: (text: string) => string;
  /** Takes whole lines with their line end. */
  readonly write: (text: string) => void;
  /** Whether lines go to a terminal. Default: whether standard error is one. */
  readonly terminal?: boolean | undefined;
  /** Whether lines begin with their priority, as systemd's journal reads it. Default: whether they go there. */
  readonly journal?: boolean | undefined;
}

/** A log whose secrets and level can change while it runs. */
export interface Log extends LogPort {
  /** Adds texts to redact: tokens, rotated credentials. */
  readonly addSecrets: (secrets: readonly string[]) => void;
  readonly setLevel: (level: Settings['log']['level']) => void;
}

/**
 * Writes log lines to standard error: JSON, or readable on a terminal. Secrets in texts are redacted. Control
 * characters are escaped, in JSON as its own `\u` escapes, so that one event is one line and acts on no terminal. Never
 * throws and never ends the process.
 */
export async function createLog(options: LogOptions): Promise<Log> {
  const { redactor, asTyped = String, write, terminal = isatty(2) } = options;
  const pretty = options.format === 'pretty' || (options.format === 'auto' && terminal);
  const color = terminal && !process.env['NO_COLOR'];
  const journal = options.journal ?? (write === writeStandardError && isJournal(process.env));
  // `<4>`: a line of JSON begins with its level.
  const priorityOf = (line: string) => `<${priorities[/^\{"level":"(\w+)"/.exec(line)?.[1] ?? ''] ?? 7}>`;
  const writeJson = (line: string): void => write(`${journal ? priorityOf(line) : ''}${printableJson(line)}`);
  const destination = { write: pretty ? await prettyWriter(write, color) : writeJson };
  const writing = { redactor, show: pretty ? (text: string) => printable(asTyped(text)) : String };
  const logger = pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  const line =
    (level: 'trace' | 'debug' | 'info' | 'warn' | 'error') =>
    (data: object, message: string): void => {
      if (logger.isLevelEnabled(level)) logger[level](cleanData(data, writing), cleanText(message, writing));
    };
  return {
    trace: line('trace'),
    debug: line('debug'),
    info: line('info'),
    warn: line('warn'),
    error: line('error'),
    addSecrets: redactor.add,
    setLevel: (level) => {
      logger.level = level;
    },
  };
}

/** sd-daemon(3): systemd names the device and inode of the stream that it reads. */
function isJournal({ JOURNAL_STREAM: stream }: NodeJS.ProcessEnv): boolean {
  // Standard error may be closed.
  const stats = orNull(() => fstatSync(2));
  return stats !== null && stream === `${stats.dev}:${stats.ino}`;
}

const priorities: Readonly<Record<string, number>> = { error: 3, warn: 4, info: 6 };

async function prettyWriter(write: (text: string) => void, color: boolean): Promise<(line: string) => void> {
  // A service that logs JSON does without it.
  const { default: pinoPretty } = await import('pino-pretty');
  const prettify = pinoPretty.prettyFactory({
    colorize: color,
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
    ignore: 'pid,hostname',
  });
  return (line) => write(prettify(line) ?? line);
}
