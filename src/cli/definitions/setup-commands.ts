import { Argument, InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { exitCodes } from '../../model/errors.ts';
import { shareModes } from '../../model/metadata/metadata.ts';
import { usualServicePort } from '../setup/usual-port.ts';
import { defineCommand, withExamples } from '../define-command.ts';
import type { CommandContext } from '../define-command.ts';

/** `ingestd init`: asks, then writes a configuration file and a `.env`. */
export function addInitCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('init')
    .description(
      'create a configuration file and a .env (mode 0600); asks on a terminal, else reads flags and environment',
    )
    .option('--auth-url <URL>', 'base address of the token endpoints (INGESTD_AUTH_URL)')
    .option('--ingest-url <URL>', 'base address of the ingestion operations (INGESTD_INGEST_URL)')
    .option('--folder <DIR>', 'the directory to watch (INGESTD_FOLDERS__0__PATH)')
    .option('--name <NAME>', "the folder's name (default: the directory's)")
    .addOption(shareOption())
    .option('--no-login', 'do not check the credentials')
    .addOption(
      new Option('--user-service', 'install and start the systemd user service without asking').default(
        undefined,
      ),
    )
    .option('--no-user-service', 'do not offer the systemd user service')
    .option('--force', 'overwrite without asking')
    .option('--yes', 'do not ask questions, even on a terminal');
  defineCommand(command, context, async () => (await import('../setup/init-command.ts')).init, [
    { command: 'ingestd init', does: 'ask on the terminal; secrets are not shown' },
    {
      command: 'ingestd init --config /etc/ingestd/ingestd.yaml',
      does: 'another place; the .env goes beside it',
    },
    {
      command: 'ingestd init --yes --folder ./inbox',
      does: 'unattended, with the rest from INGESTD_… variables',
    },
  ]);
}

function shareOption(): Option {
  return new Option(
    '--share <MODE>',
    'who may see documents unless a sidecar says otherwise (default: NONE, private)',
  ).choices(shareModes);
}

/** `ingestd folder`: what the configuration lists. */
export function addFolderCommand(program: Command, context: CommandContext): void {
  const folder = program
    .command('folder')
    .description('add a folder to the configuration file, or remove one; its comments are kept');
  withExamples(folder, [{ command: 'ingestd folder add ./reports', does: 'watch one more directory' }]);
  const adding = folder
    .command('add')
    .description('add a folder to the configuration file; a running daemon reads it again')
    .argument('<path>', 'the directory to watch')
    .option('--name <NAME>', "the folder's name (default: the directory's)")
    .addOption(shareOption());
  defineCommand(adding, context, async () => (await import('../setup/folder-command.ts')).folderAdd, [
    { command: 'ingestd folder add ./reports', does: 'its documents are private' },
    {
      command: 'ingestd folder add /srv/out --name reports --share DEFAULT',
      does: 'seen by the default group',
    },
  ]);
  const removing = folder
    .command('remove')
    .description('take a folder out of the configuration file; its documents stay at the service')
    .argument('<name>', "the folder's name in the configuration");
  defineCommand(removing, context, async () => (await import('../setup/folder-command.ts')).folderRemove, [
    { command: 'ingestd folder remove reports', does: 'a running daemon reads the file again' },
  ]);
}

/** `ingestd service`: the embedded service alone. */
export function addServiceCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('service')
    .description('run only the embedded service; print its addresses and trial credentials in .env format')
    .option('--port <N>', `port; 0: any free one (default: ${usualServicePort}, or any free one)`, portOf)
    .option('--host <ADDRESS>', 'address to listen on', '127.0.0.1')
    .option('--data <DIR>', 'where it keeps documents (default: $XDG_STATE_HOME/ingestd-service)')
    .option('--fixtures', 'fill it with an example document of each type, for a demonstration');
  defineCommand(command, context, async () => (await import('../setup/service-command.ts')).service, [
    { command: '(umask 077; ingestd service > .env)', does: 'in one terminal' },
    { command: 'ingestd run --config ./ingestd.yaml', does: 'in another terminal, with that .env' },
  ]);
}

function portOf(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    throw new InvalidArgumentError('Give a port from 0 to 65535.');
  }
  return Number(text);
}

/** `ingestd completion SHELL`: a completion script. */
export function addCompletionCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('completion')
    .description('print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'which shell').choices(['bash', 'zsh', 'fish']));
  const load = async () => {
    const { completionScript } = await import('../shell/completion-script.ts');
    return async ({ output }: CommandContext, shell: 'bash' | 'zsh' | 'fish') => {
      output.raw(completionScript(shell, program));
      return exitCodes.ok;
    };
  };
  defineCommand(command, context, load, [
    { command: 'source <(ingestd completion bash)', does: 'bash, in ~/.bashrc' },
    { command: 'ingestd completion zsh > "${fpath[1]}/_ingestd"', does: 'zsh' },
    { command: 'ingestd completion fish > ~/.config/fish/completions/ingestd.fish', does: 'fish' },
  ]);
}
