/** JSON: what hangs on an error, a request or an answer gets into no log. */
type LogValue = string | number | boolean | null | undefined | readonly LogValue[] | LogData;

interface LogData {
  readonly [name: string]: LogValue;
}

/** Fixed words and data, as pino takes them. */
type LogLine = (data: LogData, message: string) => void;

/** The log. Implementations escape names and messages and redact secrets. */
export interface LogPort {
  readonly trace: LogLine;
  readonly debug: LogLine;
  readonly info: LogLine;
  readonly warn: LogLine;
  readonly error: LogLine;
}

/** Keeps nothing: for who reports by itself what it finds. */
export const silentLog: LogPort = {
  trace: () => {},
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
};
