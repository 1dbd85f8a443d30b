import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { generatedFiles } from '../../scripts/docs/generated-files.ts';
import { manPage } from '../../scripts/docs/man-page.ts';
import { settingKeys } from '../../scripts/docs/setting-keys.ts';

describe('what is made from the settings and the commands', () => {
  it.each([...generatedFiles()])('%s is up to date (npm run docs)', async (path, text) => {
    expect(await readFile(path, 'utf8')).toBe(text);
  });

  it('keeps quotes and tildes of a description in the man page as a shell needs them', () => {
    const man = manPage();
    expect(man).toContain('\\(dq${fpath[1]}/_ingestd\\(dq');
    expect(man).toContain(String.raw`\(ti/.bashrc`);
    expect(man.split('\n').filter((line) => /^\.(?:B|I|SS) /.test(line) && /["'~^`]/.test(line))).toEqual([]);
  });

  it('documents every key with its variable', () => {
    const page = generatedFiles().get('docs/configuration.md') ?? '';
    const man = manPage().replaceAll('\\-', '-');
    for (const { key, environment, description } of settingKeys()) {
      expect(page).toContain(`| \`${key}\` |`);
      expect(page).toContain(`\`${environment}\``);
      expect(man).toContain(environment);
      expect(description).not.toBe('');
    }
  });
});
