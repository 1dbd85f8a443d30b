import { chown } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

import type { CheckFinding, Why } from '../../src/model/report/command-reports.ts';
import { describeWhere } from '../support/needs.ts';
import { trialFolder } from '../support/processes/trial-folder.ts';
import type { TrialFolder } from '../support/processes/trial-folder.ts';

const anna = 1_001;
const ben = 1_002;

const isRoot = process.getuid?.() === 0;

describeWhere(
  isRoot ? null : { refused: 'giving files to other users' },
  'of a document of Anna whose sidecar has become Ben’s since it was sent',
  () => {
    let folder: TrialFolder;

    beforeEach(async () => {
      folder = await trialFolder({
        folders: [{ name: 'inbox', path: './inbox', sidecarOwner: 'same' }],
        timing: { settleMs: 0, removeGraceMs: 60_000 },
      });
      await folder.write('inbox/a.pdf', 'x');
      await folder.write('inbox/a.pdf.meta.json', '{"shareInfo": {"mode": "NONE"}}');
      await folder.write('inbox/a.pdf.attachments/b.csv', 'x');
      for (const path of ['inbox/a.pdf', 'inbox/a.pdf.meta.json']) await chown(folder.join(path), anna, anna);
      expect(await folder.run('sync')).toMatchObject({ code: 0 });
      await chown(folder.join('inbox/a.pdf.meta.json'), ben, ben);
    });

    afterEach(() => folder.remove());

    const message =
      'a.pdf.meta.json, by which it was sent, does not belong to the owner of the document (sidecarOwner: same)';

    it('check says that it is not sent', async () => {
      const { code, stdout } = await folder.run('check', '--json');
      const { findings } = JSON.parse(stdout) as { findings: readonly CheckFinding[] };
      expect(findings).toContainEqual(
        expect.objectContaining({ subject: 'inbox/a.pdf', code: 'foreign-sidecar', level: 'error', message }),
      );
      expect(code).toBe(4);
    });

    it('why says that it is not sent, also of its attachments', async () => {
      const why = async (path: string) => JSON.parse((await folder.run('why', path, '--json')).stdout) as Why;
      const document = await why('inbox/a.pdf');
      expect(document.verdict).toEqual({ kind: 'unfit', code: 'foreign-sidecar', message });
      const attachment = await why('inbox/a.pdf.attachments/b.csv');
      expect(attachment.notes).toEqual([`its document inbox/a.pdf is not sent: ${message}`]);
    });
  },
);
