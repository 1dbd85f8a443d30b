import { execFile } from 'node:child_process';
import { mkdir, rename, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { inTemporaryDirectory, installDaemon, memoryOf, sentTo, startService, tokenOf } from './world.mjs';

const execute = promisify(execFile);
const mebibyte = 1024 * 1024;
const fileMegabytes = 149;
const rounds = 3;

/** One file of 149 MiB, and four at once, beside `curl --form` of the same files to the same service, in turn. */
export async function run() {
  return [...(await measure(1, 0.5)), ...(await measure(4, 0.8))];
}

function measure(count, leastShare) {
  return inTemporaryDirectory(async (home) => {
    const service = await startService(join(home, 'service'));
    const daemon = await installDaemon(home, service, { timing: { settleMs: 0 } });
    const running = await daemon.start();
    await running.until(({ state }) => state === 'idle');
    const idleMegabytes = await memoryOf(running.pid, 'VmRSS');
    let best = { ours: Infinity, theirs: Infinity };
    for (let round = 0; round < rounds; round += 1) {
      const paths = await makeFiles(home, { round, count });
      const theirs = await timeOf(() => sendByCurl(service, paths));
      const before = sentTo(service).length;
      for (const path of paths) await rename(path, path.replace('/apart/', '/inbox/'));
      await running.until(({ totals }) => totals.uploaded === (round + 1) * count, 5);
      const ours = performance.now() - sentTo(service)[before].atMs;
      best = { ours: Math.min(best.ours, ours), theirs: Math.min(best.theirs, theirs) };
    }
    const peakMegabytes = await memoryOf(running.pid, 'VmHWM');
    await running.stop();
    await service.close();
    const rate = (ms) => (count * fileMegabytes * 1_000) / ms;
    return [
      {
        what: `upload of ${count} × ${fileMegabytes} MiB at once, best of ${rounds}`,
        measured: rate(best.ours),
        unit: 'MiB/s',
        against: `curl: ${rate(best.theirs).toFixed(0)} MiB/s`,
        ratio: best.theirs / best.ours,
        limit: `${leastShare} of curl`,
        ok: best.theirs / best.ours >= leastShare,
      },
      {
        what: `peak memory beyond idle while ${count} × ${fileMegabytes} MiB go out`,
        measured: peakMegabytes - idleMegabytes,
        unit: 'MB',
        against: `idle: ${idleMegabytes.toFixed(0)} MB`,
        ratio: peakMegabytes / idleMegabytes,
        limit: '60 MB',
        ok: peakMegabytes - idleMegabytes <= 60,
      },
    ];
  });
}

async function makeFiles(home, { round, count }) {
  await mkdir(join(home, 'apart'), { recursive: true });
  const paths = Array.from({ length: count }, (_, index) => join(home, 'apart', `${round}-${index}.pdf`));
  for (const path of paths) {
    await writeFile(path, path);
    await truncate(path, fileMegabytes * mebibyte);
  }
  return paths;
}

async function sendByCurl(service, paths) {
  const headers = [
    '--header',
    `Authorization: Bearer ${await tokenOf(service)}`,
    '--header',
    `ClientId: ${service.credentials.clientId}`,
  ];
  const url = `${service.ingestUrl}/services/i/ingestion-api/v1/upload-document`;
  const fixed = ['--silent', '--fail', '--output', '/dev/null', ...headers, '--form', 'metadata={}'];
  await Promise.all(paths.map((path) => execute('curl', [...fixed, '--form', `file=@${path}`, url])));
}

async function timeOf(act) {
  const began = performance.now();
  await act();
  return performance.now() - began;
}
