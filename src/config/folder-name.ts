import * as z from 'zod';

/** A folder's name: 1 to 100 characters, no `/`, no control characters, no space at either end. */
export const folderNameSchema = z
  .string()
  .min(1)
  .max(100)
  .regex(/^(?!\s)[^/\p{Cc}\p{Cs}\u2028\u2029]+(?<!\s)$/u);
