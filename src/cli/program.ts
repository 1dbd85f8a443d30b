import { Command, Option } from 'commander';
import { logLevels } from '../model/settings.ts';
import { version } from '../config/package-files.ts';
import { addEverydayCommands } from './definitions/everyday-commands.ts';
import { addSetupCommands } from './definitions/setup-commands.ts';
import { addTroubleCommands } from './definitions/trouble-commands.ts';
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
  addEverydayCommands(program, context);
  addTroubleCommands(program, context);
  addSetupCommands(program, context);
  return withExamples(program, {
    'ingestd init': 'write a configuration and a .env',
    'ingestd check': 'find problems before anything is sent',
    'ingestd run': 'watch the folders and deliver',
    'ingestd status': 'see whether everything is delivered',
  });
}
