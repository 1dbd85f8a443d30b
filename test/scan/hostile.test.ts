import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFile,
  chmod,
  link,
  mkdir,
  open,
  readFile,
  rename,
  stat,
  symlink,
  truncate,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { FileStat, Inspection } from '../../src/model/document.ts';
import type { ContentSource } from '../../src/model/ports/folder-port.ts';
import { hashAtOnce, openContent } from '../../src/scan/content.ts';
import { asUser } from '../support/processes/as-user.ts';
import { eventually } from '../support/eventually.ts';
import { folderWorld } from './support/folder-world.ts';
import { ofAllTests } from '../support/of-each-test.ts';

const nfd = 'cafe\u0301.pdf';
const nfc = 'caf\u00e9.pdf';

/** Names that a file system takes, and what a inspect says of them. */
const names: readonly (readonly [row: string, name: string, verdict: string])[] = [
  ['F21', 'a "quoted" one.pdf', 'document'],
  ['F21', 'line\r\nbreak.pdf', 'document'],
  ['F21', 'tab\tand\u001bescape.pdf', 'document'],
  ['F21', 'back\\slash.pdf', 'unfit forbidden-character'],
  ['F21', 'semi;colon.pdf', 'document'],
  ['F21', 'per%22cent%00.pdf', 'document'],
  ['F21', '\u202Efdp.exe\u202C.pdf', 'unfit double-extension'],
  ['F21', '__proto__.pdf', 'document'],
  ['F21', '-rf.pdf', 'document'],
  ['F23', `${'x'.repeat(251)}.pdf`, 'document'],
  ['F23', `${'é'.repeat(125)}.pdf`, 'document'],
  ['F24', 'two.dots.pdf', 'unfit double-extension'],
  ['F24', 'UPPER.PDF', 'document'],
  ['F24', 'space at the end.pdf ', 'skipped hidden-character'],
  ['F24', 'dot at the end.pdf.', 'skipped no-extension'],
  ['F24', 'no extension', 'skipped no-extension'],
  ['F24', '.leading.pdf', 'ignored dot-name'],
  ['F26', 'exact.txt', 'document'],
  ['F26', 'large.txt', 'unfit too-large'],
  ['F25', 'empty.txt', 'skipped empty-file'],
  ['F57', 'x.meta.json', 'skipped orphan-sidecar'],
  ['F57', 'UPPER.PDF.META.JSON', 'skipped misspelled-sidecar'],
  ['F57', '.Meta.json', 'skipped misspelled-sidecar'],
  ['F57', 'meta.json', 'skipped misspelled-sidecar'],
  ['F57', '.mta.json', 'skipped misspelled-sidecar'],
  ['F57', '.meta.json.txt', 'skipped misspelled-sidecar'],
  ['F57', '.meta.json~', 'ignored dot-name'],
  ['F57', 'exact.txt.meta.jsn', 'skipped misspelled-sidecar'],
  ['F57', 'exact.txt.meta.json.txt', 'skipped misspelled-sidecar'],
  ['F57', 'exact.mate.json', 'skipped unsupported-type'],
  ['F57', 'other.txt.meta.jsn', 'skipped unsupported-type'],
  ['F57', '.x.Meta.json', 'ignored dot-name'],
];
const maxFileBytes = 100_000;

function said(inspect: Inspection): string {
  return 'code' in inspect ? `${inspect.kind} ${inspect.code}` : inspect.kind;
}

