import type { Stats } from 'node:fs';

import { describe, expect, it } from '@jest/globals';
import type { Entry } from '../../../src/scan/rules/entry.ts';
import { relate } from '../../../src/scan/rules/relate.ts';
import { fitting, mayBeMeantFor, misspelling } from '../../../src/scan/rules/sidecar-names.ts';

const entryOf = (name: string, uid = 1): Entry => ({
  name,
  raw: name,
  kind: 'file',
  stats: { uid } as unknown as Stats,
});

function pair(
  sidecars: readonly string[],
  documents: readonly string[],
  more: {
    files?: readonly string[];
    foreign?: readonly string[];
    twins?: readonly string[];
    leftOut?: readonly string[];
  } = {},
) {
  const uidOf = (sidecar: string) => ((more.foreign ?? []).includes(sidecar) ? 2 : 1);
  const group = {
    sidecars: new Map(sidecars.map((name) => [name, entryOf(name, uidOf(name))])),
    twinSidecars: new Map(more.twins?.map((name) => [name, [entryOf(name)]])),
    documents: documents.map((name) => entryOf(name)),
    leftOut: (more.leftOut ?? []).map((name) => entryOf(name)),
    fits: fitting(() => more.files ?? []),
  };
  const { sidecars: paired, ofLeftOut, unpaired } = relate(group, 'same');
  const words = (map: typeof paired) =>
    Object.fromEntries([...map].map(([name, { name: of, kind }]) => [name, `${kind} ${of}`]));
  return {
    paired: words(paired),
    leftOut: words(ofLeftOut),
    orphans: [...unpaired].flatMap(([name, why]) => (why === 'orphan' ? [name] : [])),
    foreign: [...unpaired].flatMap(([name, why]) => (why === 'foreign' ? [name] : [])),
  };
}

describe('pairing (F50, F56, F57)', () => {
  it('pairs by the full name', () => {
    expect(pair(['a.pdf.meta.json'], ['a.pdf']).paired).toEqual({ 'a.pdf': 'own a.pdf.meta.json' });
  });

  it('pairs by the stem of the only document of it', () => {
    expect(pair(['a.meta.json'], ['a.pdf', 'b.pdf']).paired).toEqual({ 'a.pdf': 'own a.meta.json' });
  });

  it('leaves out another user’s sidecar, so that it makes nothing ambiguous', () => {
    const { paired, foreign, orphans } = pair(['a.pdf.meta.json', 'a.meta.json'], ['a.pdf'], {
      foreign: ['a.pdf.meta.json'],
    });
    expect(paired).toEqual({ 'a.pdf': 'own a.meta.json' });
    expect(foreign).toEqual(['a.pdf.meta.json']);
    expect(orphans).toEqual([]);
  });

  it('says of which sidecar there is another one whose name looks the same', () => {
    const twins = ['a.pdf.meta.json', 'b.meta.json', 'c.meta.json'];
    expect(pair(twins, ['a.pdf', 'b.pdf', 'c.pdf', 'c.txt'], { twins }).paired).toEqual({
      'a.pdf': 'twin a.pdf.meta.json',
      'b.pdf': 'twin b.meta.json',
      'c.pdf': 'ambiguous c.meta.json',
      'c.txt': 'ambiguous c.meta.json',
    });
  });

  it('lets the full name win', () => {
    const { paired, orphans } = pair(['a.meta.json', 'a.pdf.meta.json'], ['a.pdf']);
    expect(paired).toEqual({ 'a.pdf': 'own a.pdf.meta.json' });
    expect(orphans).toEqual([]);
  });

  it('reports a stem that several documents share as ambiguous, but not for one with its own', () => {
    expect(pair(['a.meta.json', 'a.txt.meta.json'], ['a.pdf', 'a.txt', 'a.csv']).paired).toEqual({
      'a.txt': 'own a.txt.meta.json',
      'a.pdf': 'ambiguous a.meta.json',
      'a.csv': 'ambiguous a.meta.json',
    });
  });

  it('does not take the full sidecar of one document for the stem sidecar of another', () => {
    expect(pair(['a.pdf.meta.json'], ['a.pdf', 'a.pdf.txt']).paired).toEqual({
      'a.pdf': 'own a.pdf.meta.json',
    });
  });

  it('keeps the sidecar of a file that a rule leaves out for that file, unless a document has it', () => {
    const { paired, leftOut } = pair(['a.meta.json', 'b.pdf.meta.json'], ['a.pdf'], {
      leftOut: ['a.txt', 'b.pdf'],
    });
    expect(paired).toEqual({ 'a.pdf': 'own a.meta.json' });
    expect(leftOut).toEqual({ 'b.pdf': 'own b.pdf.meta.json' });
  });

  it('reports a sidecar without a document as orphan, and one of a file that is no document not', () => {
    const sidecars = ['a.pdf.meta.json', 'x.jpg.meta.json', 'y.meta.json'];
    expect(pair(sidecars, [], { files: ['x.jpg', 'y.jpg'] }).orphans).toEqual(['a.pdf.meta.json']);
  });
});

