import { once } from 'node:events';
import { request } from 'node:http';
import type { ClientRequest } from 'node:http';
import { connect } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly body: string;
}

/** Sends exactly these bytes as a body; `contentType` with its boundary. */
export async function sendRaw(
  url: string,
  {
    method = 'POST',
    headers,
    body,
  }: { method?: string; headers: Record<string, string>; body: Buffer | string },
): Promise<RawAnswer> {
  const { call, answer } = openRaw(url, { method, headers });
  call.end(body);
  return answer;
}

/**
 * Sends bytes that need not be HTTP, in pieces, and reads until the other side ends: `body` is all after the first
 * headers. `isCut`: says that no more comes.
 */
export async function sendBytes(
  url: string,
  bytes: string | readonly Buffer[],
  { isCut = false } = {},
): Promise<RawAnswer & { readonly head: string }> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  socket.on('error', () => {});
  for (const piece of [bytes].flat()) socket.write(piece);
  if (isCut) socket.end();
  await once(socket, 'close');
  const [head = '', ...rest] = text.split('\r\n\r\n');
  return { head, status: Number(/^HTTP\/1.1 (\d{3}) /.exec(head)?.[1]), body: rest.join('\r\n\r\n') };
}

/** A request whose body the test writes itself. */
export function openRaw(
  url: string,
  { method = 'POST', headers }: { method?: string; headers: Record<string, string> },
): { readonly call: ClientRequest; readonly answer: Promise<RawAnswer> } {
  const call = request(url, { method, headers, agent: false });
  const answer = new Promise<RawAnswer>((resolve, reject) => {
    call.on('error', reject);
    call.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }),
      );
    });
  });
  return { call, answer };
}

/** A multipart body from the raw headers and the content of its parts. */
export function multipart(
  boundary: string,
  parts: readonly (readonly [headers: string, content: string])[],
): Buffer {
  const text = parts
    .map(([headers, content]) => `--${boundary}\r\n${headers}\r\n\r\n${content}\r\n`)
    .join('');
  return Buffer.from(`${text}--${boundary}--\r\n`);
}
