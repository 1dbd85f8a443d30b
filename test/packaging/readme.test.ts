import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { createOutput } from '../../src/cli/output.ts';
import { withSubcommands } from '../../src/cli/define-command.ts';
import { createProgram } from '../../src/cli/program.ts';
import { settingKeys } from '../../scripts/docs/setting-keys.ts';
import { createRedactor } from '../../src/lib/text/redactor.ts';

const documents = [
  'README.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'systemd/README.md',
  'fixtures/README.md',
  'test/fixtures/README.md',
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** Headings as GitHub makes anchors of them. */
function anchors(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

describe.each(documents)('%s', (document) => {
  it('links to nothing that is not there', async () => {
    const text = await readFile(document, 'utf8');
    const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
    for (const target of targets) {
      if (target.startsWith('https://')) continue;
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? document : join(dirname(document), path);
      expect([target, existsSync(file)]).toEqual([target, true]);
      const isThere = anchor === undefined || anchors(await readFile(file, 'utf8')).includes(anchor);
      expect([target, isThere]).toEqual([target, true]);
    }
  });

  it('has nobody type a secret in the open', async () => {
    const text = await readFile(document, 'utf8');
    const asked = [...text.matchAll(/\bread (?:-\w+ )*\w*(?:secret|password|token)\w*/gi)].map(
      ([words]) => words,
    );
    expect(asked.filter((words) => !/ -\w*s/.test(words))).toEqual([]);
    if (document === 'systemd/README.md') expect(asked).toHaveLength(2);
  });

  it('names only commands, scripts and keys that there are', async () => {
    const text = await readFile(document, 'utf8');
    const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: object };
    const commands = new Set(withSubcommands(program()).map((command) => command.name()));
    const keys = new Set(settingKeys().map(({ key }) => key));
    const named = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name);
    expect(named(/`(?:npx )?ingestd ([a-z]+)/g).filter((name) => !commands.has(name))).toEqual([]);
    expect(named(/^npx ingestd ([a-z]+)/gm).filter((name) => !commands.has(name))).toEqual([]);
    expect(named(/npm run (?:-s )?([a-z:]+)/g).filter((name) => !(name in scripts))).toEqual([]);
    const sections = /`((?:service|state|timing|safety|http|notify|cluster|log)\.[a-zA-Z]+)[`:]/g;
    expect(named(sections).filter((key) => !keys.has(key))).toEqual([]);
  });
});

function program() {
  return createProgram({
    env: {},
    cwd: '/',
    output: createOutput(new PassThrough(), {}),
    complain: () => undefined,
    writeError: () => undefined,
    redactor: createRedactor(),
    progress: null,
    interactive: false,
    exitWith: () => undefined,
  });
}

it('the fixes name only commands and keys that there are', async () => {
  const { explanationGroups } = await import('../../src/model/report/explanations.ts');
  const fixes = explanationGroups
    .flatMap(({ codes }) => Object.values(codes).map(({ fix }) => fix))
    .join('\n');
  const commands = new Set(withSubcommands(program()).map((command) => command.name()));
  const keys = settingKeys().map(({ key }) => key);
  const words = [...fixes.matchAll(/ingestd ((?:auth|ledger) [a-z]+|init|check|approve|retry|why)\b/g)];
  expect(words.length).toBeGreaterThan(3);
  for (const [, command = ''] of words) {
    for (const word of command.split(' ')) expect(commands).toContain(word);
  }
  for (const [key] of fixes.matchAll(/\b(?:service|state|timing|safety)\.[a-zA-Z]+/g))
    expect(keys).toContain(key);
});

it('the runbook has a section for each alert, and for no other', async () => {
  const alerts = await readFile('config/prometheus-alerts.yaml', 'utf8');
  const runbook = (await readFile('docs/operations.md', 'utf8')).split('## Runbook')[1] ?? '';
  const named = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name);
  expect(named(runbook, /^### (\w+)$/gm)).toEqual(named(alerts, /^ +- alert: (\w+)$/gm));
});
