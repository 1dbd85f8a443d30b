import { Command, Option } from 'commander';
import { logLevels } from '../model/settings.ts';
import { version } from '../config/package-files.ts';
import {
  addAuthCommand,
  addFolderCommands,
  addNotifyCommand,
  addRetryCommands,
  addShareCommand,
} from './definitions/control-commands.ts';
import { addPlanCommand, addRunCommand, addSyncCommand } from './definitions/delivery-commands.ts';
import { addLedgerCommand } from './definitions/ledger-commands.ts';
import {
  addCheckCommand,
  addDoctorCommand,
  addHealthCommand,
  addLogCommand,
  addStatusCommand,
  addWhyCommand,
} from './definitions/report-commands.ts';
import {
  addCompletionCommand,
  addFolderCommand,
  addInitCommand,
  addServiceCommand,
} from './definitions/setup-commands.ts';
import { withExamples } from './define-command.ts';
import type { CommandContext } from './define-command.ts';

/** The command line: every command with its options and what it calls. */
export function createProgram(context: CommandContext): Command {
  const program = new Command('ingestd')
    .description('Syncs watched folders to a document ingestion service.')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'explain a command')
    .option(
      '-c, --config <FILE>',
      'configuration file (default: $INGESTD_CONFIG, ./ingestd.yaml, $XDG_CONFIG_HOME/ingestd/ingestd.yaml, /etc/ingestd/ingestd.yaml, the trial)',
    )
    .addOption(
      new Option(
        '--log-level <LEVEL>',
        'lowest level to log on standard error (default: log.level of the configuration)',
      ).choices(logLevels),
    )
    .addOption(
      new Option('-q, --quiet', 'log errors only; sync prints nothing on success').conflicts('logLevel'),
    )
    .configureHelp({ showGlobalOptions: true })
    .showSuggestionAfterError();
  const adders = [
    addRunCommand,
    addSyncCommand,
    addPlanCommand,
    addCheckCommand,
    addDoctorCommand,
    addStatusCommand,
    addWhyCommand,
    addLogCommand,
    addRetryCommands,
    addShareCommand,
    addFolderCommands,
    addFolderCommand,
    addNotifyCommand,
    addAuthCommand,
    addLedgerCommand,
    addInitCommand,
    addServiceCommand,
    addHealthCommand,
    addCompletionCommand,
  ];
  for (const add of adders) add(program, context);
  return withExamples(program, [
    { command: 'ingestd init', does: 'write a configuration and a .env' },
    { command: 'ingestd check', does: 'find problems before anything is sent' },
    { command: 'ingestd run', does: 'watch the folders and deliver' },
    { command: 'ingestd status', does: 'see whether everything is delivered' },
  ]);
}

/** A command and all below it. */
export function withSubcommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}
