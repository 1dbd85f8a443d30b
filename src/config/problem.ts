/** Something wrong with the configuration, in the words of the person who wrote it. */
export interface Problem {
  /** Path of the key in the file; empty for the file as a whole. */
  readonly path: readonly PropertyKey[];
  /** What is wrong, with the value, and the fix. */
  readonly message: string;
  /** Where it stands in the file, if not where `path` leads. */
  readonly at?: Position | undefined;
  /** The environment variable that it stands in, if not in the file. */
  readonly variable?: string | undefined;
}

/** Line and column in the file, both from 1. */
export interface Position {
  readonly line: number;
  readonly col: number;
}
