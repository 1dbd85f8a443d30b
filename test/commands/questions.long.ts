import { spawn, spawnSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

import { describeWhere } from '../support/needs.ts';
import { installationWithService } from '../support/processes/installation-with-service.ts';
import { program } from '../support/processes/program.ts';
import { ofEachTest } from '../support/of-each-test.ts';

const missingScript =
  spawnSync('script', ['--version']).status === 0 ? null : 'script (Debian package bsdutils)';

describeWhere(missingScript, 'on a terminal', () => {
  const place = ofEachTest(() => installationWithService());
  /** Runs a command on a terminal of its own and types the answer when it asks. Gives all that the terminal shows. */
  function typed(answer: string, ...words: string[]): Promise<string> {
    const command = [process.execPath, program, ...words, '--config', place.home.join('ingestd.yaml')];
    const child = spawn('script', ['-qec', command.join(' '), '/dev/null'], {
      cwd: place.home.path,
      env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm', NO_COLOR: '1' },
    });
    let shown = '';
    let isAnswered = false;
    child.stdout.on('data', (chunk: Buffer) => {
      shown += chunk.toString();
      if (isAnswered || !shown.includes('(y/N)')) return;
      isAnswered = true;
      child.stdin.write(`${answer}\r`);
    });
    return new Promise((resolve) => {
      child.once('close', () => resolve(shown));
    });
  }

  async function deliver(...names: string[]): Promise<void> {
    for (const name of names) await writeFile(join(place.inbox, name), name);
    expect(await place.run('sync')).toMatchObject({ code: 0 });
  }

  it('ledger service-moved asks whether it is the same service', async () => {
    await deliver('a.txt', 'b.txt');
    await place.configure({ service: { ingestUrl: `${place.service.ingestUrl}/new` } });
    const refused = await typed('n', 'ledger', 'service-moved');
    expect(refused).toMatch(/hold the 2 documents that\s+http:\/\/localhost \(any port\) holds/);
    expect(refused).toContain('Nothing was changed.');
    expect((await place.run('plan')).code).toBe(2);
    expect(await typed('y', 'ledger', 'service-moved')).toContain('2 documents now belong to');
    expect((await place.run('plan')).code).toBe(0);
    await place.configure({});
    const unasked = await typed('n', 'ledger', 'service-moved', '--yes');
    expect(unasked).toMatch(/^The ledger’s 2 documents now belong to http:\/\/localhost \(any port\)/);
  });

  it('approve names the deletions, and releases them', async () => {
    await mkdir(join(place.inbox, 'd'));
    const names = Array.from({ length: 12 }, (_, index) => `d/${index}.txt`);
    await deliver(...names);
    await rm(join(place.inbox, 'd'), { recursive: true });
    expect((await place.run('sync')).code).toBe(4);
    const refused = await typed('n', 'approve');
    for (const name of names) expect(refused).toContain(`inbox/${name}\r\n`);
    expect(refused).toContain('Nothing was changed.');
    expect(await typed('y', 'approve')).toContain('12 deletions approved');
    await deliver();
    expect(place.service.requests.filter(({ method }) => method === 'DELETE')).not.toEqual([]);
  });
});
