/** Fixed words and data, as pino takes them. */
type LogLine = (data: object, message: string) => void;

/** Where the rooms say what they did. Names and messages are escaped and secrets are cut by who stands behind it. */
export interface LogPort {
  readonly trace: LogLine;
  readonly debug: LogLine;
  readonly info: LogLine;
  readonly warn: LogLine;
  readonly error: LogLine;
}