describe('hostile names', () => {
  const world = ofAllTests(() =>
    folderWorld({
      maxFileBytes,
      before: async (folder) => {
        for (const [, name] of names) await writeFile(folder.join(name), 'x');
        await truncate(folder.join('exact.txt'), maxFileBytes);
        await truncate(folder.join('large.txt'), maxFileBytes + 1);
        await truncate(folder.join('empty.txt'), 0);
        await mkdir(folder.join('dir.meta.json'));
        await folder.write('dir.meta.json/in.pdf', 'x');
        await folder.write(`twins/${nfd}`, 'decomposed');
        await folder.write(`twins/${nfc}`, 'composed');
        await folder.write(`alone/${nfd}`, 'alone');
        await folder.write('twins/cafe\u0301/x.pdf', 'x');
        await folder.write('twins/caf\u00e9/y.pdf', 'y');
        const bytes = Buffer.concat([
          Buffer.from(`${folder.path}/`),
          Buffer.from([0x66, 0xff, 0xfe]),
          Buffer.from('.pdf'),
        ]);
        await writeFile(bytes, 'x');
        await mkdir(Buffer.concat([Buffer.from(`${folder.path}/`), Buffer.from([0xe9])]));
        await writeFile(
          Buffer.concat([Buffer.from(`${folder.path}/`), Buffer.from([0xe9]), Buffer.from('/in.pdf')]),
          'x',
        );
        await mkdir(folder.join('line\nbreak'));
        await folder.write('line\nbreak/in.pdf', 'x');
      },
    }),
  );

  it.each(names)('%s: %j is %s', async (_, name, verdict) => {
    expect(said(await world.inspect(name))).toBe(verdict);
  });

  it('F21: the documents are reported by their names, and read', async () => {
    const fit = names.filter(([, , verdict]) => verdict === 'document' || verdict.startsWith('unfit'));
    for (const [, name] of fit) expect(world.documents()).toContain(name.normalize('NFC'));
    for (const [, name, verdict] of fit) {
      if (verdict !== 'document') continue;
      const { stat: fileStat, fileName } = await world.document(name);
      expect(fileName).toBe(name.normalize('NFC'));
      expect(await world.port.hash(name, fileStat)).toMatch(/^[0-9a-f]{64}$/);
    }
  });

  it('F20: names that are not UTF-8 are listed with their bytes, and nothing below them is looked at', () => {
    const skips = world.skips().filter(({ code }) => code === 'not-utf8');
    expect(skips.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      expect.objectContaining({
        path: 'f\uFFFD\uFFFD.pdf',
        pathBytes: Buffer.of(0x66, 0xff, 0xfe, 0x2e, 0x70, 0x64, 0x66).toString('base64'),
        message: expect.stringContaining(String.raw`f\xFF\xFE.pdf`),
      }),
      expect.objectContaining({ path: '\uFFFD', pathBytes: Buffer.of(0xe9).toString('base64') }),
    ]);
    expect(world.documents().filter((path) => path.includes('\uFFFD'))).toEqual([]);
  });

  it('F21: what is said of a skipped file holds no control characters', () => {
    for (const { message } of world.skips()) expect(message).not.toMatch(/[\p{Cc}\u202a-\u202e]/u);
  });

  it('F19: of NFC and NFD side by side the NFC one stands, and the other is failed by name', async () => {
    const standing = await world.document(`twins/${nfc}`);
    const fileStat = await stat(world.join(`twins/${nfc}`));
    expect(standing.stat.ino).toBe(fileStat.ino);
    expect(world.documents()).toContain(`twins/${nfd}`);
    const failed = await world.inspect(`twins/${nfd}`);
    expect(said(failed)).toBe('unfit unicode-twin');
    expect(failed).toMatchObject({ message: expect.stringContaining(String.raw`cafe\u{301}.pdf`) });
    // Below either nothing stands.
    expect(said(await world.inspect(`twins/${nfc}/x.pdf`))).toBe('absent');
  });

  it('F19: of two directories, too; what was in the other is not gone', async () => {
    expect(world.documents()).toContain('twins/caf\u00e9/y.pdf');
    expect(world.documents()).toContain('twins/cafe\u0301');
    expect(said(await world.inspect('twins/cafe\u0301'))).toBe('unfit unicode-twin');
    expect(said(await world.port.inspect('twins/caf\u00e9/x.pdf'))).toBe('ignored unicode-twin');
  });

  it('F19: a name in NFD alone is the document of its NFC form, sent in NFC', async () => {
    const { fileName, ref, stat: fileStat } = await world.document(`alone/${nfc}`);
    expect([fileName, ref.path]).toEqual([nfc, `alone/${nfc}`]);
    const source = await world.port.open(`alone/${nfc}`, fileStat);
    expect(String(Buffer.concat(await source.stream().toArray()))).toBe('alone');
    await source.close();
  });

  it('F19: nothing but a twin has a path that is not NFC, so that no file is two documents', async () => {
    expect(said(await world.inspect(`alone/${nfd}`))).toBe('ignored unicode-twin');
  });

  it('F19: what was a twin takes over when the other goes', async () => {
    await unlink(world.join(`twins/${nfc}`));
    await world.port.rescan('rescan');
    const { stat: fileStat } = await world.document(`twins/${nfc}`);
    expect(fileStat.ino).toBe((await stat(world.join(`twins/${nfd}`))).ino);
    expect(world.documents()).not.toContain(`twins/${nfd}`);
  });

  it('F23: names and paths that are too long to exist are absent, and no error', async () => {
    expect(said(await world.inspect(`${'x'.repeat(300)}.pdf`))).toBe('absent');
    expect(['absent', 'unknown path-too-long']).toContain(
      said(await world.inspect(`${'deep/'.repeat(1_000)}x.pdf`)),
    );
  });

  it.each(['../outside.pdf', 'a/../../x.pdf', '/etc/passwd', './x.pdf', '', 'a//b.pdf', 'a\0.pdf'])(
    'no path leads out of the folder: %j',
    async (path) => {
      expect(said(await world.inspect(path))).toBe('ignored outside-folder');
    },
  );

  it('F57: a directory named like a sidecar is a directory', () => {
    expect(world.documents()).toContain('dir.meta.json/in.pdf');
    expect(world.documents()).toContain('line\nbreak/in.pdf');
  });
});

