import { expect, it } from '@jest/globals';

import { documentTypes } from '../../../src/model/names-and-types.ts';
import { contentType } from '../../../src/remote/http/multipart.ts';

it.each(documentTypes)('a document of type %s goes out with its media type', (type) => {
  expect(contentType(`a.${type}`)).toMatch(/^(?:application|text|message)\/(?!octet-stream)[\w.-]+$/);
  expect(contentType(`A.${type.toUpperCase()}`)).toBe(contentType(`a.${type}`));
});

it('what is no document goes out as bytes', () => {
  expect(['a', 'a.', 'a.zip', ''].map(contentType)).toEqual(Array(4).fill('application/octet-stream'));
});
