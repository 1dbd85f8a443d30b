const longestDocId = 200;

/**
 * Says whether an identifier can be kept and put into a path: 1 to 200 characters, no control characters, no
 * slashes, not dots only. What comes from the service ends in the address of a DELETE.
 */
export function isUsableDocId(value: unknown): value is string {
  if (typeof value !== 'string' || value.length === 0 || value.length > longestDocId) return false;
  return !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}/\\]|^\.+$|^\s|\s$/u.test(value);
}
