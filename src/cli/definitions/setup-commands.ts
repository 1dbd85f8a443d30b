import { Argument, InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { exitCodes } from '../../model/errors.ts';
import { shareModes } from '../../model/metadata/metadata.ts';
import { usualServicePort } from '../setup/usual-port.ts';
import { defineCommand, withExamples } from '../define-command.ts';
import type { CommandContext } from '../define-command.ts';

/** To set ingestd up, and for scripts: from `ingestd init` to `completion`. */
export function addSetupCommands(program: Command, context: CommandContext): void {
  program.commandsGroup('Set-up and scripts:');
  const initializing = program
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
  defineCommand(initializing, context, async () => (await import('../setup/init-command.ts')).init, {
    'ingestd init': 'ask on the terminal; secrets are not shown',
    'ingestd init --config /etc/ingestd/ingestd.yaml': 'another place; the .env goes beside it',
    'ingestd init --yes --folder ./inbox': 'unattended, with the rest from INGESTD_… variables',
  });
  addAuthCommands(program, context);
  addFolderCommands(program, context);
  const planning = program
    .command('plan')
    .description(
      'show what sync would do, how many requests it needs and how long they take; changes nothing',
    )
    .option('--json', 'print JSON')
    .option('--verbose', 'each operation on a line; otherwise many of one directory are one');
  defineCommand(planning, context, async () => (await import('../delivery/plan-command.ts')).plan, {
    'ingestd plan': 'what would be sent; exit code 4: a folder or directory cannot be read',
    "ingestd plan --json | jq '.requests'": 'the number of requests',
  });
  const syncing = program
    .command('sync')
    .description('bring the service up to date with the folders once, then exit')
    .option('--json', 'print JSON');
  defineCommand(syncing, context, async () => (await import('../delivery/sync-command.ts')).sync, {
    'ingestd plan && ingestd sync': 'preview, then deliver',
    'ingestd sync --json 2>sync.log': 'from a script',
  });
  addLedgerCommands(program, context);
  const testing = program
    .command('notify')
    .description('notifications')
    .command('test')
    .description('send a test event to notify.command and to the webhook');
  defineCommand(testing, context, async () => (await import('../control/notify-command.ts')).notifyTest, {
    'ingestd notify test': 'check that it arrives',
  });
  const health = program
    .command('health')
    .description("exit with 0 while the daemon is making progress (for Docker's HEALTHCHECK)");
  defineCommand(health, context, async () => (await import('../report/health-command.ts')).health, {
    'ingestd health && echo well': 'prints nothing when healthy',
  });
  const service = program
    .command('service')
    .description('run only the embedded service; print its addresses and trial credentials in .env format')
    .option('--port <N>', `port; 0: any free one (default: ${usualServicePort}, or any free one)`, portOf)
    .option('--host <ADDRESS>', 'address to listen on', '127.0.0.1')
    .option('--data <DIR>', 'where it keeps documents (default: $XDG_STATE_HOME/ingestd-service)');
  defineCommand(service, context, async () => (await import('../setup/service-command.ts')).service, {
    '(umask 077; ingestd service > .env)': 'in one terminal',
    'ingestd run --config ./ingestd.yaml': 'in another terminal, with that .env',
  });
  const completing = program
    .command('completion')
    .description('print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'which shell').choices(['bash', 'zsh', 'fish']));
  const loadCompletion = async () => {
    const { completionScript } = await import('../shell/completion-script.ts');
    return async ({ output }: CommandContext, shell: 'bash' | 'zsh' | 'fish') => {
      output.raw(completionScript(shell, program));
      return exitCodes.ok;
    };
  };
  defineCommand(completing, context, loadCompletion, {
    'source <(ingestd completion bash)': 'bash, in ~/.bashrc',
    'ingestd completion zsh > "${fpath[1]}/_ingestd"': 'zsh',
    'ingestd completion fish > ~/.config/fish/completions/ingestd.fish': 'fish',
  });
}

function addAuthCommands(program: Command, context: CommandContext): void {
  const auth = program.command('auth').description('check the credentials, revoke tokens');
  withExamples(auth, { 'ingestd auth login': 'are the credentials right?' });
  const login = auth
    .command('login')
    .description('check the credentials: obtain a token and print when it expires');
  defineCommand(login, context, async () => (await import('../control/auth-command.ts')).authLogin, {
    'ingestd auth login': 'exit code 0: accepted, 3: refused',
    'ingestd auth login --config /etc/ingestd/ingestd.yaml': 'for the installed service',
  });
  const revoking = auth
    .command('revoke')
    .description("revoke the running daemon's token; without a daemon, obtain a token and revoke it")
    .option('--all', 'also revoke every refresh token of the user')
    .option('--fleet', 'revoke the token that all hosts of the fleet share');
  defineCommand(revoking, context, async () => (await import('../control/auth-command.ts')).authRevoke, {
    'ingestd auth revoke': 'the daemon obtains a new one when needed',
    'ingestd auth revoke --all': 'ends every session of this user',
  });
}

function addFolderCommands(program: Command, context: CommandContext): void {
  const folder = program
    .command('folder')
    .description('add a folder to the configuration file, or remove one; its comments are kept');
  withExamples(folder, { 'ingestd folder add ./reports': 'watch one more directory' });
  const adding = folder
    .command('add')
    .description('add a folder to the configuration file; a running daemon reads it again')
    .argument('<path>', 'the directory to watch')
    .option('--name <NAME>', "the folder's name (default: the directory's)")
    .addOption(shareOption());
  defineCommand(adding, context, async () => (await import('../setup/folder-command.ts')).folderAdd, {
    'ingestd folder add ./reports': 'its documents are private',
    'ingestd folder add /srv/out --name reports --share DEFAULT': 'seen by the default group',
  });
  const removing = folder
    .command('remove')
    .description('take a folder out of the configuration file; its documents stay at the service')
    .argument('<name>', "the folder's name in the configuration");
  defineCommand(removing, context, async () => (await import('../setup/folder-command.ts')).folderRemove, {
    'ingestd folder remove reports': 'a running daemon reads the file again',
  });
}

function addLedgerCommands(program: Command, context: CommandContext): void {
  const ledger = program.command('ledger').description('the durable record of what the service holds');
  withExamples(ledger, { 'ingestd ledger export > ledger.json': 'which path is which docId' });
  const exporting = ledger
    .command('export')
    .description('print the ledger as a JSON object')
    .option('--json', 'print it on one line');
  defineCommand(exporting, context, async () => (await import('../control/ledger-command.ts')).ledgerExport, {
    'ingestd ledger export > ledger.json': 'also while the daemon is running',
    "ingestd ledger export --json | jq -r '.documents[].docId'": 'every docId',
  });
  const verifying = ledger
    .command('verify')
    .description('check the ledger against its checksums; changes nothing')
    .option('--json', 'print JSON');
  defineCommand(verifying, context, async () => (await import('../control/ledger-command.ts')).ledgerVerify, {
    'ingestd ledger verify': 'exit code 0: intact, 1: damaged',
  });
  const importing = ledger
    .command('import')
    .description(
      'adopt documents that the service already has, from an export or a CSV file (folder,path,docId)',
    )
    .argument(
      '<file>',
      'output of ledger export, or CSV with the header folder,path,docId and, if known, mode; - reads standard input',
    );
  defineCommand(importing, context, async () => (await import('../control/ledger-command.ts')).ledgerImport, {
    'ingestd ledger import documents.csv': 'ingestd plan then shows no upload for them',
  });
  const moving = ledger
    .command('service-moved')
    .description('tell ingestd that its service has a new address')
    .option('--yes', 'do not ask');
  defineCommand(moving, context, async () => (await import('../control/ledger-command.ts')).serviceMoved, {
    'ingestd ledger service-moved && ingestd plan':
      'after changing service.ingestUrl; not for a different service',
  });
}

function shareOption(): Option {
  return new Option(
    '--share <MODE>',
    'who may see documents unless a sidecar says otherwise (default: NONE, private)',
  ).choices(shareModes);
}

function portOf(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    throw new InvalidArgumentError('Give a port from 0 to 65535.');
  }
  return Number(text);
}
