import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { createRedactor } from '../../src/lib/text/redactor.ts';
import { createLog } from '../../src/log/create-log.ts';
import type { LogOptions } from '../../src/log/create-log.ts';

const secret = 'pä$$ "word"/1+2';
const redactor = createRedactor([secret, 'api-key-0123']);

async function logged(options: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  const log = await createLog({
    level: 'trace',
    format: 'json',
    redactor,
    write: (text) => lines.push(text),
    terminal: false,
    ...options,
  });
  return { log, lines, all: () => lines.join('') };
}

describe('a log line', () => {
  it('is one JSON object with level, time, data and fixed words', async () => {
    const { log, lines } = await logged();
    log.info({ path: 'a/b.pdf', docId: '1' }, 'uploaded');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      path: 'a/b.pdf',
      docId: '1',
      msg: 'uploaded',
    });
  });

  it('begins with its priority where the journal of systemd reads it', async () => {
    const { log, lines } = await logged({ journal: true });
    log.error({}, 'e');
    log.warn({}, 'w');
    log.info({}, 'i');
    log.debug({}, 'd');
    const read = (line: string) => ({
      priority: line.slice(0, 3),
      said: JSON.parse(line.slice(3)) as unknown,
    });
    expect(lines.map(read)).toMatchObject([
      { priority: '<3>', said: { level: 'error', msg: 'e' } },
      { priority: '<4>', said: { level: 'warn', msg: 'w' } },
      { priority: '<6>', said: { level: 'info', msg: 'i' } },
      { priority: '<7>', said: { level: 'debug', msg: 'd' } },
    ]);
  });

  it('is readable on a terminal, one line still', async () => {
    const asTyped = (text: string) => text.replace('ingestd why', 'npx ingestd why');
    const { log, lines } = await logged({ format: 'auto', terminal: true, asTyped });
    log.warn({ path: 'a.pdf', message: 'ingestd why' }, 'failed');
    expect(lines.map(stripVTControlCharacters)).toEqual([
      expect.stringMatching(
        /^\[\d\d:\d\d:\d\d\] WARN: failed \{"path":"a\.pdf","message":"npx ingestd why"\}\n$/,
      ),
    ]);
  });

  it('is left out below the level, which can be changed', async () => {
    const { log, lines } = await logged({ level: 'warn' });
    log.info({}, 'quiet');
    log.setLevel('info');
    log.info({}, 'loud');
    expect(lines).toHaveLength(1);
    const silent = await logged({ level: 'silent' });
    silent.log.error({}, 'nothing');
    expect(silent.lines).toEqual([]);
  });
});

it('what hangs on an error or an answer, or is not known, is no data by its type', async () => {
  const { log, lines } = await logged();
  const unknown: unknown = 1;
  // @ts-expect-error An error may carry a request with its headers.
  log.info({ error: new Error('x') }, 'x');
  // @ts-expect-error Nor as the whole data.
  log.info(new Error('x'), 'x');
  // @ts-expect-error Bytes of a file or a body.
  log.info({ bytes: Buffer.from('x') }, 'x');
  // @ts-expect-error An answer.
  log.info({ answer: new Response() }, 'x');
  // @ts-expect-error It may be any of these.
  log.info({ unknown }, 'x');
  // @ts-expect-error JSON has none.
  log.info({ count: 1n }, 'x');
  expect(lines).toHaveLength(6);
});

