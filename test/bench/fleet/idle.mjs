// What a real process that has nothing to do costs Redis: the commands that it sends in one minute, by MONITOR.
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startService } from '../world.mjs';
import { hostProcess } from './host-process.mjs';
import { atMost, row } from './measures.mjs';
import { startRedis } from './redis.mjs';

const settleMs = 15_000;
const watchMs = 60_000;

export async function measureIdle(home) {
  const redis = await startRedis();
  const service = await startService(join(home, 'service'));
  const empty = redis.memory();
  const host = await hostProcess(join(home, 'host'), {
    name: 'idle',
    service,
    redisPort: redis.port,
    inbox: join(home, 'inbox'),
    stateDir: join(home, 'state'),
    standBy: false,
  });
  host.launch();
  try {
    await host.answers();
    await delay(settleMs);
    const memory = redis.memory() - empty;
    const before = redis.commands();
    const sent = await redis.watch(watchMs);
    const within = redis.commands() - before - sent.length;
    const perSecond = sent.length / (watchMs / 1000);
    return [
      row('an idle process: commands to Redis', perSecond, 'a second', atMost(0.6, perSecond)),
      row('the same: commands inside of its scripts', within / (watchMs / 1000), 'a second'),
      row('the same: memory of Redis', memory, 'bytes'),
    ];
  } finally {
    await host.stop();
    await service.close();
    await redis.kill();
  }
}
