/** The environment variable of a key: `INGESTD_TIMING__SETTLE_MS`, `INGESTD_FOLDERS__0__PATH`. */
export function environmentName(path: readonly PropertyKey[]): string {
  return `INGESTD_${path.map((key) => snakeCase(String(key))).join('__')}`;
}

/** `settleMs` → `SETTLE_MS`. */
export function snakeCase(key: string): string {
  return key.replaceAll(/(?<=[a-z0-9])[A-Z]/g, '_$&').toUpperCase();
}
