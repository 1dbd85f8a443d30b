import { describe, expect, it } from '@jest/globals';

import { excerpt } from '../../src/lib/text/printable.ts';
import { createRedactor } from '../../src/lib/text/redactor.ts';

const redact = (text: string, secrets: readonly string[]) => createRedactor(secrets).redact(text);

describe('the redactor', () => {
  it('takes a secret out in every encoding', () => {
    const secret = 'pä/ss+wörd&"4711';
    const bytes = Buffer.from(secret);
    const encodings = [
      secret,
      encodeURIComponent(secret),
      new URLSearchParams({ s: secret }).toString().slice(2),
      bytes.toString('base64'),
      bytes.toString('base64url'),
      JSON.stringify(secret).slice(1, -1),
    ];
    for (const text of encodings) expect(redact(`bad: ${text}!`, [secret])).toBe('bad: [redacted]!');
  });

  it('takes out a secret that is part of another, or of its own replacement', () => {
    expect(redact('longer-secret and secret', ['secret', 'longer-secret'])).toBe('[redacted] and [redacted]');
    expect(redact('acted token-1', ['token-1', 'acted'])).toBe('[redacted] [redacted]');
  });

  it('takes out secrets of any length, in every encoding, beside short ones', () => {
    const long = `${'k/+ä'.repeat(50_000)}end`;
    const base64 = Buffer.from(long).toString('base64');
    const text = `${long}, short-one, ${base64}, ${encodeURIComponent(long)}, ${long}${long}`;
    expect(redact(text, ['short-one', long])).toBe(
      '[redacted], [redacted], [redacted], [redacted], [redacted][redacted]',
    );
    expect(redact('nothing', [long])).toBe('nothing');
  });

  it('leaves ordinary words alone where a secret is very short', () => {
    expect(redact('banana', ['a', 'an', ''])).toBe('banana');
  });
});

describe('an excerpt', () => {
  it('is printable and holds 200 characters at most', () => {
    expect(excerpt('a\r\nb\u001b]0;x\u0007\u202e\u2028')).toBe('a\\x0d\\x0ab\\x1b]0;x\\x07\\u202e\\u2028');
    expect(excerpt('x'.repeat(1000))).toHaveLength(200);
  });
});
