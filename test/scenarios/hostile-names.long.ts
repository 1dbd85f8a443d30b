import { readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { printable } from '../../src/lib/text/printable.ts';
import type { CheckFinding } from '../../src/model/report/command-reports.ts';
import type { Status } from '../../src/model/report/status.ts';
import { prefix, startTrial } from '../embedded/support/trial.ts';
import { installationWithService } from '../support/processes/installation-with-service.ts';
import { ofAllTests } from '../support/of-each-test.ts';
import type { RunningDaemon } from '../support/processes/daemon-process.ts';
import { inProcess } from '../support/processes/in-process.ts';
import { environmentOf, plantedCredentials } from '../support/planted-secrets.ts';
import { steps } from '../support/services/scripted-service.ts';
import type { TemporaryFolder } from '../support/temporary-folder.ts';

/** C0, DEL, C1, both separators and every bidi control: a title, a color, a concealed line, a reversed one. */
const hostile =
  '\x1b]0;x\x07\x1b[8m\x7f\x80\x9b31m\x9f\u2028\u2029\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069';
const short = '\x9b8m\u202e\x1b[8m';
/** What a configuration may call a folder. */
const folderName = 'in\u202ebox';

/** Line breaks and the colors of ingestd itself are the only things that may act. */
function expectHarmless(text: string, what: string): void {
  // eslint-disable-next-line no-control-regex
  const rest = text.replaceAll(/\n|\x1b\[(?:1|2|22|31|32|33|36|39)m/g, '');
  const found = /[\p{Cc}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u.exec(rest);
  const excerpt = found === null ? null : JSON.stringify(rest.slice(found.index - 60, found.index + 60));
  expect({ what, excerpt }).toEqual({ what, excerpt: null });
}

const files: Readonly<Record<string, string | object>> = {
  [`${hostile}.txt`]: 'sent',
  [`warned${short}.txt`]: 'sent',
  [`refused${short}.txt`]: 'refused',
  [`dir${short}/deep${short}.txt`]: 'sent',
  [`two${short}.dots.txt`]: 'x',
  [`type.e${short}xe`]: 'x',
  [`empty${short}.txt`]: '',
  [`invalid${short}.txt`]: 'x',
  [`invalid${short}.txt.meta.json`]: { [`key${short}`]: short },
  [`broken${short}.txt`]: 'x',
  [`broken${short}.txt.meta.json`]: `{"title": ${short}}`,
  [`attached${short}.txt`]: 'x',
  [`attached${short}.txt.meta.json`]: { attachments: [`none${short}.txt`] },
  [`both${short}.txt`]: 'x',
  [`both${short}.pdf`]: 'x',
  [`both${short}.meta.json`]: '{}',
  [`orphan${short}.txt.meta.json`]: '{}',
  [`orphan${short}.txt.attachments/a${short}.txt`]: 'x',
  [`defaults${short}/.meta.json`]: { sourceType: 1, [short]: 2 },
  [`defaults${short}/a.txt`]: 'x',
  '.ingestignore': `ignored${short}*\n`,
  [`ignored${short}.txt`]: 'x',
  [`twin${short}\u00e9.txt`]: 'x',
  [`twin${short}e\u0301.txt`]: 'x',
  [`titled${short}.txt`]: 'x',
  [`titled${short}.txt.meta.json`]: {
    title: short,
    customTags: [{ name: short, visibility: 'PRIVATE' }],
  },
};

async function fill(folder: TemporaryFolder): Promise<void> {
  for (const [path, content] of Object.entries(files))
    await folder.write(`inbox/${path}`, typeof content === 'string' ? content : JSON.stringify(content));
  await symlink('/etc/hostname', folder.join(`inbox/link${short}.txt`));
  await writeFile(undecodable(folder), 'x');
}

/** `bytes` with the C1 control of ISO 8859-1 in it, which is not UTF-8. */
function undecodable(folder: TemporaryFolder): Buffer {
  return Buffer.concat([
    Buffer.from(`${folder.join('inbox')}/bytes`),
    Buffer.of(0x9b, 0xe9),
    Buffer.from('.txt'),
  ]);
}

describe('S8: hostile names and messages', () => {
  let daemon: RunningDaemon;
  const installed = ofAllTests(() =>
    installationWithService({
      more: {
        folders: [{ name: folderName, path: './inbox' }],
        timing: { settleMs: 150, removeGraceMs: 300, stopSeconds: 1 },
        log: { level: 'debug' },
      },
      environment: { FORCE_COLOR: '1' },
    }),
  );

  beforeAll(async () => {
    let count = 0;
    installed.service.always(async (request) => {
      await request.body();
      const body = request.received.text();
      count += 1;
      const step = body.includes('warned')
        ? steps.warn(`doc-${count}`, `a warning ${short}`)
        : body.includes('refused')
          ? steps.refuse(`refused, ${hostile}`, 422)
          : steps.accept(`doc-${count}`, short);
      await step(request);
    });
    await fill(installed.home);
  });

  /** Runs a command in this process; gives standard output. */
  async function run(...words: string[]): Promise<string> {
    const { path } = installed.home;
    const env = { ...environmentOf(plantedCredentials), FORCE_COLOR: '1' };
    const { stdout, stderr } = await inProcess([...words, '--config', 'ingestd.yaml'], { cwd: path, env });
    expectHarmless(stdout, `standard output of ${JSON.stringify(words)}`);
    expectHarmless(stderr, `standard error of ${JSON.stringify(words)}`);
    return stdout;
  }

  it('act on no terminal before anything was sent', async () => {
    expect(await run('check')).toContain(String.raw`\x9b8m`);
    await run('plan');
    await run('status');
    await run('why', `refused${short}.txt`);
    await run('log');
    const { findings } = JSON.parse(await run('check', '--json')) as { findings: CheckFinding[] };
    expect(findings.map(({ subject }) => subject)).toContain(`${folderName}/two${short}.dots.txt`);
    expect(findings).toContainEqual(
      expect.objectContaining({
        subject: `${folderName}/bytes\uFFFD\uFFFD.txt`,
        pathBytes: Buffer.concat([Buffer.from('bytes'), Buffer.of(0x9b, 0xe9), Buffer.from('.txt')]).toString(
          'base64',
        ),
      }),
    );
    const { operations } = JSON.parse(await run('plan', '--json')) as { operations: { path: string }[] };
    expect(operations.map(({ path }) => path)).toContain(`${hostile}.txt`);
  });

  it('act on no terminal in sync, nor in its log', async () => {
    expect(await run('sync', '--json')).toContain(String.raw`\u009b`);
    await run('sync');
    expect(installed.service.requests.length).toBeGreaterThan(4);
  });

  describe('beside a running daemon', () => {
    beforeAll(async () => {
      daemon = await installed.start();
      await daemon.idle();
      await run('retry', `${folderName}/refused${short}.txt`);
      await daemon.idle();
    });

    afterAll(async () => {
      await daemon.end('SIGTERM');
    });

    const commands: readonly (readonly string[])[] = [
      ['status'],
      ['status', '--json'],
      ['status', '--check'],
      ['check'],
      ['check', '--json'],
      ['plan'],
      ['plan', '--json'],
      ['log'],
      ['log', '--json'],
      ['log', '--failed'],
      ['retry'],
      ['retry', `no${short}.txt`],
      ['retry', `x\ringestd: fine\n${short}`],
      ['resolve', `refused${short}.txt`, '--dismiss'],
      ['resolve', `refused${short}.txt`, '--doc-id', short, '--yes'],
      ['pause', folderName],
      ['status'],
      ['resume', folderName],
      ['rescan', folderName],
      ['rescan', short],
      ['approve', folderName, '--yes'],
      ['auth', 'login'],
      ['auth', 'revoke'],
      ['ledger', 'export'],
      ['ledger', 'export', '--json'],
      ['ledger', 'verify'],
      ['ledger', 'verify', '--json'],
      ['ledger', 'import', `no${short}.csv`],
      ['health'],
      ['why', `../${short}`],
      [short],
      ['status', `--${short}`],
      ['log', '--since', short],
    ];

    it.each(commands.map((words) => ({ title: printable(words.join(' ')), words })))(
      'act on no terminal: $title',
      async ({ words }) => {
        await run(...words);
      },
    );

    it('act on no terminal in the story of each file', async () => {
      const files = await readdir(installed.inbox, { recursive: true });
      for (const name of files) {
        const place = `${folderName}/${name}`;
        await run('why', place);
        const json = await (await daemon.fetch(`/api/why?path=${encodeURIComponent(place)}`)).text();
        expectHarmless(json, place);
        expect((JSON.parse(json) as { path: string }).path).toBe(name);
      }
      await run('why', '--json', `${folderName}/refused${short}.txt`);
    });

    it('act on no terminal in what the status address answers', async () => {
      const place = encodeURIComponent(`${folderName}/refused${short}.txt`);
      for (const path of ['/', '/api/status', '/api/log', '/api/history', '/readyz', '/metrics']) {
        expectHarmless(await (await daemon.fetch(path)).text(), path);
      }
      for (const path of [`/api/why?path=${place}`, `/${place}`, '/%9b']) {
        expectHarmless(await (await daemon.fetch(path)).text(), path);
      }
      const { skipped, failures } = (await (await daemon.fetch('/api/status')).json()) as Status;
      expect(failures.map(({ path }) => path)).toContain(`refused${short}.txt`);
      expect(skipped.map(({ path }) => path)).toContain(`empty${short}.txt`);
    });

    it('act on no terminal in the stream of events', async () => {
      const ended = new AbortController();
      const { body } = await daemon.fetch('/api/events', { signal: ended.signal });
      let text = '';
      await installed.home.write(`inbox/later${short}.txt`, 'sent');
      for await (const chunk of body ?? []) {
        text += Buffer.from(chunk as Uint8Array).toString();
        if (text.includes('event: activity') && text.includes('later')) break;
      }
      ended.abort();
      expectHarmless(text, 'the stream of events');
      expect(text).toContain('later\\u009b');
    });

    it('act on no terminal in the log and in the history on disk', async () => {
      expectHarmless(daemon.log(), 'the log');
      const lines = daemon.log().trimEnd().split('\n');
      const paths = lines.map((line) => (JSON.parse(line) as { path?: string }).path);
      expect(paths).toContain(`refused${short}.txt`);
      const history = installed.home.join('state/history');
      for (const name of await readdir(history))
        expectHarmless(await readFile(`${history}/${name}`, 'utf8'), name);
    });
  });

  it('act on no terminal in a log for people', async () => {
    await installed.configure({
      folders: [{ name: folderName, path: './inbox' }],
      log: { format: 'pretty', level: 'debug' },
    });
    await installed.home.write(`inbox/refused${short}.txt`, 'refused once more');
    const { out, err } = await installed.run('sync');
    expectHarmless(out, 'standard output');
    expectHarmless(err, 'the log');
    expect(err).toContain('refused');
  });

  it('act on no terminal in the messages of a configuration', async () => {
    await installed.configure({
      folders: [{ name: folderName, path: `./none${short}` }],
      [`key${short}`]: short,
    });
    expect((await installed.run('check')).code).toBe(2);
    await run('check');
    await run('status', '--json');
  });
});

describe('the embedded service', () => {
  const trial = ofAllTests(() => startTrial());

  it('repeats nothing that acts on a terminal', async () => {
    const { credentials, authUrl, ingestUrl, pageUrl } = trial.service;
    const headers = await trial.headers();
    const base = `${ingestUrl}${prefix}`;
    const form = (parts: Readonly<Record<string, string | File>>) => {
      const body = new FormData();
      for (const [name, value] of Object.entries(parts)) body.append(name, value);
      return { method: 'POST', headers, body };
    };
    const file = new File(['x'], `a${short}.txt`);
    const requests: readonly (readonly [string, RequestInit])[] = [
      [`${base}/upload-document`, form({ file, metadata: JSON.stringify({ title: short }) })],
      [`${base}/upload-document`, form({ file: new File(['x'], `a${short}.exe`) })],
      [`${base}/upload-document`, form({ file, metadata: JSON.stringify({ [short]: 1 }) })],
      [`${base}/upload-document`, form({ [`part${short}`]: 'x' })],
      [`${base}/delete-document/${encodeURIComponent(short)}`, { method: 'DELETE', headers }],
      [
        `${base}/bulk/delete`,
        {
          method: 'DELETE',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify({ docIds: ['no'], documentOwner: short }),
        },
      ],
      [`${base}/${encodeURIComponent(short)}`, { headers }],
      [
        `${authUrl}/auth`,
        {
          method: 'POST',
          headers: { 'x-api-key': credentials.apiKey },
          body: new URLSearchParams({ grant_type: short, [short]: 'x' }),
        },
      ],
      [pageUrl, {}],
    ];
    for (const [url, init] of requests) expectHarmless(await (await fetch(url, init)).text(), url);
    expect(trial.service.documents()[0]?.metadata.title).toBe(short);
  });
});
