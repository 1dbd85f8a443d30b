import { usualServicePort } from './usual-port.ts';
import { join, resolve } from 'node:path';
import { systemClock } from '../../lib/time/clock.ts';
import { exitCodes } from '../../model/errors.ts';
import { listenForSignals } from '../../daemon/process/signals.ts';
import { userState } from '../../config/find-places.ts';
import { levelAskedFor } from '../define-command.ts';
import type { CommandContext, GlobalFlags } from '../define-command.ts';
import { createLog } from '../../log/create-log.ts';
import { startEmbeddedService } from '../../embedded/embedded-service.ts';
import { loadHttpToken } from '../../config/secrets/read-secrets.ts';
import { credentialVariables } from '../../config/secrets/secret-names.ts';

export async function service(
  context: CommandContext,
  flags: GlobalFlags & { port?: number; data?: string },
) {
  const { port, data } = flags;
  const { env, cwd, output, redactor } = context;
  const dataDir = resolve(cwd, data ?? join(userState(env, '--data'), 'ingestd-service'));
  const log = await createLog({
    level: levelAskedFor(flags) ?? 'info',
    format: 'auto',
    redactor,
    write: context.writeError,
  });
  const address = port === undefined ? { usualPort: usualServicePort } : { port };
  const environmentFile = { file: join(cwd, '.env'), values: {}, warnings: [] };
  // Its page needs none: without one it answers to this machine alone.
  const http = { host: '127.0.0.1', port: 0 };
  const pageToken = await loadHttpToken({ http }, { configuration: '', env, environmentFile, cwd, redactor });
  const running = await startEmbeddedService({
    ...address,
    dataDir,
    clock: systemClock,
    log,
    pageToken,
  });
  const { authUrl, ingestUrl, pageUrl, credentials } = running;
  redactor.add([credentials.apiKey, credentials.clientSecret, credentials.password]);
  const lines = {
    INGESTD_AUTH_URL: authUrl,
    INGESTD_INGEST_URL: ingestUrl,
    ...credentialVariables(credentials),
  };
  // Whoever reads the addresses may stop it at once.
  const signals = listenForSignals();
  for (const [name, value] of Object.entries(lines)) output.line(`${name}=${value}`);
  log.info({ page: pageUrl, data: dataDir }, 'embedded service started; its page lists the documents');
  try {
    await signals.next();
    await running.close();
  } finally {
    signals.close();
  }
  return exitCodes.ok;
}
