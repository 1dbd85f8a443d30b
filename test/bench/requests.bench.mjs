import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { fill, live, weekend } from './requests/changes.mjs';
import { inTemporaryDirectory, installDaemon, sentTo, startService } from './world.mjs';

/** It has gone quiet when nothing has stirred for so long. */
const quietMs = 1_200;

/**
 * Counts, at the log of the service, the requests for each change of the real daemon with the times and titles of its
 * defaults. After each change the service has to hold just what the folders hold. `write` puts the table into
 * docs/requests-per-change.md.
 */
export async function run({ write = false } = {}) {
  const rows = await inTemporaryDirectory(measure);
  if (write) await writeFile('docs/requests-per-change.md', page(rows));
  return rows.map(({ what, ours, calls, least, right }) => ({
    what,
    measured: ours,
    unit: `requests${calls === '' ? '' : ` (${calls})`}`,
    against: null,
    ratio: null,
    limit: `${least}, the least possible`,
    ok: right && ours <= least,
  }));
}

async function measure(home) {
  const service = await startService(join(home, 'service'));
  const daemon = await installDaemon(home, service, {
    folders: [
      { name: 'inbox', path: './inbox' },
      { name: 'plain', path: './plain', title: 'none' },
    ],
    safety: { maxDeletePercent: 100 },
  });
  const directories = [join(home, 'inbox'), join(home, 'plain')];
  await fill(home);
  await daemon.command('sync');
  let running = await daemon.start();

  async function settled() {
    let since = performance.now();
    await running.until(({ state }) => {
      if (state !== 'idle') since = performance.now();
      return performance.now() - since > quietMs;
    });
  }

  async function observe({ what, least, why, act }) {
    const before = sentTo(service).length;
    await act(home);
    await delay(100);
    await settled();
    const sent = sentTo(service).slice(before);
    return {
      what,
      least,
      why,
      ours: sent.length,
      calls: callsOf(sent),
      right: await agrees(service, directories),
    };
  }

  try {
    await settled();
    const rows = [];
    for (const change of live) rows.push(await observe(change));
    rows.push(
      await observe({
        ...weekend,
        act: async () => {
          await running.stop();
          await weekend.act(home);
          running = await daemon.start();
        },
      }),
    );
    return rows;
  } finally {
    await running.stop();
    await service.close();
  }
}

function callsOf(sent) {
  const counts = new Map();
  for (const { operation } of sent) counts.set(operation, (counts.get(operation) ?? 0) + 1);
  return [...counts].map(([operation, count]) => `${count} ${operation}`).join(', ');
}

/** Whether the service holds the bytes of each document of the folders, and nothing else. */
async function agrees(service, directories) {
  const there = [];
  for (const { file } of service.documents()) there.push(await hashOf(service.pathOf(file)));
  const here = [];
  for (const directory of directories) {
    for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
      const isDocument = /^[^.].*\.txt$/.test(entry.name);
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile() && isDocument && !path.includes('/.')) here.push(await hashOf(path));
    }
  }
  return there.sort().join() === here.sort().join();
}

async function hashOf(path) {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
}

function page(rows) {
  const lines = rows.map(
    ({ what, ours, calls, least, why, right }) =>
      `| ${what} | **${ours}**${calls === '' ? '' : ` (${calls})`} | ${least}: ${why} |${right ? '' : ' the service does not hold what the folder holds |'}`,
  );
  return `# Requests per change

Counted at the log of the embedded service by \`npm run bench -- requests --write\`, which writes this page: the real daemon
with its default times. After each change the service has to hold just what the folders hold. At 50 requests a minute, 1,000
requests are 20 minutes. A save costs one request in every way in which programs do it, and none where the bytes are the same.

A title that comes from the file name follows a rename with one modify, and no bulk call can carry a title; \`title: none\`
marks the rows without that.

| change | ingestd | least possible |
| ------ | ------- | -------------- |
${lines.join('\n')}
`;
}
