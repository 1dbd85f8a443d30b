import * as z from 'zod';

import type { FileStamp } from '../model/document.ts';

/** What `lstat` said of a file, as the ledger keeps it. */
export const stampSchema: z.ZodType<FileStamp> = z.object({
  size: z.number(),
  mtimeMs: z.number(),
  ctimeMs: z.number(),
  birthtimeMs: z.number(),
  ino: z.number(),
  dev: z.number(),
});
