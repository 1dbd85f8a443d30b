import { settingsSchema } from '../../../src/model/settings.ts';
import type { Credentials, Settings } from '../../../src/model/settings.ts';
import type { Daemon } from '../../../src/daemon/assemble-daemon.ts';
import { openParts } from '../../../src/daemon/open-parts.ts';
import type { Clock } from '../../../src/lib/time/clock.ts';
import type { Log } from '../../../src/log/create-log.ts';
import { guardTwinFolders } from '../../../src/daemon/process/guard-twin-folders.ts';
import { openFolder } from '../../../src/scan/folder.ts';
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

/** Starts ingestd as `run` does, without its page. Rejects where `run` would end. */
export async function startDaemon(settings: Settings, clock: Clock, log: Log): Promise<Daemon> {
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
  };
  return openParts(options, folders);
}
