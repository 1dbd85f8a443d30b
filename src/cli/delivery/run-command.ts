import type { Command } from 'commander';
import type { Reloaded } from '../../daemon/process/obey-signals.ts';
import { defineCommand } from '../define-command.ts';
import type { CommandContext, GlobalFlags } from '../define-command.ts';
import {
  credentialsAdvice,
  credentialsFor,
  httpTokenFor,
  notifyWebhookFor,
  prepareCommand,
} from '../prepare-command.ts';
import type { PreparedCommand } from '../prepare-command.ts';

/** `ingestd run`: watch and deliver until stopped. The default command. */
export function addRunCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('run', { isDefault: true })
    .description('watch the folders and deliver until stopped (the default command)');
  defineCommand(command, context, run, [
    { command: 'ingestd', does: 'with ./ingestd.yaml, or the trial where there is none' },
    {
      command: 'ingestd run --config /etc/ingestd/ingestd.yaml',
      does: 'with the configuration of the installed service',
    },
  ]);
}

async function run(context: CommandContext, flags: GlobalFlags): Promise<number> {
  const { prepareScan } = await import('../../daemon/prepare-scan.ts');
  prepareScan();
  const prepared = await prepareCommand(context, flags, { reportsTrial: 'in the log' });
  const { runDaemon } = await import('../../daemon/run-daemon.ts');
  const { settings, configuration, log } = prepared;
  // The same file again, also where another would be found by now.
  const again = configuration.trial ? flags : { ...flags, config: settings.file };
  return runDaemon({
    ...(await readAll(prepared)),
    log,
    reload: async () => readAll(await prepareCommand(context, again, { reportsTrial: 'nowhere' })),
  });
}

/** What SIGHUP reads again. Throws ConfigurationError. */
async function readAll(prepared: PreparedCommand): Promise<Reloaded> {
  return {
    settings: prepared.settings,
    httpToken: await httpTokenFor(prepared),
    notifyWebhook: await notifyWebhookFor(prepared),
    credentials: await credentialsFor(prepared),
    readCredentials: () => credentialsFor(prepared),
    credentialsAdvice: () => credentialsAdvice(prepared),
    makesFolders: prepared.configuration.trial,
  };
}
