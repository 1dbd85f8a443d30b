import { describe, expect, it } from '@jest/globals';
import { readMetadata, readSidecar } from '../../../src/model/metadata/metadata.ts';

const whole = {
  title: 'Q3',
  companies: [{ value: 'US0378331005', identifier: 'ISIN', salience: 'PRIMARY', operation: 'ADD' }],
  customTags: [{ name: 'quarterly', visibility: 'PRIVATE' }],
  shareInfo: { mode: 'EVERYONE' },
  docAuthors: [{ authorName: 'Jane Doe' }],
  documentOwner: 'jane@example.com',
  createdTimestamp: '2024-02-29T23:59:59Z',
  sourceType: 'broker',
  documentUrl: 'https://example.com/q3',
};

const invalid: readonly (readonly [string, unknown, RegExp])[] = [
  ['an unknown field', { titel: 'x' }, /titel/],
  ['an unknown field of an element', { companies: [{ value: 'x', isin: 'y' }] }, /companies\[0\].*isin/],
  ['null', null, /object/],
  ['an array', [], /object/],
  ['a text', 'x', /object/],
  ['a number for a text', { title: 5 }, /title: /],
  ['null for a text', { title: null }, /title: /],
  [
    'an unknown identifier',
    { companies: [{ value: 'x', identifier: 'WKN' }] },
    /companies\[0\]\.identifier: .*ISIN/,
  ],
  [
    'an unknown salience',
    { companies: [{ value: 'x', salience: 'MAIN' }] },
    /companies\[0\]\.salience: .*PRIMARY/,
  ],
  [
    'an unknown operation',
    { companies: [{ value: 'x', operation: 'SET' }] },
    /companies\[0\]\.operation: .*ADD/,
  ],
  ['a tag without a name', { customTags: [{}] }, /customTags\[0\]\.name/],
  ['an unknown visibility', { customTags: [{ name: 'x', visibility: 'ALL' }] }, /visibility: .*PUBLIC/],
  ['an unknown sharing mode', { shareInfo: { mode: 'PUBLIC' } }, /shareInfo\.mode: .*EVERYONE/],
  ['a company without a value', { companies: [{}] }, /companies\[0\]\.value/],
  [
    'an author to delete',
    { docAuthors: [{ authorName: 'x', operation: 'DELETE' }] },
    /docAuthors\[0\]\.operation/,
  ],
  ['a date of another shape', { createdTimestamp: '2024-01-01' }, /createdTimestamp: .*yyyy/],
  ['a date that never was', { createdTimestamp: '2023-02-29T00:00:00Z' }, /createdTimestamp/],
  ['an hour that never was', { createdTimestamp: '2023-02-28T24:00:00Z' }, /createdTimestamp/],
  ['a time with an offset', { createdTimestamp: '2024-01-01T00:00:00+00:00' }, /createdTimestamp/],
  ['a time with milliseconds', { createdTimestamp: '2024-01-01T00:00:00.000Z' }, /createdTimestamp/],
  ['a key __proto__', JSON.parse('{"__proto__": {"title": "x"}}'), /__proto__/],
  ['a key constructor', { constructor: 1 }, /constructor/],
  ['a key toString', { toString: 'x' }, /toString/],
];

