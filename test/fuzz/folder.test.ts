import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import * as fc from 'fast-check';

import { eventually } from '../support/eventually.ts';
import { folderWorld } from '../scan/support/folder-world.ts';
import { explore, fuzzTimeout, metadataLike } from './explore.ts';
import { ofEachTest } from '../support/of-each-test.ts';

const kinds = ['document', 'settling', 'absent', 'unknown', 'ignored', 'skipped', 'waiting', 'unfit'];
const longAgo = new Date(Date.now() - 3_600_000);

const world = ofEachTest(() => folderWorld());
let runs = 0;

/** Inspects a document beside these files, in a directory of its own. */
async function inspectBeside(files: Readonly<Record<string, Buffer>>): Promise<string> {
  runs += 1;
  const directory = join(world.path, `run-${runs}`);
  await mkdir(directory);
  for (const [name, content] of Object.entries({ ...files, 'report.pdf': Buffer.from('report') })) {
    await writeFile(join(directory, name), content);
    await utimes(join(directory, name), longAgo, longAgo);
  }
  const answer = await eventually(
    async () => {
      // Where an ignore file is not valid, nothing is known of its directory.
      const found = await world.port.inspect(`run-${runs}/report.pdf`);
      return found.kind === 'settling' ? null : found;
    },
    { everyMs: 5 },
  );
  await rm(directory, { recursive: true });
  expect(kinds).toContain(answer.kind);
  if ('message' in answer) expect(answer.message.length).toBeLessThan(2_000);
  return answer.kind;
}

it.each(['report.pdf.meta.json', '.meta.json'])(
  'whatever is written into a %s, its document is sent only when it holds an object',
  async (name) => {
    await explore(metadataLike(), async (content) => {
      const kind = await inspectBeside({ [name]: content });
      if (!isObject(content)) expect(kind).not.toBe('document');
    });
  },
  fuzzTimeout,
);

it(
  'whatever is written into an ignore file, there is an answer in bounded time',
  async () => {
    const line = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '*',
        '**',
        '!',
        '/',
        '[',
        '\\',
        '**/**/**/a',
        `${'*a'.repeat(200)}b`,
        '[!a-z]'.repeat(80),
      ),
    );
    const text = fc.oneof(
      fc.array(line, { maxLength: 60 }).map((lines) => Buffer.from(lines.join('\n'))),
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    );
    await explore(text, async (content) => {
      await inspectBeside({ '.ingestignore': content });
    });
  },
  fuzzTimeout,
);

/** By JSON's own parser, after a byte order mark that may be there. */
function isObject(content: Buffer): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content);
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
