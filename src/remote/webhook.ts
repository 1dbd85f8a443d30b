import { systemClock } from '../lib/time/clock.ts';
import { createAgents } from './http/agents.ts';
import { sendHttpRequest, textBody } from './http/send-http-request.ts';

const waits = { connectMs: 10_000, idleMs: 10_000, responseMs: 30_000, slowestBytesPerMs: 1 };

/**
 * Posts a value as JSON, once; a proxy of the environment is used, a redirect is not followed. Rejects unless the
 * answer is a success. The address is a secret: no error names it.
 */
export async function postToWebhook(address: string, value: unknown, signal: AbortSignal): Promise<void> {
  const agents = createAgents(address);
  const headers = { 'content-type': 'application/json' };
  const body = textBody(JSON.stringify(value));
  const answer = await sendHttpRequest(
    { method: 'POST', url: address, headers, body },
    { agents, clock: systemClock, waits, signal },
  ).finally(agents.close);
  if (answer.kind === 'fault') throw new Error(`the webhook cannot be reached (${answer.code})`);
  const { status } = answer;
  if (status >= 200 && status < 300) return;
  const redirected = status >= 300 && status < 400 ? '; redirects are not followed' : '';
  throw new Error(`the webhook answered with status ${status}${redirected}`);
}
