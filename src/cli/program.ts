import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { version } from '../config/package-files.ts';
import { exitCodes } from '../model/errors.ts';
import { shareModes } from '../model/metadata/metadata.ts';
import { logLevels } from '../model/settings.ts';
import { commandDefiner } from './define-command.ts';
import type { CommandContext, Define } from './define-command.ts';
import { usualServicePort } from './setup/usual-port.ts';

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
  const define = commandDefiner(context);
  addEverydayCommands(program, define);
  addTroubleCommands(program, define);
  addSetupCommands(program, define);
  program.addHelpText('after', fleetHelp);
  return program;
}

/** There is no command for fleets alone. */
const fleetHelp = `
Fleets (many hosts, one account):
  status --fleet  show all hosts
  pause --fleet   stop sending on all hosts
  resume --fleet  send again on all hosts`;

/** What is run every day: `ingestd run`, `status`, `why`, `log`, `pause`, `resume` and `rescan`. */
function addEverydayCommands(program: Command, define: Define): void {
  program.commandsGroup('Every day:');
  define(program.command('run', { isDefault: true }), loadRun).description(
    'watch the folders and deliver until stopped (the default command)',
  );
  define(program.command('status'), async () => (await import('./report/status-command.ts')).status)
    .description(
      'show the state of the running daemon, or of the ledger and the folders when none is running',
    )
    .option('--json', 'print JSON')
    .option('--check', 'print one line; exit code 0: ok, 1: attention, 2: error or no running daemon')
    .option('--fleet', 'all hosts of the account (cluster)');
  define(program.command('why'), async () => (await import('./report/why-command.ts')).why)
    .description('explain one file: what it is, what was sent and what happens next')
    .argument('<path>', 'a file, or FOLDER/PATH as in status')
    .option('--json', 'print JSON');
  define(program.command('log'), async () => (await import('./report/log-command.ts')).log)
    .description(
      'show what happened to documents and to the daemon, newest last: the last 50 entries; works with or without a running daemon',
    )
    .argument('[path]', 'a file or directory, or FOLDER/PATH as in status (default: everything)')
    .option(
      '--since <TIME>',
      'start at a time (2026-01-31, 2026-01-31T08:00:00Z) or an age (30s, 90m, 36h, 7d)',
      sinceOf,
    )
    .option('--all', 'everything that is kept (log.keepDays, log.keepMegabytes)')
    .option('--failed', 'only failures, doubts, held deletions, warnings, problems, limits and their end')
    .option('--verbose', 'each document on a line; otherwise many of one directory at once are one')
    .option('--json', 'print a JSON array; with --follow, one JSON object per line')
    .option('--follow', 'keep printing new entries until interrupted');
  define(program.command('pause'), async () => (await import('./control/pause-commands.ts')).pause)
    .description(
      'stop sending, for one folder or all; changes are still counted, and the pause survives a restart',
    )
    .argument('[folder]', "a folder's name in the configuration")
    .option('--for <TIME>', 'resume by itself after a time (30m, 1h, 2d)', timeOf)
    .option('--fleet', 'on all hosts of the account (cluster)');
  define(program.command('resume'), async () => (await import('./control/pause-commands.ts')).resume)
    .description('send again, for one folder or all')
    .argument('[folder]', "a folder's name in the configuration")
    .option('--fleet', 'on all hosts of the account (cluster)');
  define(program.command('rescan'), async () => (await import('./control/pause-commands.ts')).rescan)
    .description('scan one folder or all of them now; the running daemon sends what has changed')
    .argument('[folder]', "a folder's name in the configuration");
}

