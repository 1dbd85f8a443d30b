/** A user who owns nothing. */
export const nobody = 65_534;

/** Root may read everything: does it as somebody else, for whom closed files are closed. Of a user, as that user. */
export async function asUser<T>(act: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return act();
  process.seteuid?.(nobody);
  try {
    return await act();
  } finally {
    process.seteuid?.(0);
  }
}
