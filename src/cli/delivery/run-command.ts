import type { Reloaded } from '../../daemon/process/obey-signals.ts';
import type { CommandContext, GlobalFlags } from '../define-command.ts';
import type { PreparedCommand } from '../prepare-command.ts';
import { runDaemon } from '../../daemon/run-daemon.ts';
import { requireOwnPlace } from '../../commands/offline/with-ledger.ts';
import { correctionAdvice } from '../../config/secrets/correction-advice.ts';
import { loadHttpToken, loadNotifyWebhook } from '../../config/secrets/read-secrets.ts';
import { credentialsFor, prepareCommand } from '../prepare-command.ts';

/** Of what `run` begins with, and reads again. */
const forRun = { quiet: false, checkFolders: true } as const;

export async function run(context: CommandContext, flags: GlobalFlags) {
  const prepared = await prepareCommand(context, flags, forRun);
  const { settings, configuration, log } = prepared;
  await requireOwnPlace(settings, true);
  // The same file again, also where another would be found by now.
  const again = configuration.trial ? flags : { ...flags, config: settings.file };
  return runDaemon({
    ...(await readAll(prepared)),
    log,
    reload: async () => readAll(await prepareCommand(context, again, forRun)),
  });
}

/** What SIGHUP reads again. Throws ConfigurationError. */
async function readAll(prepared: PreparedCommand): Promise<Reloaded> {
  const { settings, configuration } = prepared;
  const sources = configuration.secretSources;
  return {
    settings,
    digest: configuration.digest,
    httpToken: await loadHttpToken(settings, sources),
    notifyWebhook: await loadNotifyWebhook(sources),
    credentials: await credentialsFor(prepared),
    readCredentials: () => credentialsFor(prepared),
    credentialsAdvice: () => correctionAdvice(sources, process.pid),
    makesFolders: configuration.trial,
  };
}