describe('hostile files', () => {
  const sockets: (() => void)[] = [];
  const world = ofAllTests(() =>
    folderWorld({
      before: async (folder) => {
        await folder.write('good.pdf', 'good');
        await folder.write('real/inner.pdf', 'inner');
        await folder.write('../outside/secret.pdf', 'secret');
        for (let at = 0; at < 8; at += 1) execFileSync('mkfifo', [folder.join(`pipe${at}.pdf`)]);
        execFileSync('mkfifo', [folder.join('good.pdf.meta.json'), folder.join('.ingestignore2')]);
        await new Promise<void>((resolve) => {
          const server = createServer().listen(folder.join('socket.pdf'), resolve);
          sockets.push(() => server.close());
        });
        if (process.getuid?.() === 0) execFileSync('mknod', [folder.join('device.pdf'), 'c', '1', '3']);
        await symlink('../outside/secret.pdf', folder.join('out.pdf'));
        await symlink('/etc/shadow', folder.join('shadow.txt'));
        await symlink('../outside', folder.join('outdir'));
        await symlink('.', folder.join('circle'));
        await symlink('real', folder.join('alias'));
        await symlink('nowhere.pdf', folder.join('dangling.pdf'));
        await symlink('itself.pdf', folder.join('itself.pdf'));
        await symlink('good.pdf', folder.join('near.pdf'));
        await link(folder.join('good.pdf'), folder.join('hard.pdf'));
      },
    }),
  );
  afterAll(() => {
    for (const close of sockets) close();
  });

  it('F32: pipes, sockets and devices are left out without a word, and never opened', async () => {
    expect(world.documents()).toEqual(['good.pdf', 'hard.pdf', 'real/inner.pdf']);
    expect(world.skips().filter(({ path }) => /pipe|socket|device/.test(path))).toEqual([]);
    for (const name of ['pipe0.pdf', 'socket.pdf']) expect(said(await world.inspect(name))).toBe('absent');
  });

  it('F32: a pipe that takes the place of a file stops nobody who opens it', async () => {
    const { dev, ino, size, mtimeMs, ctimeMs, birthtimeMs } = await stat(world.join('pipe0.pdf'));
    const fileStat: FileStat = { dev, ino, size, mtimeMs, ctimeMs, birthtimeMs };
    const opened = Array.from({ length: 8 }, (_, at) => world.port.open(`pipe${at}.pdf`, fileStat));
    for (const one of opened) await expect(one).rejects.toMatchObject({ code: 'content-changed' });
    expect(await readFile(world.join('good.pdf'), 'utf8')).toBe('good');
  });

  it('F33, F34, S19: a file or a directory that becomes a link after the inspect is not read', async () => {
    const { stat: fileStat } = await world.document('real/inner.pdf');
    await rename(world.join('real'), world.home.join('moved'));
    await symlink(world.home.join('moved'), world.join('real'));
    await expect(world.port.open('real/inner.pdf', fileStat)).rejects.toMatchObject({
      code: 'content-changed',
    });
    expect(await world.port.hash('real/inner.pdf', fileStat)).toBeNull();
    await unlink(world.join('real'));
    await rename(world.home.join('moved'), world.join('real'));
    const again = await stat(world.join('real/inner.pdf'));
    const moved = { ...fileStat, ctimeMs: again.ctimeMs };
    await rename(world.join('real/inner.pdf'), world.home.join('inner.pdf'));
    await symlink(world.home.join('inner.pdf'), world.join('real/inner.pdf'));
    await expect(world.port.open('real/inner.pdf', moved)).rejects.toMatchObject({ code: 'content-changed' });
  });

  it('F32: a sidecar, defaults or an ignore file that are a pipe keep what they rule from being sent', async () => {
    await mkdir(world.join('piped'));
    execFileSync('mkfifo', [world.join('piped/.ingestignore')]);
    await world.write('piped/a.pdf', 'a');
    await eventually(async () => {
      const found = await world.port.inspect('piped/a.pdf');
      expect('message' in found && found.message).toContain(
        'its .ingestignore is larger than 64 KiB or not a regular file; replace it, or remove it',
      );
      return true;
    });
    await mkdir(world.join('defaults'));
    execFileSync('mkfifo', [world.join('defaults/.meta.json')]);
    await world.write('defaults/a.pdf', 'a');
    await eventually(async () => said(await world.inspect('defaults/a.pdf')) === 'unfit defaults-invalid');
    expect(said(await world.inspect('good.pdf'))).toBe('unfit sidecar-invalid');
  });
});

