import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import { expect, it } from '@jest/globals';

import { openRaw } from '../support/raw-request.ts';
import { prefix, startTrial } from '../support/trial.ts';

const mebibyte = 1024 * 1024;
const sizeMebibytes = 149;

it('streams 149 MiB to disk without holding it', async () => {
  const trial = await startTrial();
  try {
    const headers = { ...(await trial.headers()), 'Content-Type': 'multipart/form-data; boundary=x' };
    const { call, answer } = openRaw(`${trial.service.ingestUrl}${prefix}/upload-document`, { headers });
    const chunk = Buffer.alloc(mebibyte);
    const hash = createHash('sha256');
    const held = () => {
      const { external, heapUsed } = process.memoryUsage();
      return external + heapUsed;
    };
    const before = held();
    let peak = 0;
    call.write('--x\r\nContent-Disposition: form-data; name="file"; filename="a.one"\r\n\r\n');
    for (let sent = 0; sent < sizeMebibytes; sent += 1) {
      hash.update(chunk);
      if (!call.write(chunk)) await new Promise((resolve) => call.once('drain', resolve));
      peak = Math.max(peak, held());
      if (sent % 16 === 0) await delay(0);
    }
    call.end('\r\n--x--\r\n');
    expect((await answer).status).toBe(200);
    expect(trial.service.documents()).toMatchObject([
      { size: sizeMebibytes * mebibyte, sha256: hash.digest('hex') },
    ]);
    expect((peak - before) / mebibyte).toBeLessThan(75);
  } finally {
    await trial.close();
  }
});
