import { redisNodes } from '../../lib/server/redis-address.ts';
import { errorMessage } from '../../model/errors.ts';
import { finding } from '../../model/report/command-reports.ts';
import type { CheckFinding } from '../../model/report/command-reports.ts';
import type { ClusterSettings } from '../../model/settings.ts';

/** Whether Redis answers, lets this host in, and keeps what it is told. Writes nothing. */
export async function checkRedis({
  redis,
}: Pick<ClusterSettings, 'redis'>): Promise<readonly CheckFinding[]> {
  const subject = redisNodes(redis);
  const { evictsWords, openSession } = await import('../../cluster/redis/connection.ts');
  try {
    const quiet = { channels: [], onMessage: () => {}, onEnd: () => {} };
    const { evictsBy, close } = await openSession({ address: redis, prefix: '', ...quiet });
    close();
    return evictsBy === null
      ? [finding('info', subject, { code: 'redis-reachable', message: 'it answers', fix: '' })]
      : [finding('warning', subject, { code: 'redis-evicts', message: evictsWords(evictsBy) })];
  } catch (error) {
    const message = `Redis cannot be reached: ${errorMessage(error)}`;
    return [finding('error', subject, { code: 'redis-unavailable', message })];
  }
}
