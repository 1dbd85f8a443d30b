import { expect, it } from '@jest/globals';
import { bringsToken } from '../../../src/lib/server/brings-token.ts';

const token = 'a token: with ü';
const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;

it.each([
  ['the token as the password of any user', basic(`anybody:${token}`), true],
  ['the token without a user name', basic(`:${token}`), true],
  ['another case of the scheme', basic(`x:${token}`).replace('Basic', 'bASIC'), true],
  ['the token as the user name', basic(`${token}:`), false],
  ['the token alone', basic('0123456789abcdef'), false],
  ['more than the token', basic(`x:${token}.`), false],
  ['less than the token', basic(`x:${token.slice(1)}`), false],
  ['no password', basic('x:'), false],
  ['nothing after the scheme', 'Basic ', false],
  ['characters that are not base64', 'Basic %%%', false],
  ['two values', `${basic(`x:${token}`)}, ${basic(`x:${token}`)}`, false],
])('HTTP Basic with %s', (_name, authorization, isRight) => {
  expect(bringsToken({ authorization }, token)).toBe(isRight);
});

it.each([
  ['the token', 'Bearer 0123456789abcdef', true],
  ['the token, the scheme in small letters', 'bearer   0123456789abcdef', true],
  ['a wrong token', 'Bearer 0123456789abcdeF', false],
  ['nothing', 'Bearer ', false],
  ['no scheme', '0123456789abcdef', false],
  ['another scheme', 'Digest 0123456789abcdef', false],
  ['no header', undefined, false],
])('a bearer token: %s', (_name, authorization, isRight) => {
  expect(bringsToken({ authorization }, '0123456789abcdef')).toBe(isRight);
});
