/** The status with which the framework refuses a request by itself, as a body too large; null: it is another error. */
export function refusalStatus(error: unknown): number | null {
  const status: unknown =
    typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : undefined;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : null;
}

const statuses: ReadonlyMap<string, number> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
  ['HPE_HEADER_OVERFLOW', 431],
]);

/** The status for bytes that became no request, by the code of Node's error: too slow, too large, or not HTTP. */
export function unreadableStatus(code: string | undefined): number {
  return statuses.get(code ?? '') ?? 400;
}
