/** Fixed words and data, as pino takes them. */
type LogLine = (data: object, message: string) => void;

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
