import { describe, expect, it } from '@jest/globals';
import { health } from '../../../src/model/report/health.ts';
import { aFolder, aStatus } from '../../status/support/fake-control.ts';

const because = (code: string) => ({ reasons: [{ code, message: 'words' }] });

describe('the health', () => {
  it.each([
    ['all is delivered', aStatus({ folders: [aFolder({ synced: 3 })] })],
    ['a folder is polled for want of watches', aStatus(because('watch-limit'))],
    ['it begins', aStatus({ state: 'starting', folders: [aFolder({ state: 'scanning' })] })],
  ])('is ok while %s', (_name, status) => {
    expect(health(status)).toBe('ok');
  });

  it.each([
    ['a document failed', aStatus({ folders: [aFolder(), aFolder({ failed: 1 })] })],
    [
      'deletions are held',
      aStatus({ held: [{ folder: 'inbox', count: 2, since: '', reason: '', paths: [] }] }),
    ],
    ['an upload is in doubt', aStatus({ inDoubtTotal: 1 })],
    ['there may be duplicates', aStatus({ possibleDuplicates: 1 })],
    ['it is paused', aStatus({ state: 'paused', paused: ['inbox'] })],
    ['a folder is unavailable', aStatus({ state: 'degraded', folders: [aFolder({ state: 'unavailable' })] })],
    ['directory cannot be read', aStatus(because('unreadable-directory'))],
    ['the configuration on disk was refused', aStatus(because('configuration-refused'))],
    ['a folder is missing', aStatus(because('folder-missing'))],
    ['the page cannot be shown', aStatus(because('page-unavailable'))],
  ])('asks for attention when %s', (_name, status) => {
    expect(health(status)).toBe('attention');
  });

  it.each([
    ['the credentials are refused', aStatus({ auth: { state: 'refused', expiresAt: null } })],
    ['the service is unavailable', aStatus({ state: 'degraded', ...because('service-unavailable') })],
    ['its certificate cannot be trusted', aStatus(because('tls'))],
    ['the ledger cannot be written', aStatus({ state: 'paused', ...because('ledger-unwritable') })],
    ['uploads are stopped', aStatus({ state: 'degraded', ...because('uploads-stopped') })],
    ['it is degraded and nobody knows why', aStatus({ state: 'degraded' })],
    ['a reason is new', aStatus(because('something-new'))],
    ['no daemon runs', aStatus({ state: 'stopped' })],
  ])('is an error when %s', (_name, status) => {
    expect(health(status)).toBe('error');
  });
});