describe('S1: a secret', () => {
  const spellings = [
    secret,
    encodeURIComponent(secret),
    new URLSearchParams({ s: secret }).toString().slice(2),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString('base64'),
    Buffer.from(secret).toString('base64url'),
    'api-key-0123',
  ];

  it.each(spellings)('is cut wherever it stands: %s', async (spelling) => {
    const { log, all } = await logged();
    log.error(
      {
        path: `x${spelling}y`,
        list: [spelling],
        map: { [spelling]: { deep: spelling } },
      },
      `said ${spelling}`,
    );
    expect(all()).not.toContain(spelling);
    expect(all()).not.toContain(JSON.stringify(spelling).slice(1, -1));
  });

  it('that is a plain word is cut everywhere but in the names of the data', async () => {
    const { log, lines } = await logged({ redactor: createRedactor(['fold', 'path']) });
    log.info({ folder: 'xfoldy', list: ['path', { paths: 'apath' }] }, 'the folder, a fold and its path');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      folder: 'x[redacted]y',
      list: ['[redacted]', { '[redacted]s': 'a[redacted]' }],
      msg: 'the [redacted]er, a [redacted] and its [redacted]',
    });
  });

  it('is cut by its key', async () => {
    const { log, all } = await logged();
    log.info(
      {
        headers: { Authorization: 'hunter2', 'x-api-key': 'hunter2', cookie: 'hunter2' },
        password: 'hunter2',
        client_secret: 'hunter2',
        refreshToken: 'hunter2',
      },
      'request',
    );
    expect(all()).not.toContain('hunter2');
  });

  it('is cut by its form: tokens that nobody announced', async () => {
    const { log, all } = await logged();
    const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJ1c2VySWQiOiIxIn0.c2lnbmF0dXJlLW9m';
    log.info({ text: `Bearer abcdef123456, ${jwt}, grant_type=password&password=hunter2&client_id=1` }, 'x');
    expect(all()).not.toMatch(/abcdef123456|c2lnbmF0dXJl|hunter2/);
    expect(all()).toContain('client_id=1');
  });

  it('can be announced while the log runs', async () => {
    const { log, all } = await logged({ redactor: createRedactor() });
    log.addSecrets(['token-from-now']);
    log.info({ text: 'a token-from-now b' }, 'x');
    expect(all()).toContain('a [redacted] b');
  });
});

describe('S8: what a name or a service may hold', () => {
  it.each([
    ['\x1b]0;owned\x07', String.raw`\x1b]0;owned\x07`],
    ['a\r\nlevel=info fake', String.raw`a\x0d\x0alevel=info fake`],
    ['\u202Efdp.exe', String.raw`\u202efdp.exe`],
    ['\x9b31m', String.raw`\x9b31m`],
    ['\ud800', String.raw`\ud800`],
  ])('is escaped: %j', async (hostile, shown) => {
    for (const format of ['json', 'pretty'] as const) {
      const { log, lines } = await logged({ format });
      log.info({ path: hostile, [hostile]: 1 }, hostile);
      expect(lines).toHaveLength(1);
      const line = (lines[0] ?? '').trimEnd();
      expect(line).not.toMatch(/[\p{Cc}\p{Cs}\u202E]/u);
      if (format === 'json')
        expect(JSON.parse(line)).toMatchObject({ path: hostile, [hostile]: 1, msg: hostile });
      else expect(line.replaceAll('\\\\', '\\')).toContain(shown);
    }
  });

  it('is cut where it is endless', async () => {
    const { log, lines } = await logged();
    log.info({ long: 'x'.repeat(100_000), many: Array.from({ length: 10_000 }, () => 1) }, 'x');
    expect((lines[0] ?? '').length).toBeLessThan(6000);
  });

  it('is cut where it holds itself', async () => {
    const { log, lines } = await logged();
    const data: Record<string, Parameters<typeof log.info>[0]> = {};
    data['self'] = data;
    log.info(data, 'x');
    const [line = ''] = lines;
    expect(JSON.parse(line)).toMatchObject({ self: { self: expect.anything() }, msg: 'x' });
    expect(line.length).toBeLessThan(200);
  });
});

describe('P18: a standard error that nobody reads', () => {
  it('does not end the process', async () => {
    const folder = await mkdtemp(join(process.cwd(), 'build', '.log-test-'));
    try {
      const script = join(folder, 'writer.mjs');
      await writeFile(
        script,
        `import { createRedactor } from '../lib/text/redactor.js';
import { createLog } from '../log/create-log.js';
import { writeStandardError } from '../log/standard-error.js';
const log = await createLog({ level: 'info', format: 'json', redactor: createRedactor(), write: writeStandardError });
process.stdin.once('data', () => {
  for (let i = 0; i < 1000; i += 1) log.info({ i }, 'line');
  process.stdout.write('alive');
  process.exit(0);
});`,
      );
      const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'pipe'] });
      child.stderr.destroy();
      let out = '';
      child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
      child.stdin.end('go');
      const [code] = await once(child, 'close');
      expect({ code, out }).toEqual({ code: 0, out: 'alive' });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
