import { afterEach, describe, expect, it } from '@jest/globals';

import { PermitLostError } from '../../src/model/errors.ts';
import type { Permit, PermitGuard } from '../../src/model/ports/service-port.ts';
import { startClientWorld, unwatched } from './client-world.ts';
import type { ClientWorld } from './client-world.ts';

describe('a request whose permit can be lost', () => {
  let world: ClientWorld | null = null;
  afterEach(() => world?.close());

  const uploadWith = async (guard: Partial<PermitGuard>, bytes = 10) => {
    const opened = await startClientWorld();
    world = opened;
    const ended: string[] = [];
    const permit: Permit = {
      spent: () => ended.push('spent'),
      giveBack: () => ended.push('given back'),
      guard: {
        confirm: async () => {},
        mayBegin: () => true,
        mayGoOn: () => true,
        signal: new AbortController().signal,
        ...guard,
      },
    };
    const file = await opened.file('a.pdf', new Uint8Array(bytes));
    const { outcome } = await opened.client.upload(
      { file, attachments: [], metadata: {} },
      permit,
      unwatched,
    );
    return { outcome, ended, arrived: opened.service.requests };
  };

  it('goes out as any other while the permit holds', async () => {
    const { outcome, ended } = await uploadWith({});
    expect(outcome.kind).toBe('accepted');
    expect(ended).toEqual(['spent']);
  });

  it.each<readonly [string, Partial<PermitGuard>]>([
    ['was lost before', { confirm: () => Promise.reject(new PermitLostError()) }],
    ['ran out while it connected', { mayBegin: () => false }],
  ])('sends no header where the permit %s, and nothing is counted', async (_, guard) => {
    const { outcome, ended, arrived } = await uploadWith(guard);
    expect(outcome).toMatchObject({ kind: 'unavailable', code: 'permit-lost', sent: 'nothing' });
    expect([ended, arrived.length]).toEqual([['given back'], 0]);
  });

  it('stops in the middle of a body where the permit runs out, and the last byte never goes', async () => {
    let pieces = 0;
    const { outcome, ended } = await uploadWith({ mayGoOn: () => (pieces += 1) < 4 }, 8 * 1024 * 1024);
    expect(outcome).toMatchObject({ kind: 'unavailable', code: 'permit-lost', sent: 'part' });
    expect(ended).toEqual(['spent']);
  });
});
