import { expect, it } from '@jest/globals';

import { emptyStatus, noDocuments } from '../../../src/model/report/status.ts';

/** What of a value is neither zero nor empty, by where it stands. */
function filled(value: unknown, at = ''): readonly string[] {
  if (typeof value !== 'object' || value === null) {
    return value === 0 || value === null ? [] : [`${at}: ${JSON.stringify(value)}`];
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return Array.isArray(value) ? [] : [`${at}: {}`];
  return entries.flatMap(([key, member]) => filled(member, `${at}.${key}`));
}

it('nothing is counted and nothing is listed where nothing is known', () => {
  expect(filled(emptyStatus(50))).toEqual([
    '.rate.limit: 50',
    '.rate.windowSeconds: 60',
    '.auth.state: "none"',
  ]);
  expect(filled(noDocuments)).toEqual([]);
});
