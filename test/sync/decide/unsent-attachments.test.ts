import { expect, it } from '@jest/globals';

import { planDocument } from '../../../src/model/plan.ts';
import { unsentAttachments } from '../../../src/sync/decide/unsent-attachments.ts';
import { comparedOf, recordOf, statOf } from '../../support/fixtures/model-fixtures.ts';

const attachment = { name: 'a.csv', stat: statOf(), sha256: 'aa' };

it('attachments about which an answer was lost, and which nobody lists any more, are sent when they are listed again', () => {
  const unsure = { content: false, attachments: true, metadata: [] };
  const record = recordOf({ attachments: [attachment], unsure });
  const none = comparedOf();
  expect(planDocument(none, record)).toMatchObject({ kind: 'none', unclearable: [{ code: 'attachments' }] });
  const adopted = recordOf({ attachments: unsentAttachments(none, record) });
  const again = comparedOf({ attachments: [['a.csv', 'aa']] });
  expect(planDocument(again, adopted)).toMatchObject({ kind: 'modify', attachments: true });
});
