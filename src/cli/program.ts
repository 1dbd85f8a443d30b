import { Command } from 'commander';
import { addApproveCommand } from './approve-command.ts';
import { addAuthCommand } from './auth-command.ts';
import { addCheckCommand } from './check-command.ts';
import type { CommandContext } from './command-context.ts';
import { addCompletionCommand } from './completion-command.ts';
import { withExamples } from './examples.ts';
import { addHealthCommand } from './health-command.ts';
import { addInitCommand } from './init-command.ts';
import { addLedgerCommand } from './ledger-command.ts';
import { addPlanCommand } from './plan-command.ts';
import { addRetryCommand } from './retry-command.ts';
import { addRunCommand } from './run-command.ts';
import { addServiceCommand } from './service-command.ts';
import { addStatusCommand } from './status-command.ts';
import { addSyncCommand } from './sync-command.ts';
import { version } from '../daemon/version.ts';
import { addWhyCommand } from './why-command.ts';

/** The command line, contract section 2: every command with its options and what it calls. */
export function createProgram(context: CommandContext): Command {
  const program = new Command('ingestd')
    .description('Keeps watched folders in a document ingestion service.')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'explain a command')
    .option(
      '-c, --config <FILE>',
      'configuration file (default: $INGESTD_CONFIG, ./ingestd.yaml, $XDG_CONFIG_HOME/ingestd/ingestd.yaml, /etc/ingestd/ingestd.yaml, the trial)',
    )
    .configureHelp({ showGlobalOptions: true })
    .showSuggestionAfterError();
  const adders = [
    addRunCommand,
    addSyncCommand,
    addPlanCommand,
    addCheckCommand,
    addStatusCommand,
    addWhyCommand,
    addRetryCommand,
    addApproveCommand,
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
    { command: 'ingestd check', does: 'is everything right?' },
    { command: 'ingestd run', does: 'watch and deliver' },
    { command: 'ingestd status', does: 'is everything there?' },
  ]);
}

/** A command and all below it. */
export function withSubcommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}
