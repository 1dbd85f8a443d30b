import { describe, expect, it } from '@jest/globals';
import { createAttachmentLists } from '../../../src/scan/rules/attachment-lists.ts';

const listOf = (owner: string, ...paths: string[]) => new Map([[owner, paths]]);

describe('attachments that sidecars list (F54)', () => {
  it('makes a listed file an attachment, and a document again when the list goes', () => {
    const lists = createAttachmentLists();
    expect(lists.set('a', listOf('a/x.pdf', 'b/y.pdf'))).toEqual(['b/y.pdf']);
    expect(lists.isAttachment('b/y.pdf')).toBe(true);
    expect(lists.dependents('b')).toEqual(['a']);
    expect(lists.set('a', listOf('a/x.pdf', 'b/y.pdf'))).toEqual([]);
    expect(lists.set('a', new Map())).toEqual(['b/y.pdf']);
    expect([lists.isAttachment('b/y.pdf'), lists.dependents('b')]).toEqual([false, []]);
  });

  it('keeps it an attachment while another lists it', () => {
    const lists = createAttachmentLists();
    lists.set('a', listOf('a/x.pdf', 'y.pdf'));
    lists.set('b', listOf('b/x.pdf', 'y.pdf'));
    expect(lists.set('a', new Map())).toEqual([]);
    expect(lists.isAttachment('y.pdf')).toBe(true);
  });

  it('lets no two documents make each other disappear', () => {
    const lists = createAttachmentLists();
    lists.set(
      '',
      new Map([
        ['a.pdf', ['b.pdf']],
        ['b.pdf', ['a.pdf']],
      ]),
    );
    expect([lists.isAttachment('a.pdf'), lists.isAttachment('b.pdf')]).toEqual([false, false]);
  });

  it('counts a path that is listed twice once', () => {
    const lists = createAttachmentLists();
    lists.set('a', listOf('a/x.pdf', 'y.pdf', 'y.pdf'));
    lists.set('a', new Map());
    expect([lists.isAttachment('y.pdf'), lists.dependents('')]).toEqual([false, []]);
  });
});