/** For when something is wrong: `ingestd check`, `retry`, `resolve`, `approve`, `keep`, `share` and `doctor`. */
function addTroubleCommands(program: Command, define: Define): void {
  program.commandsGroup('When something is wrong:');
  define(program.command('check'), async () => (await import('./report/check-command.ts')).runCheck)
    .description(
      'check offline that the configuration is valid, the credentials are set and every file would be accepted',
    )
    .option('--json', 'print JSON')
    .option(
      '--online',
      'also ask whether the service is at its addresses and accepts the credentials, and Redis answers, and compare the clocks; no document is sent',
    );
  define(program.command('retry'), async () => (await import('./control/decision-commands.ts')).retry)
    .description(
      'send documents again; without a path, all that failed, except uploads in doubt and those dismissed',
    )
    .argument('[paths...]', 'files, or FOLDER/PATH as in status: failed, in doubt or delivered')
    .option(
      '--all <FOLDER>',
      'every delivered document of a folder, for a service that was restored from a backup',
    )
    .option('--yes', 'for --all: do not ask; needed where nobody can be asked');
  define(program.command('resolve'), async () => (await import('./control/decision-commands.ts')).resolve)
    .description('settle an upload in doubt, or a possible duplicate')
    .argument('<path>', 'a file, or FOLDER/PATH as in status; with --again or --dismiss a directory, too')
    .option('--doc-id <ID>', 'the service has the document: adopt it under this docId')
    .option('--again', 'the service does not have it: upload it again')
    .option('--dismiss', 'forget the doubt and send nothing')
    .option('--yes', 'adopt a docId without asking; needed where nobody can be asked');
  define(program.command('approve'), async () => (await import('./control/decision-commands.ts')).approve)
    .description('approve held deletions of one folder, or of all')
    .argument('[folder]', "a folder's name in the configuration")
    .option('--yes', 'do not ask; needed where nobody can be asked');
  define(program.command('keep'), async () => (await import('./control/decision-commands.ts')).keep)
    .description('leave the documents of held deletions at the service, of a folder or path, or of all')
    .argument('[place]', "a folder's name, or a path: that file and all below it")
    .option('--yes', 'accepted as by approve; keep never asks');
  define(program.command('share'), async () => (await import('./control/decision-commands.ts')).share)
    .description('share documents as stated, though that is wider than they are held')
    .argument('<paths...>', 'files or directories, or FOLDER/PATH as in status')
    .addOption(
      new Option('--as <WHAT>', 'stated: as their sidecars, .meta.json and the settings state')
        .choices(['stated'])
        .makeOptionMandatory(),
    )
    .option('--yes', 'do not ask; needed where nobody can be asked');
  define(program.command('doctor'), async () => (await import('./report/doctor-command.ts')).doctor)
    .description('check --online, plus this machine, as one report without secrets')
    .option('--json', 'print JSON');
}

/** To set ingestd up, and for scripts: from `ingestd init` to `completion`. */
function addSetupCommands(program: Command, define: Define): void {
  program.commandsGroup('Set-up and scripts:');
  define(program.command('init'), async () => (await import('./setup/init-command.ts')).init)
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
  addAuthCommands(program, define);
  addFolderCommands(program, define);
  define(program.command('plan'), async () => (await import('./delivery/plan-command.ts')).plan)
    .description(
      'show what sync would do, how many requests it needs and how long they take; changes nothing',
    )
    .option('--json', 'print JSON')
    .option('--verbose', 'each operation on a line; otherwise many of one directory are one');
  define(program.command('sync'), async () => (await import('./delivery/sync-command.ts')).sync)
    .description('bring the service up to date with the folders once, then exit')
    .option('--json', 'print JSON');
  addLedgerCommands(program, define);
  const notify = program.command('notify').description('notifications');
  define(
    notify.command('test'),
    async () => (await import('./control/notify-command.ts')).notifyTest,
  ).description('send a test event to notify.command and to the webhook');
  define(
    program.command('health'),
    async () => (await import('./report/health-command.ts')).health,
  ).description("exit with 0 while the daemon is making progress (for Docker's HEALTHCHECK)");
  define(program.command('service'), async () => (await import('./setup/service-command.ts')).service)
    .description('run only the embedded service; print its addresses and trial credentials in .env format')
    .option('--port <N>', `port; 0: any free one (default: ${usualServicePort}, or any free one)`, portOf)
    .option('--data <DIR>', 'where it keeps documents (default: $XDG_STATE_HOME/ingestd-service)');
  define(program.command('completion'), async () => printCompletion)
    .summary('print a completion script for a shell')
    .description(
      'print a completion script for a shell. bash: source <(ingestd completion bash) in ~/.bashrc; zsh: ingestd completion zsh > "${fpath[1]}/_ingestd"; fish: ingestd completion fish > ~/.config/fish/completions/ingestd.fish',
    )
    .addArgument(new Argument('<shell>', 'which shell').choices(['bash', 'zsh', 'fish']))
    .argument('[words...]', 'what is typed so far, as the script asks: print what may follow');
  // Made last: a group of commands that came after it would list its own help under this heading.
  program.helpCommand(true);

  async function printCompletion(
    context: CommandContext,
    shell: 'bash' | 'zsh' | 'fish',
    words: readonly string[],
  ): Promise<number> {
    const { completionScripts, offersFor } = await import('./shell/completion-script.ts');
    const isScript = words.length === 0;
    context.output.raw(isScript ? completionScripts[shell] : await offersFor(program, words, context));
    return exitCodes.ok;
  }
}

