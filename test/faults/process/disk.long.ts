import { execFileSync } from 'node:child_process';
import { mkdir, readdir, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { installationWithService } from '../../support/processes/installation-with-service.ts';
import type { RunningDaemon } from '../../support/processes/daemon-process.ts';
import { eventually, eventuallyHolds } from '../../support/eventually.ts';
import { describeWhere } from '../../support/needs.ts';
import { ofEachTest } from '../../support/of-each-test.ts';
import { steps } from '../../support/services/scripted-service.ts';

let state: string;
let mounted: boolean;

// Before the directory is removed.
afterEach(() => {
  if (mounted) execFileSync('umount', ['--lazy', state]);
});
const place = ofEachTest(() => installationWithService());

beforeEach(() => {
  state = place.home.join('state');
  mounted = false;
});

async function mount(...words: string[]): Promise<void> {
  await mkdir(state, { recursive: true });
  execFileSync('mount', [...words, state]);
  mounted = true;
}

/** A file system on the state directory that may fail. */
async function mountImage(): Promise<void> {
  const image = place.home.join('image');
  await writeFile(image, '');
  await truncate(image, 8 * 1024 * 1024);
  execFileSync('mkfs.ext4', ['-q', '-O', '^has_journal', image]);
  await mount('-o', 'loop,errors=remount-ro', image);
}

/** It fails: it is read-only from now on. */
async function endWrites(): Promise<void> {
  const device = basename(execFileSync('findmnt', ['-no', 'SOURCE', state]).toString().trim());
  await writeFile(`/sys/fs/ext4/${device}/trigger_fs_error`, 'test');
}

/** A state directory on a small disk, and the file that fills it. */
async function mountSmall(options = 'size=256k'): Promise<string> {
  await mount('-t', 'tmpfs', '-o', options, 'tmpfs');
  return join(state, 'filler');
}

/** A daemon that has delivered a document, and whose disk is full from then on. */
async function deliveredAndFull() {
  const filler = await mountSmall();
  const daemon = await delivered();
  await fill(filler);
  return { daemon, filler, files: await pauses(daemon) };
}

async function delivered(): Promise<RunningDaemon> {
  await writeFile(join(place.inbox, 'before.txt'), 'before');
  const daemon = await place.start();
  await daemon.idle(({ totals }) => totals.uploaded === 1);
  return daemon;
}

/**
 * Adds files until the status says that the ledger cannot be written; then not one document more goes out. Gives how
 * many files there are.
 */
async function pauses(daemon: RunningDaemon): Promise<number> {
  const paused = async (): Promise<boolean> => {
    const { state: said, reasons } = await daemon.status();
    return said === 'paused' && reasons.some(({ code }) => code === 'ledger-unwritable');
  };
  let files = 1;
  // What is left of a block takes a few records more.
  await eventually(
    async () => {
      for (let more = 0; more < 4; more += 1) await add((files += 1));
      const now = await daemon.status();
      if (!(await paused())) throw new Error(`${JSON.stringify(now)}\n${daemon.log()}`);
      return true;
    },
    { everyMs: 300 },
  );
  await eventually(async () =>
    (await daemon.status()).transfers.every(({ bytesSent, bytesTotal }) => bytesSent >= bytesTotal),
  );
  const sent = place.service.requests.length;
  for (let more = 0; more < 6; more += 1) await add((files += 1));
  await eventually(async () => {
    const { folders } = await daemon.status();
    return folders[0]?.onDisk === files && (await paused());
  });
  expect(place.service.requests).toHaveLength(sent);
  expect((await daemon.fetch('/healthz')).status).toBe(200);
  await eventuallyHolds(async () => expect((await daemon.fetch('/readyz')).status).toBe(503));
  // Once each time: what is left of a block may take a small record between two.
  const said = (words: string) => daemon.log().split(`"${words}"`).length - 1;
  await eventuallyHolds(() =>
    expect(said('ledger cannot be written; sending is paused')).toBe(said('ledger can be written again') + 1),
  );
  return files;
}

async function add(number: number): Promise<void> {
  await writeFile(join(place.inbox, `${number}.txt`), `number ${number}`);
}

/** It goes on by itself, and has written down every answer that the service gave. */
async function goesOn(daemon: RunningDaemon, files: number): Promise<void> {
  await daemon.settled(({ totals, possibleDuplicates, reasons }) =>
    expect([totals.uploaded, possibleDuplicates, reasons]).toEqual([files, 0, []]),
  );
  expect(place.service.requests).toHaveLength(files);
  await daemon.end('SIGKILL');
  expect(await recorded()).toEqual(Array.from({ length: files }, (_, index) => `doc-${index + 1}`).sort());
}

async function recorded(): Promise<readonly string[]> {
  const { out } = await place.run('ledger', 'export', '--json');
  const { documents } = JSON.parse(out) as { documents: { docId: string }[] };
  return documents.map(({ docId }) => docId).sort();
}

const missing = process.getuid?.() === 0 ? null : 'root, for mounts';

describeWhere(missing, 'P10: a state directory', () => {
  it('on a full disk pauses sending, says so, and goes on by itself when there is room', async () => {
    const { daemon, filler, files } = await deliveredAndFull();
    await truncate(filler, 0);
    await goesOn(daemon, files);
  });

  it('on a full disk that outlasts ingestd leaves in doubt, and says so, what it could not write down', async () => {
    const { daemon, filler, files } = await deliveredAndFull();
    // Until it has settled, that is what it waits for.
    await eventuallyHolds(async () =>
      expect((await place.run('why', `inbox/${files}.txt`)).out).toMatch(
        /its upload is queued, and nothing is sent at present: The ledger cannot be written/,
      ),
    );
    expect((await daemon.end('SIGTERM')).code).toBe(0);
    const { length: sent } = place.service.requests;
    await truncate(filler, 0);
    const written = await recorded();
    const next = await place.start();
    const { possibleDuplicates } = await next.idle(({ totals }) => totals.uploaded === files);
    const doubled = place.service.requests.length - files;
    // Those whose answers came when nothing could be written. What was about to go out is in doubt, too, and counts as reported.
    expect(doubled).toBe(sent - written.length);
    expect(possibleDuplicates).toBeGreaterThanOrEqual(doubled);
    expect(possibleDuplicates).toBeLessThanOrEqual(4);
    await next.end('SIGTERM');
    expect(await recorded()).toHaveLength(files);
  });

  it.each(['new', 'in use'])(
    'that is %s, on a full disk at the start, is waited for, and delivery begins when there is room',
    async (kind) => {
      const filler = await mountSmall('size=256k,mode=700');
      if (kind === 'in use') await (await delivered()).end('SIGTERM');
      await fill(filler);
      await add(1);
      const waiting = place.launch();
      const words = 'the disk of the state directory is full; waiting until there is space';
      await eventually(() => waiting.log().includes(words));
      const told = async () => (await place.run('status')).out;
      await eventually(async () => (await told()).startsWith('ingestd waits for space to start. '));
      const health = { code: 1, err: expect.stringContaining('ingestd waits for space to start') };
      expect(await place.run('health')).toMatchObject(health);
      waiting.signal('SIGTERM');
      expect(await waiting.finished).toMatchObject({ code: 0, err: expect.stringContaining('ENOSPC') });
      expect(await told()).toMatch(/^ingestd is not running\. .*only 0 B free for the ledger/);
      const daemon = place.launch();
      await eventually(() => daemon.log().includes(words));
      await truncate(filler, 0);
      await (await daemon.answers()).idle(({ folders }) => folders.every(({ pending }) => pending === 0));
      daemon.signal('SIGTERM');
      const { code, err } = await daemon.finished;
      expect([code, err.split(words)]).toEqual([0, [expect.anything(), expect.anything()]]);
      expect((await place.run('log')).out).toMatch(
        /was full: the start waited for (?:a few|about \d+) seconds/,
      );
      expect(await recorded()).toHaveLength(kind === 'new' ? 1 : 2);
    },
  );

  it('on a full disk ends `sync`, which says why', async () => {
    await place.configure({ timing: { settleMs: 100, removeGraceMs: 100, stopSeconds: 1 } });
    const filler = await mountSmall();
    await writeFile(join(place.inbox, 'before.txt'), 'before');
    expect((await place.run('sync')).code).toBe(0);
    await fill(filler);
    // Room for the lock and a few lines.
    const { size } = await stat(filler);
    await truncate(filler, size - 4 * 4096);
    for (let file = 1; file <= 49; file += 1) await add(file);
    const { code, out } = await place.run('sync');
    expect([code, out]).toEqual([4, expect.stringMatching(/ledger cannot be written.*ENOSPC/)]);
    expect(place.service.requests.length).toBeLessThan(50);
  });

  it('that turns read-only takes no decision, and whoever makes one is told so', async () => {
    await place.configure({ safety: { maxDeleteCount: 1, maxDeletePercent: 1 } });
    await mountImage();
    const daemon = await delivered();
    for (const name of ['2.txt', '3.txt']) await writeFile(join(place.inbox, name), name);
    await daemon.idle(({ totals }) => totals.uploaded === 3);
    place.service.script(steps.refuse('no', 422));
    await writeFile(join(place.inbox, 'refused.txt'), 'refused');
    for (const name of ['2.txt', '3.txt']) await rm(join(place.inbox, name));
    const stands = await daemon.idle(({ held, failures }) => held.length > 0 && failures.length === 1);
    await endWrites();
    for (const words of [
      ['retry', 'inbox/refused.txt'],
      ['approve', '--yes'],
    ]) {
      const { code, err } = await place.run(...words);
      expect([code, err]).toEqual([1, expect.stringMatching(/ledger cannot be written.*EROFS/)]);
    }
    const { held, failures } = await daemon.status();
    expect(held.map(({ paths }) => paths)).toEqual(stands.held.map(({ paths }) => paths));
    expect(failures).toEqual(stands.failures);
    expect((await daemon.end('SIGTERM')).code).toBe(0);
  });

  it('that turns read-only pauses sending, says so, stops in order, and what was written down stays readable', async () => {
    await mountImage();
    const daemon = await delivered();
    await endWrites();
    await pauses(daemon);
    expect((await daemon.end('SIGTERM')).code).toBe(0);
    expect(await recorded()).toEqual(['doc-1']);
    expect(place.service.requests).toHaveLength(1);
  });

  it('that is read-only from the beginning is exit code 1, and its name is said', async () => {
    await mount('-t', 'tmpfs', '-o', 'ro', 'tmpfs');
    await writeFile(join(place.inbox, 'a.txt'), 'a');
    const { code, err } = await place.run('sync');
    expect([code, err]).toEqual([1, expect.stringContaining(state)]);
    expect(err).toMatch(/EROFS|read-only/);
    expect(err).toMatch(/free up space in the state directory, or make it writable for this user$/m);
    expect(place.service.requests).toHaveLength(0);
  });
});

it('P11: a state directory that is taken away pauses sending; it is not made again, and put back it goes on', async () => {
  const daemon = await delivered();
  await rename(state, place.home.join('taken'));
  const files = await pauses(daemon);
  expect(await readdir(place.home.path)).not.toContain('state');
  await rename(place.home.join('taken'), state);
  await goesOn(daemon, files);
});

/** Appends to a file until nothing more fits. */
async function fill(path: string): Promise<void> {
  for (;;) {
    try {
      await writeFile(path, Buffer.alloc(4096, 1), { flag: 'a' });
    } catch {
      return;
    }
  }
}
