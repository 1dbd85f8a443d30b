import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { loadConfiguration } from '../../src/config/load-configuration.ts';

describe('the configuration files that ship', () => {
  it('are read without a complaint', async () => {
    for (const name of ['ingestd.example.yaml', 'trial.yaml']) {
      const { warnings } = await loadConfiguration({
        file: join('config', name),
        env: { XDG_STATE_HOME: '/var/lib' },
        cwd: process.cwd(),
      });
      expect(warnings).toEqual([]);
    }
  });

  it('name keys in comments that exist', async () => {
    const text = await readFile('config/ingestd.example.yaml', 'utf8');
    expect(text).toContain('# state:\n#   dir: ');
  });
});
