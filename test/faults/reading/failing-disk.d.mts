import type fs from 'node:fs';

/** What is done with a path. */
export type DiskOperation = 'open' | 'read' | 'stat' | 'list';

/** The functions as they are, for whoever prepares the disk. */
export declare const disk: typeof fs;

/**
 * From now on every look at a file asks `fault` first, and fails with the code that this gives; null: it does not fail.
 * Gives what ends that.
 */
export declare function failDisk(
  fault: (operation: DiskOperation, path: string) => string | null,
): () => void;
