import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { sentence, sentences } from '../../src/lib/text/sentences.ts';

describe('sentence', () => {
  it.each([
    ['the file is empty', 'The file is empty.'],
    ['', ''],
    ['nothing to do.', 'Nothing to do.'],
    ['did you mean title?', 'Did you mean title?'],
    ['typo.txt.meta.json: line 1 is not JSON', 'typo.txt.meta.json: line 1 is not JSON.'],
    ['a long name.txt.meta.json: line 1', 'a long name.txt.meta.json: line 1.'],
    ['the sidecar a.json is gone', 'The sidecar a.json is gone.'],
    ['private: its .ingestignore is UTF-16', 'private: its .ingestignore is UTF-16.'],
    ['inbox/a b.pdf is still changing', 'inbox/a b.pdf is still changing.'],
    ['docId abc also belongs to inbox/a.pdf', 'docId abc also belongs to inbox/a.pdf.'],
    ['inbox: 3 deletions held', 'inbox: 3 deletions held.'],
    ['ingestd is not running', 'ingestd is not running.'],
    ['"x" is not a folder name', '"x" is not a folder name.'],
  ])('makes of %s: %s', (text, expected) => expect(sentence(text)).toBe(expected));
});

describe('sentences', () => {
  it('doubles no mark and repeats nothing', () => {
    expect(sentences(['"titel" is unknown; did you mean title?', 'Correct the file.'])).toBe(
      '"titel" is unknown; did you mean title? Correct the file',
    );
    expect(sentences(['Credentials refused', 'credentials refused.', '2 documents failed'])).toBe(
      'Credentials refused. 2 documents failed',
    );
  });

  it('doubles no mark whatever it is given', () => {
    const words = fc.stringMatching(/^[a-z][a-z ]{0,20}[a-z]$/);
    const part = fc.tuple(words, fc.constantFrom('', '.', '..', '?', '!')).map((both) => both.join(''));
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        expect(sentences(parts)).not.toMatch(/[.?!][.?!]|\.$/);
        for (const one of parts) expect(sentence(one)).not.toMatch(/[.?!][.?!]/);
      }),
    );
  });
});
