import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { inTemporaryDirectory, installDaemon, sentTo, startService } from './world.mjs';

const limit = 50;
const windowMs = 60_000;
const windows = 2;

/**
 * A backlog at the real 50 a minute: how many requests any sliding minute of the service's clock saw, and the share
 * used.
 */
export function run() {
  return inTemporaryDirectory(async (home) => {
    const service = await startService(join(home, 'service'), { requestsPerMinute: limit });
    const daemon = await installDaemon(home, service, { service: { requestsPerMinute: limit } });
    const files = limit * (windows + 1);
    for (let index = 0; index < files; index += 1) {
      await writeFile(join(home, 'inbox', `${index}.txt`), `text ${index}`);
    }
    const running = await daemon.start();
    await running.until(({ totals }) => totals.uploaded === files, 200);
    await running.stop();
    const sent = sentTo(service);
    await service.close();
    const times = sent.map(({ atMs }) => atMs);
    const fullest = Math.max(
      ...times.map((from) => times.filter((at) => at >= from && at < from + windowMs).length),
    );
    const over = times.filter(
      (from) => times.filter((at) => at >= from && at < from + windowMs).length > limit,
    ).length;
    const share = (windows * windowMs) / (times[windows * limit] - times[0]);
    const refused = sent.filter(({ status }) => status === 429).length;
    const rows = [
      ['windows over the limit', over, 'windows', `fullest: ${fullest} of ${limit}`, null, '0', over === 0],
      [
        'requests that the service refused for their number',
        refused,
        'requests',
        null,
        null,
        '0',
        refused === 0,
      ],
      [
        `share of the limit used over ${windows} windows`,
        share * 100,
        '%',
        `${windows * limit} requests in ${windows} minutes`,
        share,
        '97 %',
        share >= 0.97,
      ],
      ['the first 50 of a backlog', (times[limit - 1] - times[0]) / 1_000, 's', null, null, null, null],
    ];
    return rows.map(([what, measured, unit, against, ratio, asked, ok]) => ({
      what,
      measured,
      unit,
      against,
      ratio,
      limit: asked,
      ok,
    }));
  });
}
