import type { FolderSettings, SafetySettings, ServiceSettings } from '../../src/model/settings.ts';

/** Settings under which the daemon is shaken, in the words of the configuration file. */
export interface Regime {
  readonly name: string;
  readonly service: Pick<ServiceSettings, 'requestsPerMinute'> & Partial<ServiceSettings>;
  readonly folders: readonly (Pick<FolderSettings, 'name'> & Partial<FolderSettings>)[];
  readonly safety: Partial<SafetySettings>;
}

/** Deletions are held by the usual limits in one regime only: elsewhere they would hide everything else. */
const unguarded = { maxDeleteCount: 100_000 };
const plenty = 100_000;

/** What the usual settings are, and each of the others at least once. */
export const regimes: readonly Regime[] = [
  {
    name: 'usual',
    service: { requestsPerMinute: plenty },
    folders: [{ name: 'inbox' }, { name: 'archive' }],
    safety: unguarded,
  },
  {
    name: 'keep, rewrite, guard',
    service: { requestsPerMinute: plenty, concurrency: 8 },
    folders: [
      { name: 'inbox', names: 'rewrite' },
      { name: 'archive', onRemove: 'keep' },
    ],
    safety: { maxDeleteCount: 10, maxDeletePercent: 20 },
  },
  {
    name: 'hold in doubt, no titles',
    service: { requestsPerMinute: plenty },
    folders: [{ name: 'inbox', title: 'none', createdTimestamp: 'none' }, { name: 'archive' }],
    safety: { ...unguarded, inDoubt: 'hold' },
  },
  {
    name: 'sidecars required, polled',
    service: { requestsPerMinute: plenty, concurrency: 1 },
    folders: [
      { name: 'inbox', sidecar: 'required' },
      { name: 'archive', watch: 'polling' },
    ],
    safety: unguarded,
  },
  {
    name: 'tight limit',
    service: { requestsPerMinute: 60 },
    folders: [{ name: 'inbox' }, { name: 'archive' }],
    safety: unguarded,
  },
];
