import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { errorCode, errorMessage } from '../../model/errors.ts';
import type { CheckFinding } from '../../model/report/command-reports.ts';
import type { ServiceSettings } from '../../model/settings.ts';
import { countWords, numberWords } from '../../lib/text/amounts.ts';
import { createAgents } from '../../remote/http/agents.ts';

/** Beyond this a token may look expired, or valid for too long. */
const TOLERATED_SECONDS = 60;

type ClockedService = Pick<ServiceSettings, 'authUrl' | 'connectSeconds'>;

/** Asks the token endpoints' host for nothing: does it answer, and does its Date header agree with this machine's clock. No credentials go out. */
export async function checkServiceClock({
  authUrl,
  connectSeconds,
}: ClockedService): Promise<CheckFinding[]> {
  const found = (
    level: CheckFinding['level'],
    code: string,
    [message, fix]: readonly [string, string],
  ): CheckFinding => ({
    level,
    subject: authUrl,
    code,
    message,
    fix,
  });
  try {
    const before = Date.now();
    const date = await dateOf(authUrl, connectSeconds * 1000);
    const now = (before + Date.now()) / 2;
    const answers = found('info', 'service-reachable', ['it answers', '']);
    const seconds = date === undefined ? Number.NaN : Math.round((now - Date.parse(date)) / 1000);
    if (Number.isNaN(seconds)) {
      return [
        answers,
        found('info', 'clock', ['it sends no Date header, so the clocks could not be compared', '']),
      ];
    }
    if (Math.abs(seconds) <= TOLERATED_SECONDS) {
      const within = countWords(Math.max(1, Math.abs(seconds)), 'second');
      return [
        answers,
        found('info', 'clock', [`this machine’s clock agrees with the service’s to within ${within}`, '']),
      ];
    }
    const way = seconds > 0 ? 'ahead of' : 'behind';
    return [
      answers,
      found('warning', 'clock', [
        `this machine’s clock is ${numberWords(Math.abs(seconds))} seconds ${way} the service’s`,
        'Set the clock: timedatectl set-ntp true',
      ]),
    ];
  } catch (error) {
    return [
      found('error', 'service-unreachable', [
        `cannot be reached (${errorCode(error) ?? errorMessage(error)})`,
        'Check the address, the network, the proxy (HTTPS_PROXY) and the certificate (NODE_EXTRA_CA_CERTS).',
      ]),
    ];
  }
}

function dateOf(address: string, withinMs: number): Promise<string | undefined> {
  const agents = createAgents(address);
  const secure = address.startsWith('https:');
  return new Promise<string | undefined>((resolve, reject) => {
    const call = (secure ? requestHttps : requestHttp)(
      address,
      { method: 'HEAD', agent: secure ? agents.https : agents.http, signal: AbortSignal.timeout(withinMs) },
      (response) => {
        response.resume();
        resolve(response.headers.date);
      },
    );
    call.on('error', reject);
    call.end();
  }).finally(agents.close);
}
