import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { version } from '../config/package-files.ts';
import { exitCodes } from '../model/errors.ts';
import { shareModes } from '../model/metadata/metadata.ts';
import { logLevels } from '../model/settings.ts';
import { commandDefiner, withExamples } from './define-command.ts';
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
  return withExamples(program, {
    'ingestd init': 'write a configuration and a .env',
    'ingestd check': 'find problems before anything is sent',
    'ingestd run': 'watch the folders and deliver',
    'ingestd status': 'see whether everything is delivered',
  });
}

/** What is run every day: `ingestd run`, `status`, `why`, `log`, `pause`, `resume` and `rescan`. */
function addEverydayCommands(program: Command, define: Define): void {
  program.commandsGroup('Every day:');
  define(program.command('run', { isDefault: true }), loadRun, {
    ingestd: 'with ./ingestd.yaml, or the trial where there is none',
  }).description('watch the folders and deliver until stopped (the default command)');
  define(program.command('status'), async () => (await import('./report/status-command.ts')).status, {
    "ingestd status --json | jq '.failures'": 'what failed, and why',
  })
    .description(
      'show the state of the running daemon, or of the ledger and the folders when none is running',
    )
    .option('--json', 'print JSON')
    .option('--check', 'print one line; exit code 0: ok, 1: attention, 2: error or no running daemon')
    .option('--fleet', 'all hosts of the account (cluster)');
  define(program.command('why'), async () => (await import('./report/why-command.ts')).why, {
    'ingestd why inbox/report.pdf': 'by the name of its folder',
  })
    .description('explain one file: what it is, what was sent and what happens next')
    .argument('<path>', 'a file, or FOLDER/PATH as in status')
    .option('--json', 'print JSON');
  define(program.command('log'), async () => (await import('./report/log-command.ts')).log, {
    'ingestd log --since 1h --failed': 'failures of the last hour',
  })
    .description(
      'show what happened to documents and to the daemon, newest last: the last 50 entries; works with or without a running daemon',
    )
    .argument('[path]', 'a file or directory, or FOLDER/PATH as in status (default: everything)')
    .option(
      '--since <TIME>',
      'start at a time (2026-01-31, 2026-01-31T08:00:00Z) or an age (90m, 36h, 7d)',
      sinceOf,
    )
    .option('--all', 'everything that is kept (log.keepDays, log.keepMegabytes)')
    .option('--failed', 'only failures, doubts, held deletions, warnings, problems and their end')
    .option('--verbose', 'each document on a line; otherwise many of one directory at once are one')
    .option('--json', 'print a JSON array; with --follow, one JSON object per line')
    .option('--follow', 'keep printing new entries until interrupted');
  define(program.command('pause'), async () => (await import('./control/pause-commands.ts')).pause, {
    'ingestd pause inbox --for 1h': 'the other folders are not affected',
  })
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
  define(program.command('check'), async () => (await import('./report/check-command.ts')).runCheck, {
    'ingestd check': 'exit code 0: no problems, 4: problems found',
  })
    .description(
      'check offline that the configuration is valid, the credentials are set and every file would be accepted',
    )
    .option('--json', 'print JSON')
    .option(
      '--online',
      'also ask whether the service accepts the credentials and Redis answers, and compare the clocks; no document is sent',
    );
  define(program.command('retry'), async () => (await import('./control/decision-commands.ts')).retry, {
    'ingestd retry inbox/report.pdf':
      'one document, even if its upload is in doubt or was dismissed, or the service accepted it before',
  })
    .description(
      'send documents again; without a path, all that failed, except uploads in doubt and those dismissed',
    )
    .argument('[paths...]', 'files, or FOLDER/PATH as in status: failed, in doubt or delivered')
    .option(
      '--all <FOLDER>',
      'every delivered document of a folder, for a service that was restored from a backup',
    )
    .option('--yes', 'send all documents of a folder without asking');
  define(program.command('resolve'), async () => (await import('./control/decision-commands.ts')).resolve)
    .description('settle an upload in doubt, or a possible duplicate')
    .argument('<path>', 'a file, or FOLDER/PATH as in status; with --again or --dismiss a directory, too')
    .option('--doc-id <ID>', 'the service has the document: adopt it under this docId')
    .option('--again', 'upload it again')
    .option('--dismiss', 'clear the doubt and send nothing')
    .option('--yes', 'adopt a docId without asking');
  define(program.command('approve'), async () => (await import('./control/decision-commands.ts')).approve, {
    'ingestd status': 'list what is held, and why',
    'ingestd approve inbox': 'then delete it at the service',
  })
    .description('release held deletions of one folder, or of all')
    .argument('[folder]', "a folder's name in the configuration")
    .option('--yes', 'do not ask; needed where nobody can be asked');
  define(program.command('keep'), async () => (await import('./control/decision-commands.ts')).keep)
    .description('leave the documents of held deletions at the service, of a folder or path, or of all')
    .argument('[place]', "a folder's name, or a path: that file and all below it");
  define(program.command('share'), async () => (await import('./control/decision-commands.ts')).share, {
    'ingestd share inbox/2025 --as stated': 'all below a directory',
  })
    .description('share documents as stated, though that is wider than they are held')
    .argument('<paths...>', 'files or directories, or FOLDER/PATH as in status')
    .requiredOption('--as <WHAT>', 'stated: as their sidecars, .meta.json and the settings state')
    .option('--yes', 'do not ask');
  define(program.command('doctor'), async () => (await import('./report/doctor-command.ts')).doctor, {
    'ingestd doctor > report.txt': 'for a bug report; it contains names of folders and files',
  })
    .description('check --online, plus this machine, as one report without secrets')
    .option('--json', 'print JSON');
}

