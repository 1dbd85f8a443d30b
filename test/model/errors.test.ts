import { describe, expect, it } from '@jest/globals';

import { errorCode, errorMessage } from '../../src/model/errors.ts';

describe('whatever was thrown', () => {
  it.each([
    [Object.assign(new Error('gone'), { code: 'ENOENT' }), 'ENOENT', 'gone'],
    [Object.assign(new Error('odd'), { code: 7 }), undefined, 'odd'],
    [new Error('plain'), undefined, 'plain'],
    [{ message: 12 }, undefined, '12'],
    ['a text', undefined, 'a text'],
    [null, undefined, 'null'],
    [undefined, undefined, 'undefined'],
    [{}, undefined, '[object Object]'],
  ])('%p has the code %p and the message %p', (thrown, code, message) => {
    expect([errorCode(thrown), errorMessage(thrown)]).toEqual([code, message]);
  });
});
