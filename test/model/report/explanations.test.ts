import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { judgeName, judgeSize } from '../../../src/model/names-and-types.ts';
import { explanationGroups, explain, fixAt, waitKindOf } from '../../../src/model/report/explanations.ts';

/** Words of this form in the rooms that are no code of a failure, a skip or a reason that a person gets to see. */
const noCodes = new Set([
  // Headers, encodings, packages and programs.
  'accept-encoding',
  'content-length',
  'content-type',
  'retry-after',
  'user-agent',
  'x-api-key',
  'form-data',
  'p-queue',
  'proxy-agent',
  'systemd-notify',
  // Why a file is none of ingestd's business: `why` says it in the message.
  'dot-name',
  'ignore-rule',
  'not-included',
  'outside-folder',
  'state-directory',
  'temporary-name',
  'attachment',
  'sidecar',
  'not-scanned',
  'attachments-directory',
  'ignore-file',
  // What the log alone tells, and what needs no fix.
  'queue-overflow',
  'watch-failed',
  'body-failed',
  'documents',
  'service-reachable',
  'credentials-accepted',
  'redis-reachable',
  'attachments',
  // A kind of entry, and a directory.
  'inner-link',
  'ingestd-running',
  // Errors that end a command: the message says the fix.
  'daemon-forbidden',
  // Of /readyz alone, and it passes by itself.
  'folder-scanning',
  // What came of an answer.
  'too-long',
]);

function sources(directory: string): string {
  if (directory.endsWith('.ts')) return readFileSync(directory, 'utf8');
  return readdirSync(directory)
    .filter((name) => name.endsWith('.ts') || !name.includes('.'))
    .map((name) => sources(join(directory, name)))
    .join('\n');
}

describe('the fixes', () => {
  const explained = new Set(explanationGroups.flatMap(({ codes }) => Object.keys(codes)));

  it('know every code that the rooms can produce', () => {
    const text = ['scan', 'sync', 'remote', 'cluster', 'daemon', 'commands']
      .map((room) => sources(join('src', room)))
      .join('\n');
    const own = ['names-and-types', 'errors']
      .map((name) => readFileSync(`src/model/${name}.ts`, 'utf8'))
      .join('\n');
    const found = new Set(
      [...`${text}\n${own}`.matchAll(/'([a-z0-9]+(?:-[a-z0-9]+)+)'|(?:code|\d{3}): '([a-z]+)'/g)].map(
        ([, compound, single]) => compound ?? single ?? '',
      ),
    );
    const usual = 'The message says what is wrong. Fix it, then retry.';
    const unexplained = [...found].filter((code) => !noCodes.has(code) && explain(code).fix === usual);
    expect(unexplained).toEqual([]);
    expect(found.size).toBeGreaterThan(60);
  });

  it('know no code that nothing produces', () => {
    const text = sources('src').replace(sources('src/model/report/explanations.ts'), '');
    const unknown = [...explained].filter((code) => !text.includes(`'${code}'`));
    expect(unknown).toEqual([]);
  });

  it('are not repeated beside a message that says them', () => {
    const names = ['a.b.pdf', `${'x'.repeat(300)}.pdf`, 'a\\b.pdf'];
    const broken = [...names.map((name) => judgeName(name, 'reject')), judgeSize(2, 1)];
    const codes = broken.map((verdict) => (verdict !== null && 'code' in verdict ? verdict.code : 'fits'));
    const told = [...codes, 'ambiguous-sidecar', 'configuration-refused'];
    expect(told.map((code) => [code, explain(code).fix])).toEqual(told.map((code) => [code, '']));
    expect(explain('unsupported-type').fix).toMatch(/^Save the file as another type/);
  });

  it.each([
    ['settling', 'settling'],
    ['sidecar-missing', 'sidecar'],
    ['attachment-missing', 'attachment'],
    ['unreadable', 'other'],
    ['never-heard-of', 'other'],
  ])('know what a document with the code %s waits for: %s', (code, kind) => {
    expect(waitKindOf(code)).toBe(kind);
  });

  it.each([
    ['http-429', 'The service asks us to wait (429)'],
    ['http-499', 'The service, or a proxy, stopped waiting (499)'],
    ['not-the-service', 'Something else answered at the service’s address'],
    ['http-500', 'Error of the service (500)'],
    ['http-418', 'Refused by the service (418)'],
    ['econnreset', 'No valid answer from the service'],
  ])('say of %s who has to do something', (code, cause) => {
    expect(explain(code).cause).toBe(cause);
  });
});

it('a fix in the configuration names its file, and the process that reads it again where one runs', () => {
  const configuration = '/etc/ingestd.yaml';
  const fix = (pid: number) => fixAt('misaddressed', { configuration, pid });
  expect(fix(7)).toBe(
    'Check service.authUrl (INGESTD_AUTH_URL where that is set) and service.ingestUrl (INGESTD_INGEST_URL where that is set) in /etc/ingestd.yaml, then run kill -HUP 7.',
  );
  expect(fix(0)).toMatch(/^Check service\.authUrl .* in \/etc\/ingestd\.yaml\.$/);
});
