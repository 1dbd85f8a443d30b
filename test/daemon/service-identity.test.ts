import { describe, expect, it } from '@jest/globals';

import { serviceIdentity } from '../../src/daemon/preconditions/whose-ledger.ts';

function identityOf(ingestUrl: string): string {
  return serviceIdentity({ mode: 'remote', ingestUrl });
}

describe('the identity of a service', () => {
  it.each([
    ['http://127.0.0.1:8080', 'http://127.0.0.1:9090'],
    ['http://127.0.0.1:8080', 'http://localhost'],
    ['http://127.1.2.3:8080', 'https://[::1]:9'],
    ['http://127.0.0.1:8080/v1', 'http://localhost:1/v1/'],
    ['https://ingest.example', 'https://INGEST.example:443/'],
  ])('is the same for %s and %s', (one, other) => {
    expect(identityOf(one)).toBe(identityOf(other));
  });

  it.each([
    ['https://staging.example', 'https://ingest.example'],
    ['https://ingest.example', 'https://ingest.example:8443'],
    ['https://ingest.example/a', 'https://ingest.example/b'],
    ['http://127.0.0.1:8080/a', 'http://127.0.0.1:8080/b'],
    ['http://127.0.0.1:8080', 'https://127.0.0.1.example'],
  ])('is another for %s and %s', (one, other) => {
    expect(identityOf(one)).not.toBe(identityOf(other));
  });

  it('is another for the embedded service than for any address', () => {
    const embedded = serviceIdentity({ mode: 'embedded', ingestUrl: '' });
    expect(identityOf('http://127.0.0.1:8080')).not.toBe(embedded);
  });
});
