/** JSON: what hangs on an error, a request or an answer gets into no log. */
type LogValue = string | number | boolean | null | undefined | readonly LogValue[] | LogData;

interface LogData {
  readonly [name: string]: LogValue;
}

/** Fixed words and data, as pino takes them. Implementations escape names and messages and redact secrets. */
export type LogPort = Readonly<
  Record<'trace' | 'debug' | 'info' | 'warn' | 'error', (data: LogData, message: string) => void>
>;

const nothing = (): void => {};

/** Keeps nothing: for who reports by itself what it finds. */
export const silentLog: LogPort = {
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
};
