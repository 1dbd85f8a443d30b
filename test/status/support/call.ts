import { request } from 'node:http';
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';

export interface Call {
  /** Port of 127.0.0.1, or the path of a socket. */
  readonly to: number | string;
  readonly path: string;
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body read as JSON. */
  readonly json: () => unknown;
}

/**
 * One request over a connection of its own, with exactly these headers: fetch would not send a Host of one's choice.
 */
export function call({ to, path, method = 'GET', headers = {}, body }: Call): Promise<Answer> {
  const where = typeof to === 'number' ? { host: '127.0.0.1', port: to } : { socketPath: to };
  return new Promise((resolve, reject) => {
    const outgoing = request({ ...where, path, method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          json: () => JSON.parse(text) as unknown,
        }),
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
