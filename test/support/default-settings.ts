import type { SafetySettings, ServiceSettings } from '../../src/model/settings.ts';

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