describe('files that change while they are read', () => {
  const world = ofAllTests(() => folderWorld({ maxFileBytes: 200 * 1024 * 1024 }));
  afterAll(async () => {
    for (const source of sources) await source.close();
  });

  const sources: ContentSource[] = [];
  const large = 4 * 1024 * 1024;
  const sourceOf = async (name: string) => {
    await world.write(name, Buffer.alloc(large, 'a'));
    const { stat: fileStat } = await world.document(name);
    const source = await world.port.open(name, fileStat);
    sources.push(source);
    return { stat: fileStat, source, stream: source.stream() };
  };
  const rest = async (stream: AsyncIterable<Buffer>, during: () => Promise<unknown>) => {
    let length = 0;
    for await (const chunk of stream) {
      if (length === 0) await during();
      length += chunk.length;
    }
    return length;
  };

  it('F28: of a file that grows exactly the bytes go out that it had', async () => {
    const { stat: fileStat, source, stream } = await sourceOf('grows.pdf');
    expect(await rest(stream, () => appendFile(world.join('grows.pdf'), 'DELETE /v1 HTTP/1.1'))).toBe(large);
    expect(source.sha256()).toMatch(/^[0-9a-f]{64}$/);
    await expect(world.port.open('grows.pdf', fileStat)).rejects.toMatchObject({ code: 'content-changed' });
    expect(await world.port.hash('grows.pdf', fileStat)).toBeNull();
  });

  it('a large file has the hash of all its bytes, and none once it is another one', async () => {
    const bytes = Buffer.alloc(large + 1, 'ab');
    await world.write('large.pdf', bytes);
    const { stat: fileStat } = await world.document('large.pdf');
    const hashes = await Promise.all([1, 2, 3].map(() => world.port.hash('large.pdf', fileStat)));
    expect(new Set(hashes)).toEqual(new Set([createHash('sha256').update(bytes).digest('hex')]));
    await appendFile(world.join('large.pdf'), 'x');
    expect(await world.port.hash('large.pdf', fileStat)).toBeNull();
  });

  it.each([
    ['small', 10],
    ['large', 300 * 1024],
  ])('S19: a %s file that cannot be read is not taken for one that changed', async (name, size) => {
    await world.write(`${name}.txt`, Buffer.alloc(size, 'a'));
    const { stat: fileStat } = await world.document(`${name}.txt`);
    await chmod(world.home.path, 0o755);
    await chmod(world.join(`${name}.txt`), 0);
    const { ctimeMs } = await stat(world.join(`${name}.txt`));
    const hash = () => world.port.hash(`${name}.txt`, { ...fileStat, ctimeMs });
    await expect(asUser(hash)).rejects.toMatchObject({ code: 'unreadable' });
  });

  it('F29: a file that is truncated ends in an error at once, and has no hash', async () => {
    const { source, stream } = await sourceOf('shrinks.pdf');
    await expect(rest(stream, () => truncate(world.join('shrinks.pdf'), 10))).rejects.toMatchObject({
      code: 'content-changed',
    });
    expect(() => source.sha256()).toThrow(/not streamed/);
  });

  it('F30: a file that is deleted or replaced is read to its end as it was', async () => {
    const { source, stream } = await sourceOf('replaced.pdf');
    const replace = async () => {
      await writeFile(world.join('other.tmp'), 'other');
      await rename(world.join('other.tmp'), world.join('replaced.pdf'));
    };
    expect(await rest(stream, replace)).toBe(large);
    const { stat: fileStat } = await world.document('replaced.pdf');
    expect(fileStat.size).toBe(5);
    expect(await world.port.hash('replaced.pdf', fileStat)).not.toBe(source.sha256());
  });

  it('F31: a file that is gone before it is opened says so', async () => {
    const { stat: fileStat, source } = await sourceOf('gone.pdf');
    await source.close();
    await unlink(world.join('gone.pdf'));
    await expect(world.port.open('gone.pdf', fileStat)).rejects.toMatchObject({ code: 'content-changed' });
  });

  it('F27: a sparse file of 150 MB is streamed a little at a time', async () => {
    const handle = await open(world.join('sparse.pdf'), 'w');
    await handle.truncate(150 * 1024 * 1024);
    await handle.close();
    const { stat: fileStat } = await world.document('sparse.pdf');
    const source = await world.port.open('sparse.pdf', fileStat);
    let length = 0;
    let longest = 0;
    for await (const chunk of source.stream() as AsyncIterable<Buffer>) {
      length += chunk.length;
      longest = Math.max(longest, chunk.length);
    }
    expect([length, longest <= 1024 * 1024]).toEqual([150 * 1024 * 1024, true]);
    await source.close();
    await source.close();
  });

  it('F13: another file of the same size in its place is not opened for the one that was looked at', async () => {
    await world.write('same.pdf', 'one');
    const { stat: fileStat } = await world.document('same.pdf');
    await writeFile(world.join('new.tmp'), 'two');
    await rename(world.join('new.tmp'), world.join('same.pdf'));
    const wanted = {
      absolute: world.join('same.pdf'),
      root: world.path,
      stat: fileStat,
    };
    await expect(openContent(wanted)).rejects.toMatchObject({ code: 'content-changed' });
    expect(hashAtOnce(wanted)).toBeNull();
  });

  it('F33: a small file is hashed at once only where it was inspected, and never through a link', async () => {
    await world.write('deep/real.pdf', 'one');
    const { stat: fileStat } = await world.document('deep/real.pdf');
    const wanted = { root: world.path, stat: fileStat };
    const sha256 = '7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed';
    expect(hashAtOnce({ ...wanted, absolute: world.join('deep/real.pdf') })).toBe(sha256);
    await symlink(world.join('deep'), world.join('way'));
    await symlink(world.join('deep/real.pdf'), world.join('link.pdf'));
    expect(hashAtOnce({ ...wanted, absolute: world.join('way/real.pdf') })).toBeNull();
    expect(hashAtOnce({ ...wanted, absolute: world.join('link.pdf') })).toBeNull();
    await unlink(world.join('deep/real.pdf'));
    expect(hashAtOnce({ ...wanted, absolute: world.join('deep/real.pdf') })).toBeNull();
  });
});