describe('metadata from outside (F53, F55)', () => {
  it('takes every field of interface 2.2', () => {
    expect(readMetadata(whole)).toEqual({ kind: 'valid', value: whole });
  });

  it('takes an empty object and an empty shareInfo', () => {
    expect(readMetadata({ shareInfo: {} })).toEqual({ kind: 'valid', value: { shareInfo: {} } });
  });

  it.each(invalid)('refuses %s and names it', (_, value, message) => {
    expect(readMetadata(value)).toEqual({ kind: 'invalid', message: expect.stringMatching(message) });
    expect(readSidecar(value)).toMatchObject({ kind: 'invalid' });
  });

  it.each([
    [
      { shareInfo: { mode: 'everyone' } },
      'shareInfo.mode: "everyone" is not one of',
      'did you mean EVERYONE?',
    ],
    [
      { companies: [{ value: 'x', identifier: 'LEI-CODE' }] },
      'companies[0].identifier: "LEI-CODE" is not',
      'one of ISIN, CUSIP',
    ],
    [{ customTags: [{ name: 'x', visibility: 7 }] }, 'customTags[0].visibility: 7 is not one of', 'PUBLIC'],
    [
      { docAuthors: [{ authorName: 'x', operation: 'DELETE' }] },
      'docAuthors[0].operation: "DELETE" is not',
      '"ADD"',
    ],
    [{ companies: [{}] }, 'companies[0].value is missing', 'add it'],
    [{ titel: 'x' }, 'titel is not a known key', 'did you mean title?'],
    [
      { customTags: [{ name: 'x', visible: 1, colour: 2 }] },
      'customTags[0].colour is not',
      'has name, operation',
    ],
    [{ title: { text: 'x' } }, 'title: an object', 'is not a string'],
    [{ shareInfo: 'EVERYONE' }, 'shareInfo: "EVERYONE" is not an object', 'write { "mode": "EVERYONE" }'],
    [{ companies: {} }, 'companies: an object is not', 'a list of { value: … }'],
    [[], 'the file: a list is not', 'an object of keys and values'],
    [['x'], 'the file: a list is not', 'an object of keys and values'],
    [{ documentOwner: '' }, 'documentOwner is empty', 'write a string'],
    [{ title: 5, extra: `\u001b[2J${'x'.repeat(500)}` }, 'title: 5 is not a string', 'extra is not a known'],
  ])('names in %j the field, the value that stands there and the fix', (value, found, fix) => {
    const { message } = readSidecar(value) as { message: string };
    expect(message).toContain(found);
    expect(message).toContain(fix);
    expect(message.length).toBeLessThan(400);
    expect(message).not.toMatch(/\p{Cc}/u);
  });

  it('takes attachments in a sidecar only', () => {
    expect(readSidecar({ ...whole, attachments: ['a.xlsx'] })).toEqual({
      kind: 'valid',
      value: { metadata: whole, attachments: ['a.xlsx'] },
    });
    expect(readMetadata({ attachments: ['a.xlsx'] })).toMatchObject({ kind: 'invalid' });
    expect(readSidecar({ attachments: 'a.xlsx' })).toMatchObject({ kind: 'invalid' });
  });

  it.each([
    ['64 attachments', Array.from({ length: 64 }, (_, index) => `${index}.txt`), 'valid'],
    ['65 attachments', Array.from({ length: 65 }, (_, index) => `${index}.txt`), 'has more than 64 entries'],
    ['a path of 4,096 bytes', ['é'.repeat(2_048)], 'valid'],
    ['a path of 4,097 bytes', [`${'é'.repeat(2_048)}x`], 'is longer than 4096 bytes'],
    ['an empty path', [''], 'is empty'],
  ])('bounds what a sidecar attaches: %s', (_, attachments, expected) => {
    const reading = readSidecar({ attachments });
    expect(reading.kind === 'valid' ? reading.kind : reading.message).toContain(expected);
  });

  it.each(['companies', 'customTags', 'docAuthors'])('bounds the elements of %s', (field) => {
    const key = { companies: 'value', customTags: 'name' }[field] ?? 'authorName';
    const listOf = (length: number) => ({
      [field]: Array.from({ length }, (_, index) => ({ [key]: `${index}` })),
    });
    expect(readMetadata(listOf(1_000)).kind).toBe('valid');
    expect(readMetadata(listOf(1_001))).toMatchObject({
      message: expect.stringContaining(`${field}: a list: has more than 1000 entries; remove some`),
    });
  });

  it('names three faults and counts the rest', () => {
    const value = { title: 1, sourceType: 2, documentOwner: 3, documentUrl: 4, createdTimestamp: 5 };
    expect(readMetadata(value)).toMatchObject({
      message: expect.stringMatching(/^5 problems: \(1\) .* \(3\) .* and 2 more$/),
    });
  });
});

it('takes any text for an address: the interface says so', () => {
  for (const documentUrl of ['https://a.example', 'javascript:alert(1)', '/q3', ''])
    expect(readMetadata({ documentUrl }).kind).toBe('valid');
});
