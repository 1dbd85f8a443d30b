import { appendFile, cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { systemClock } from '../../../src/lib/time/clock.ts';
import { startTrial, trialOfEachTest } from '../support/trial.ts';

const trial = trialOfEachTest();

const journal = () => join(trial.dataDir, 'documents.jsonl');

describe('what the service holds', () => {
  it('survives a restart with its bytes', async () => {
    const kept = await trial.upload('a.txt', 'one', { title: 'T', customTags: [{ name: 'x' }] });
    const gone = await trial.upload('b.txt', 'two');
    await trial.form('PUT', `/modify-document/${kept}`, [['file', 'three', 'c.txt']]);
    await trial.call('DELETE', `/delete-document/${gone}`);
    const before = trial.service.documents();
    await trial.restart();
    expect(trial.service.documents()).toEqual(before);
    expect(await readFile(trial.service.contentPath(kept) ?? '', 'utf8')).toBe('three');
    expect((await trial.form('PUT', `/modify-document/${kept}`, [['metadata', '{}']])).status).toBe(200);
  });

  it('is on disk when it is answered: what a kill leaves is complete', async () => {
    const docId = await trial.upload('a.txt', 'content');
    const gone = await trial.upload('b.txt', 'x');
    await trial.call('DELETE', `/delete-document/${gone}`);
    const image = `${trial.dataDir}-image`;
    await cp(trial.dataDir, image, { recursive: true });
    await rm(join(image, 'lock'));
    const second = await startTrial({ dataDir: image });
    expect(second.service.documents()).toEqual(trial.service.documents());
    expect(await readFile(second.service.contentPath(docId) ?? '', 'utf8')).toBe('content');
    await second.close();
  });

  it.each(['{"put":[{"docId":"half"', '{"put":[{"docId":"half"}]}\n', '\0\0\0\0', 'garbage\n'])(
    'does without a last line that was cut off: %j',
    async (tail) => {
      const docId = await trial.upload('a.txt', 'x');
      const size = (await stat(journal())).size;
      await trial.service.close();
      await appendFile(journal(), tail);
      await trial.restart();
      expect(trial.service.documents().map((document) => document.docId)).toEqual([docId]);
      expect((await stat(journal())).size).toBe(size);
      await trial.upload('b.txt', 'x');
      await trial.restart();
      expect(trial.service.documents()).toHaveLength(2);
    },
  );

  it('is not guessed at when the journal is damaged in its midst', async () => {
    await trial.upload('a.txt', 'x');
    await trial.service.close();
    const text = await readFile(journal(), 'utf8');
    await writeFile(journal(), `garbage\n${text}`);
    await expect(trial.restart()).rejects.toMatchObject({
      code: 'embedded-data-damaged',
      message: expect.stringMatching(/documents\.jsonl is damaged in line 1/),
    });
    await writeFile(journal(), text);
    await trial.restart();
    expect(trial.service.documents()).toHaveLength(1);
  });

  it('is not opened with a damaged identity.json', async () => {
    await trial.service.close();
    const path = join(trial.dataDir, 'identity.json');
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.slice(0, -5));
    await expect(trial.restart()).rejects.toMatchObject({ code: 'embedded-data-damaged' });
    await writeFile(path, text);
    await trial.restart();
  });

  it('is freed of what an interrupted run left behind', async () => {
    await trial.upload('a.txt', 'x');
    await trial.service.close();
    await writeFile(join(trial.dataDir, 'content', '00000000-0000-4000-8000-000000000000'), 'stray');
    await writeFile(join(trial.dataDir, 'identity.json.x.tmp'), 'half');
    await trial.restart();
    expect(await readdir(join(trial.dataDir, 'content'))).toHaveLength(1);
    expect((await readdir(trial.dataDir)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('has a line a document in its journal from each start on, whatever was changed and removed', async () => {
    const docId = await trial.upload('a.txt', 'x');
    await trial.call('DELETE', `/delete-document/${await trial.upload('b.txt', 'x')}`);
    for (let round = 0; round < 3; round += 1)
      await trial.json('PATCH', '/bulk/modify/metadata', {
        docIds: [docId],
        customTags: [{ name: `${round}` }],
      });
    const before = trial.service.documents();
    const lines = async () => (await readFile(journal(), 'utf8')).trimEnd().split('\n').length;
    expect(await lines()).toBe(6);
    await trial.restart();
    expect(await lines()).toBe(1);
    expect(trial.service.documents()).toEqual(before);
    await trial.upload('c.txt', 'x');
    await trial.restart();
    expect(trial.service.documents()).toHaveLength(2);
  });
});

describe('the data directory', () => {
  it('belongs to one service at a time', async () => {
    await expect(startTrial({ dataDir: trial.dataDir })).rejects.toMatchObject({
      code: 'state-locked',
      exitCode: 5,
    });
    await trial.restart();
    expect(await readdir(trial.dataDir)).toContain('lock');
  });

  it('is given back when the address cannot be had', async () => {
    const port = Number(new URL(trial.service.authUrl).port);
    const dataDir = `${trial.dataDir}-other`;
    await expect(startTrial({ dataDir, port })).rejects.toMatchObject({ code: 'configuration', exitCode: 2 });
    const other = await startTrial({ dataDir, clock: systemClock });
    expect((await other.auth()).status).toBe(200);
    await other.close();
  });
});