describe('a deep tree', () => {
  it('F42: directories nested 100 deep are scanned and watched, a way back up is not followed', async () => {
    const deep = Array.from({ length: 100 }, (_, at) => `d${at}`).join('/');
    const world = await folderWorld({
      before: async (folder) => {
        await folder.write(`${deep}/x.pdf`, 'deep');
        await symlink(folder.path, folder.join(deep, 'up'));
      },
    });
    expect(world.documents()).toEqual([`${deep}/x.pdf`]);
    expect((await world.document(`${deep}/x.pdf`)).ref.path).toBe(`${deep}/x.pdf`);
    await world.write(`${deep}/y.pdf`, 'y');
    await eventually(() => world.documents().includes(`${deep}/y.pdf`));
    await world.close();
  });
});

describe('hostile sidecars', () => {
  const world = ofAllTests(() => folderWorld());
  beforeAll(() => writeFile(world.home.join('secret.pdf'), 'secret'));

  const utf16 = Buffer.from('\uFEFF{"title": "x"}', 'utf16le');
  const table: readonly (readonly [title: string, content: string | Buffer, message: RegExp | null])[] = [
    ['F51: half written', '{"title": "Q', /sidecar-invalid.*line 1/],
    ['F51: empty', '', /sidecar-invalid/],
    ['F51: a trailing comma', '{"title": "x",}', /sidecar-invalid.*column 15/],
    ['F51: duplicate keys', '{"title": "a", "title": "b"}', /sidecar-invalid.*title appears twice/],
    ['F51: a BOM', '\uFEFF{"title": "x"}', null],
    ['F51: UTF-16', utf16, /sidecar-invalid.*UTF-16/],
    ['F51: Latin 1', Buffer.from([0x7b, 0x22, 0xe9, 0x22, 0x3a, 0x31, 0x7d]), /sidecar-invalid.*UTF-8/],
    ['F52: 50 MB', Buffer.alloc(50 * 1024 * 1024, ' '), /sidecar-invalid.*256 KiB/],
    ['F52: nested 10,000 deep', `{"title": ${'['.repeat(10_000)}`, /sidecar-invalid.*32 deep/],
    [
      'F52: 20,000 keys',
      `{${Array.from({ length: 20_000 }, (_, at) => `"k${at}":1`).join()}}`,
      /sidecar-invalid/,
    ],
    ['F53: __proto__', '{"__proto__": {"title": "x"}}', /sidecar-invalid.*__proto__/],
    ['F55: an unknown field', '{"tilte": "x"}', /sidecar-invalid.*tilte/],
    ['F54: an attachment above the folder', '{"attachments": ["../../secret.pdf"]}', /attachment-outside/],
    ['F54: an absolute attachment', '{"attachments": ["/etc/passwd"]}', /attachment-outside/],
    ['F54: a link as attachment', '{"attachments": ["link.pdf"]}', /attachment-invalid.*symbolic link/],
    ['F54: an attachment behind a link', '{"attachments": ["linked/secret.pdf"]}', /attachment-outside/],
    ['F54: a pipe as attachment', '{"attachments": ["pipe.pdf"]}', /attachment-invalid.*regular file/],
    ['F54: a directory as attachment', '{"attachments": ["dir"]}', /attachment-invalid.*regular file/],
    ['F54: the document itself', '{"attachments": ["doc.pdf"]}', /attachment-invalid.*itself/],
    ['F54: its own sidecar', '{"attachments": ["doc.pdf.meta.json"]}', /attachment-invalid/],
    ['F54: one twice', '{"attachments": ["x.xlsx", "./x.xlsx"]}', /attachment-invalid.*same name/],
    ['F54: one that is missing', '{"attachments": ["missing.xlsx"]}', /attachment-missing/],
    [
      'F54: eleven',
      JSON.stringify({ attachments: Array.from({ length: 11 }, (_, at) => `n${at}.csv`) }),
      /too-many-attachments/,
    ],
    ['F54: a good one', '{"attachments": ["x.xlsx"]}', null],
  ];

  it('keep their documents from being sent, in words that name the trouble, and harm nobody else', async () => {
    // All at once: the waiting for files to settle is shared.
    const answers = await Promise.all(
      table.map(async ([title, content], at) => {
        const dir = `s${at}`;
        await world.write(`${dir}/x.xlsx`, 'x');
        await mkdir(world.join(dir, 'dir'));
        await symlink(world.home.join('secret.pdf'), world.join(dir, 'link.pdf'));
        await symlink(world.home.path, world.join(dir, 'linked'));
        if (title.includes('pipe')) execFileSync('mkfifo', [world.join(dir, 'pipe.pdf')]);
        if (title.includes('eleven'))
          for (let n = 0; n < 11; n += 1) await world.write(`${dir}/n${n}.csv`, 'n');
        await world.write(`${dir}/doc.pdf.meta.json`, content);
        await world.write(`${dir}/doc.pdf`, 'doc');
        return eventually(
          async () => {
            const inspect = await world.inspect(`${dir}/doc.pdf`);
            // A missing attachment waits out its grace first.
            if (inspect.kind === 'waiting') return null;
            return `${title}: ${'message' in inspect ? `${inspect.code} ${inspect.message}` : inspect.kind}`;
          },
          { withinMs: 25_000 },
        );
      }),
    );
    expect(answers).toEqual(
      table.map(([title, , message]) =>
        message === null
          ? `${title}: document`
          : expect.stringMatching(new RegExp(`^${title.replace(/[.]/g, '\\.')}: ${message.source}`, 's')),
      ),
    );
    for (const answer of answers) expect(answer).not.toMatch(/\p{Cc}/u);
    expect(Object.prototype).not.toHaveProperty('title');
  });
});
