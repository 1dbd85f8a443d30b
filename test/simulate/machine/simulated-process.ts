import { settingsSchema } from '../../../src/model/settings.ts';
import type { Credentials, Settings } from '../../../src/model/settings.ts';
import type { Daemon } from '../../../src/daemon/assemble-daemon.ts';
import { openParts } from '../../../src/daemon/open-parts.ts';
import { runSync } from '../../../src/daemon/run-sync.ts';
import { systemClock } from '../../../src/lib/time/clock.ts';
import type { Clock } from '../../../src/lib/time/clock.ts';
import type { Log } from '../../../src/log/create-log.ts';
import { guardTwinFolders } from '../../../src/daemon/process/guard-twin-folders.ts';
import { openFolder } from '../../../src/scan/folder.ts';
import type { UnsentAttachments } from '../../../src/sync/decide/unsent-attachments.ts';
import type { Setting } from '../world/plan.ts';

const credentials: Credentials = {
  apiKey: 'key',
  clientId: 'client',
  clientSecret: 'client-secret',
  username: 'user@example.com',
  password: 'password-of-user',
};

/** The configuration of a run. */
export function settingsOf(setting: Setting, prefix: string): Settings {
  const {
    service,
    state,
    cluster: _,
    ...settings
  } = settingsSchema.parse({
    service: { requestsPerMinute: setting.requestsPerMinute },
    folders: setting.folders.map(({ name, mode, isPolled }) => ({
      name,
      path: `${prefix}/disk/${name}`,
      metadata: mode === null ? {} : { shareInfo: { mode } },
      watch: isPolled ? 'polling' : 'auto',
      followSymlinks: setting.followSymlinks === true,
    })),
    timing: { settleMs: setting.settleMs },
    safety: { maxDeletePercent: 0, maxDeleteCount: setting.maxDeleteCount, inDoubt: setting.inDoubt },
    http: { port: false },
  });
  return {
    ...settings,
    file: `${prefix}/ingestd.yaml`,
    service: { ...service, authUrl: 'http://127.0.0.1:9', ingestUrl: 'http://127.0.0.1:9' },
    state: { ...state, dir: `${prefix}/state` },
    cluster: null,
  };
}

/** Makes a pass as `sync` does. Rejects where that would end with an error. */
export function startSync(settings: Settings, clock: Clock, log: Log): ReturnType<typeof runSync> {
  Object.assign(systemClock, clock);
  const options = {
    settings,
    credentials,
    credentialsAdvice: async () => '',
    makesFolders: false,
    log,
    onProgress: () => {},
    watcher: 'native',
  };
  return runSync(options);
}

/** Starts ingestd as `run` does, without its page. Rejects where `run` would end. */
export async function startDaemon(
  settings: Settings,
  clock: Clock,
  log: Log,
  unsent: UnsentAttachments,
): Promise<Daemon> {
  const opened = settings.folders.map((folder) =>
    openFolder(folder, { settings, clock, log, watcher: 'native' }),
  );
  const folders = guardTwinFolders(opened, { clock, log });
  const options = {
    settings,
    credentials,
    log,
    clock,
    startedAt: new Date(clock.now()).toISOString(),
    maxAttempts: null,
    unsent,
  };
  return openParts(options, folders);
}
