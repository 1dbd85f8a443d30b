import { STATUS_CODES } from 'node:http';

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

/** The whole answer to bytes that became no request, by the code of Node's error: too slow, too large, or not HTTP. */
export function unreadableAnswer(
  code: string | undefined,
  headers: Readonly<Record<string, string>>,
  body = '',
): string {
  const status = statuses.get(code ?? '') ?? 400;
  const all = { ...headers, connection: 'close', 'content-length': String(Buffer.byteLength(body)) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}
