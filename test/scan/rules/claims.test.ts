import { describe, expect, it } from '@jest/globals';
import { createClaims } from '../../../src/scan/rules/claims.ts';

const claim = (owner: string, ...paths: string[]) => new Map([[owner, paths]]);

describe('attachments that sidecars claim (F54)', () => {
  it('makes a claimed file an attachment, and a document again when the claim goes', () => {
    const claims = createClaims();
    expect(claims.set('a', claim('a/x.pdf', 'b/y.pdf'))).toEqual(['b/y.pdf']);
    expect(claims.isAttachment('b/y.pdf')).toBe(true);
    expect(claims.dependents('b')).toEqual(['a']);
    expect(claims.set('a', claim('a/x.pdf', 'b/y.pdf'))).toEqual([]);
    expect(claims.set('a', new Map())).toEqual(['b/y.pdf']);
    expect([claims.isAttachment('b/y.pdf'), claims.dependents('b')]).toEqual([false, []]);
  });

  it('keeps it an attachment while another claims it', () => {
    const claims = createClaims();
    claims.set('a', claim('a/x.pdf', 'y.pdf'));
    claims.set('b', claim('b/x.pdf', 'y.pdf'));
    expect(claims.set('a', new Map())).toEqual([]);
    expect(claims.isAttachment('y.pdf')).toBe(true);
  });

  it('lets no two documents make each other disappear', () => {
    const claims = createClaims();
    claims.set(
      '',
      new Map([
        ['a.pdf', ['b.pdf']],
        ['b.pdf', ['a.pdf']],
      ]),
    );
    expect([claims.isAttachment('a.pdf'), claims.isAttachment('b.pdf')]).toEqual([false, false]);
  });

  it('counts a path that is listed twice once', () => {
    const claims = createClaims();
    claims.set('a', claim('a/x.pdf', 'y.pdf', 'y.pdf'));
    claims.set('a', new Map());
    expect([claims.isAttachment('y.pdf'), claims.dependents('')]).toEqual([false, []]);
  });
});
