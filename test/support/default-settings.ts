import type { FolderSettings, SafetySettings, ServiceSettings } from '../../src/model/settings.ts';

/** As the contract's configuration has them, but for what is given. */
export function serviceSettingsOf(parts: Partial<ServiceSettings> = {}): ServiceSettings {
  return {
    mode: 'remote',
    authUrl: '',
    ingestUrl: '',
    requestsPerMinute: 50,
    concurrency: 4,
    sendApiKey: false,
    revokeOnStop: false,
    onMissing: 'fail',
    connectSeconds: 10,
    idleSeconds: 60,
    responseSeconds: 120,
    maxFileMegabytes: 150,
    documentOwner: 'configured',
    ...parts,
  };
}

export function safetySettingsOf(parts: Partial<SafetySettings> = {}): SafetySettings {
  return { maxDeletePercent: 50, maxDeleteCount: 10, inDoubt: 'retry', ...parts };
}

/** A folder with the contract's defaults, but for what is given. */
export function folderSettingsOf(path: string, parts: Partial<FolderSettings> = {}): FolderSettings {
  return {
    name: 'inbox',
    path,
    metadata: {},
    sidecar: 'optional',
    title: 'fileStem',
    createdTimestamp: 'modified',
    names: 'reject',
    onRemove: 'delete',
    include: [],
    ignore: [],
    attachments: 'below',
    sidecarOwner: 'any',
    followSymlinks: false,
    watch: 'auto',
    ...parts,
  };
}