/** To set ingestd up, and for scripts: from `ingestd init` to `completion`. */
function addSetupCommands(program: Command, define: Define): void {
  program.commandsGroup('Set-up and scripts:');
  define(program.command('init'), async () => (await import('./setup/init-command.ts')).init, {
    'ingestd init --yes --folder ./inbox': 'unattended, with the rest from INGESTD_… variables',
  })
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
  define(program.command('plan'), async () => (await import('./delivery/plan-command.ts')).plan, {
    'ingestd plan': 'what would be sent; exit code 4: a folder or directory cannot be read',
  })
    .description(
      'show what sync would do, how many requests it needs and how long they take; changes nothing',
    )
    .option('--json', 'print JSON')
    .option('--verbose', 'each operation on a line; otherwise many of one directory are one');
  define(program.command('sync'), async () => (await import('./delivery/sync-command.ts')).sync, {
    'ingestd plan && ingestd sync': 'preview, then deliver',
  })
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
  define(program.command('service'), async () => (await import('./setup/service-command.ts')).service, {
    '(umask 077; ingestd service > .env)': 'in one terminal',
    'ingestd run --config ./ingestd.yaml': 'in another terminal, with that .env',
  })
    .description('run only the embedded service; print its addresses and trial credentials in .env format')
    .option('--port <N>', `port; 0: any free one (default: ${usualServicePort}, or any free one)`, portOf)
    .option('--data <DIR>', 'where it keeps documents (default: $XDG_STATE_HOME/ingestd-service)');
  define(program.command('completion'), async () => printCompletion, {
    'source <(ingestd completion bash)': 'bash, in ~/.bashrc',
    'ingestd completion zsh > "${fpath[1]}/_ingestd"': 'zsh',
    'ingestd completion fish > ~/.config/fish/completions/ingestd.fish': 'fish',
  })
    .description('print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'which shell').choices(['bash', 'zsh', 'fish']))
    .argument('[words...]', 'what is typed so far, as the script asks: print what may follow');

  async function printCompletion(
    { output }: CommandContext,
    shell: 'bash' | 'zsh' | 'fish',
    words: readonly string[],
  ): Promise<number> {
    const { completionScripts, offersFor } = await import('./shell/completion-script.ts');
    output.raw(words.length === 0 ? completionScripts[shell] : offersFor(program, words));
    return exitCodes.ok;
  }
}

function addAuthCommands(program: Command, define: Define): void {
  const auth = program.command('auth').description('check the credentials, revoke tokens');
  define(auth.command('login'), async () => (await import('./control/auth-command.ts')).authLogin, {
    'ingestd auth login': 'exit code 0: accepted, 3: refused',
  }).description('check the credentials: obtain a token and print when it expires');
  define(auth.command('revoke'), async () => (await import('./control/auth-command.ts')).authRevoke)
    .description("revoke the running daemon's token; without a daemon, obtain a token and revoke it")
    .option('--all', 'also revoke every refresh token of the user')
    .option('--fleet', 'revoke the token that all hosts of the fleet share');
}

function addFolderCommands(program: Command, define: Define): void {
  const folder = program
    .command('folder')
    .description('add a folder to the configuration file, or remove one; its comments are kept');
  define(folder.command('add'), async () => (await import('./setup/folder-command.ts')).folderAdd, {
    'ingestd folder add /srv/out --name reports --share DEFAULT': 'seen by the default group',
  })
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
  define(ledger.command('export'), async () => (await import('./control/ledger-command.ts')).ledgerExport, {
    'ingestd ledger export > ledger.json': 'also while the daemon is running',
  })
    .description('print the ledger as a JSON object')
    .option('--json', 'print it on one line');
  define(ledger.command('verify'), async () => (await import('./control/ledger-command.ts')).ledgerVerify, {
    'ingestd ledger verify': 'exit code 0: intact, 1: damaged',
  })
    .description('check the ledger against its checksums; changes nothing')
    .option('--json', 'print JSON');
  define(ledger.command('import'), async () => (await import('./control/ledger-command.ts')).ledgerImport, {
    'ingestd ledger import documents.csv': 'ingestd plan then shows no upload for them',
  })
    .description(
      'adopt documents that the service already has, from an export or a CSV file (folder,path,docId)',
    )
    .argument(
      '<file>',
      'output of ledger export, or CSV with the header folder,path,docId and, if known, mode; - reads standard input',
    );
  define(
    ledger.command('service-moved'),
    async () => (await import('./control/ledger-command.ts')).serviceMoved,
    {
      'ingestd ledger service-moved && ingestd plan':
        'after changing service.ingestUrl; not for a different service',
    },
  )
    .description('tell ingestd that its service has a new address')
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
      'Give a time as 2026-01-31 or 2026-01-31T08:00:00Z, or an age as 90m, 36h or 7d.',
    );
  }
  return new Date(ms).toISOString();
}

function timeOf(text: string): number {
  const ms = lengthMs(text);
  if (ms === null || ms === 0) throw new InvalidArgumentError('Give a time as 30m, 1h or 2d.');
  return ms;
}

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** How long `90m`, `36h` or `7d` is, ms; null for anything else. */
function lengthMs(text: string): number | null {
  const [, amount, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  return amount === undefined ? null : Number(amount) * unitMs[unit as keyof typeof unitMs];
}
