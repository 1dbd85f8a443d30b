import { got } from 'got';

import { errorCode } from '../model/errors.ts';
import { createAgents } from './http/agents.ts';

const answerMs = 30_000;

/**
 * Posts a value as JSON, once; a proxy of the environment is used, a redirect is not followed. Rejects unless the answer
 * is a success. The address is a secret: no error names it.
 */
export async function postToWebhook(address: string, value: unknown, signal: AbortSignal): Promise<void> {
  const agents = createAgents(address);
  const request = got.stream.post(address, {
    body: JSON.stringify(value),
    headers: { 'content-type': 'application/json', 'user-agent': 'ingestd' },
    agent: { http: agents.http, https: agents.https },
    retry: { limit: 0 },
    timeout: { request: answerMs },
    followRedirect: false,
    throwHttpErrors: false,
    decompress: false,
    signal,
  });
  try {
    const status = await new Promise<number>((resolve, reject) => {
      request.on('response', ({ statusCode }: { statusCode: number }) => resolve(statusCode));
      request.on('error', (error) => {
        const code = errorCode(error) ?? 'no answer';
        reject(new Error(`the webhook cannot be reached (${code})`));
      });
    });
    if (status >= 200 && status < 300) return;
    const redirected = status >= 300 && status < 400 ? '; redirects are not followed' : '';
    throw new Error(`the webhook answered with status ${status}${redirected}`);
  } finally {
    // What else it says is of no interest.
    request.on('error', () => {});
    request.destroy();
    agents.close();
  }
}