function addAuthCommands(program: Command, define: Define): void {
  const auth = program.command('auth').description('check the credentials, revoke tokens');
  define(
    auth.command('login'),
    async () => (await import('./control/auth-command.ts')).authLogin,
  ).description('check the credentials: obtain a token and print when it expires');
  define(auth.command('revoke'), async () => (await import('./control/auth-command.ts')).authRevoke)
    .description("revoke the running daemon's token; without a daemon, obtain a token and revoke it")
    .option('--all', 'also revoke every refresh token of the user');
}

function addFolderCommands(program: Command, define: Define): void {
  const folder = program
    .command('folder')
    .description('add a folder to the configuration file, or remove one; its comments are kept');
  define(folder.command('add'), async () => (await import('./setup/folder-command.ts')).folderAdd)
    .description('add a folder to the configuration file; a running daemon reads it again')
    .argument('<path>', 'the directory to watch')
    .option('--name <NAME>', "the folder's name (default: the directory's)")
    .addOption(shareOption());
  define(folder.command('remove'), async () => (await import('./setup/folder-command.ts')).folderRemove)
    .description('take a folder out of the configuration file; its documents stay at the service')
    .argument('<name>', "the folder's name in the configuration");
}

function addLedgerCommands(program: Command, define: Define): void {
  const ledger = program.command('ledger').description('the durable record of what the service holds');
  define(ledger.command('export'), async () => (await import('./control/ledger-command.ts')).ledgerExport)
    .description('print the ledger as a JSON object')
    .option('--json', 'print it on one line');
  define(ledger.command('verify'), async () => (await import('./control/ledger-command.ts')).ledgerVerify)
    .description('check the ledger against its checksums; changes nothing')
    .option('--json', 'print JSON');
  define(ledger.command('import'), async () => (await import('./control/ledger-command.ts')).ledgerImport)
    .description(
      'adopt documents that the service already has, from an export or a CSV file (folder,path,docId,mode)',
    )
    .argument(
      '<file>',
      'output of ledger export, or CSV with the header folder,path,docId and, if known, mode; - reads standard input',
    );
  define(
    ledger.command('service-moved'),
    async () => (await import('./control/ledger-command.ts')).serviceMoved,
  )
    .description('tell ingestd that its service has a new address; not for a different service')
    .option('--yes', 'do not ask');
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

/** The scanning thread loads beside the rest of the program. */
async function loadRun() {
  (await import('../daemon/prepare-scan.ts')).prepareScan();
  return (await import('./delivery/run-command.ts')).run;
}

/** ISO 8601, UTC. */
function sinceOf(text: string): string {
  const age = lengthMs(text);
  const ms = age === null ? Date.parse(/^\d{4}-/.test(text) ? text : '') : Date.now() - age;
  if (Number.isNaN(ms)) {
    throw new InvalidArgumentError(
      'Give a time as 2026-01-31 or 2026-01-31T08:00:00Z, or an age as 30s, 90m, 36h or 7d.',
    );
  }
  return new Date(ms).toISOString();
}

function timeOf(text: string): number {
  const ms = lengthMs(text);
  if (ms === null || ms === 0) throw new InvalidArgumentError('Give a time as 30m, 1h or 2d.');
  return ms;
}

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** How long `30s`, `90m`, `36h` or `7d` is, ms; null for anything else. */
function lengthMs(text: string): number | null {
  const [, amount, unit] = /^(\d{1,5})([smhd])$/.exec(text) ?? [];
  return amount === undefined ? null : Number(amount) * unitMs[unit as keyof typeof unitMs];
}
