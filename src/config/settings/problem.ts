/** Something wrong with the configuration, in the words of the person who wrote it. */
export interface Problem {
  /** Path of the key in the file; empty for the file as a whole. */
  readonly path: readonly PropertyKey[];
  /** What is wrong, with the value, and the fix. */
  readonly message: string;
}
