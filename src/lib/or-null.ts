/** What `read` gives; null where it throws: for what may not be there, and whose reason nobody asks for. */
export function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