describe('a sidecar that fits no file (7.29)', () => {
  it.each([
    ['salery.doc.meta.json', 'salary.doc'],
    ['sallery.doc.meta.json', 'salary.doc'],
    ['salray.doc.meta.json', 'salary.doc'],
    ['salery.meta.json', 'salary.doc'],
    ['salary.docx.meta.json', 'salary.doc'],
    ['salary.dox.meta.json', 'salary.doc'],
    ['Salary.DOC.meta.json', 'salary.doc'],
    ['SALARY.meta.json', 'salary.doc'],
    ['salary.pdf.meta.json', 'salary.doc'],
    ['salary.doc.meta.JSON', 'salary.doc'],
    ['salary.META.json', 'salary.doc'],
    ['salary.doc.meta.jsn', 'salary.doc'],
    ['salary.mta.json', 'salary.doc'],
    ['salary.doc.meta.json.txt', 'salary.doc'],
    ['salary.doc.metadata.json', 'salary.doc'],
    ['reprotx.txt.meta.json', 'report.txt'],
    ['mintuse.txt.meta.json', 'minutes.txt'],
    ['mmeo.text.meta.json', 'memo.txt'],
    ['contarct-2062.meta.json', 'Contract-2026.pdf'],
  ])('%s may be meant for %s', (sidecar, document) => {
    expect(mayBeMeantFor(sidecar, document)).toBe(true);
  });

  it.each([
    ['mintusex.txt.meta.json', 'minutes.txt'],
    ['salery.doc.meta.json', 'slary.docx'],
    ['salary-2.doc.meta.json', 'salary-2026.doc'],
    ['report.pdf.meta.json', 'salary.doc'],
    ['rep.meta.json', 'report.doc'],
    ['salery.doc.meta.jsn', 'salary.doc'],
  ])('%s is not meant for %s', (sidecar, document) => {
    expect(mayBeMeantFor(sidecar, document)).toBe(false);
  });

  it.each([
    ['salary.doc.meta.json', true],
    ['salary.meta.json', true],
    ['salary.doc.meta.JSON', false],
    ['salery.doc.meta.json', false],
  ])('is told by the files beside it: %s fits: %s', (sidecar, isFitting) => {
    expect(fitting(() => ['salary.doc', 'photo.jpg'])(sidecar)).toBe(isFitting);
  });

  it.each([
    ['salary.doc.meta.jsn', true],
    ['Salary.DOC.mta.Json', true],
    ['salary.docmeta.json', true],
    ['salary.doc_meta.json', true],
    ['salary.mmeta.json', true],
    ['salary.doc.meat.json', true],
    ['salary.doc.meta.json.txt', true],
    ['salary.doc.metadata.json', true],
    ['salary.data.json', false],
    ['salary.doc.meta.js', false],
    ['salery.doc.meta.jsn', false],
    ['photo.jpg.meta.jsn', false],
    ['salary.doc', false],
  ])('is told by one letter of its end: %s is misspelled: %s', (sidecar, isMisspelled) => {
    expect(misspelling(() => ['salary.doc', 'photo.jpg'])(sidecar)).toBe(isMisspelled);
  });
});
