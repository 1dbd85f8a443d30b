import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares two secrets in constant time; not even their lengths leak. */
export function sameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
