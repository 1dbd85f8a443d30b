import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { defineCommand } from '../define-command.ts';
import type { CommandContext } from '../define-command.ts';

/** What is run every day: `ingestd run`, `status`, `why`, `log`, `pause`, `resume` and `rescan`. */
export function addEverydayCommands(program: Command, context: CommandContext): void {
  program.commandsGroup('Every day:');
  const running = program
    .command('run', { isDefault: true })
    .description('watch the folders and deliver until stopped (the default command)');
  defineCommand(running, context, loadRun, {
    ingestd: 'with ./ingestd.yaml, or the trial where there is none',
    'ingestd run --config /etc/ingestd/ingestd.yaml': 'with the configuration of the installed service',
  });
  const status = program
    .command('status')
    .description(
      'show the state of the running daemon, or of the ledger and the folders when none is running',
    )
    .option('--json', 'print JSON')
    .option('--check', 'print one line; exit code 0: ok, 1: attention, 2: error or no running daemon')
    .option('--fleet', 'all hosts of the account (cluster)');
  defineCommand(status, context, async () => (await import('../report/status-command.ts')).status, {
    'watch ingestd status': 'again every two seconds',
    'ingestd status --check': 'for monitoring: one line and an exit code',
    'ingestd status --fleet': 'all hosts with this account',
    "ingestd status --json | jq '.failures'": 'what failed, and why',
  });
  const why = program
    .command('why')
    .description('explain one file: what it is, what was sent and what happens next')
    .argument('<path>', 'a file, or FOLDER/PATH as in status')
    .option('--json', 'print JSON');
  defineCommand(why, context, async () => (await import('../report/why-command.ts')).why, {
    'ingestd why ./inbox/report.pdf': 'by its path',
    'ingestd why inbox/report.pdf': 'by the name of its folder',
  });
  const log = program
    .command('log')
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
  defineCommand(log, context, async () => (await import('../report/log-command.ts')).log, {
    'ingestd log --since 1h --failed': 'failures of the last hour',
    'ingestd log inbox/report.pdf': 'the history of one document',
    'ingestd log --follow': 'watch what happens',
  });
  const pausing = program
    .command('pause')
    .description(
      'stop sending, for one folder or all; changes are still counted, and the pause survives a restart',
    )
    .argument('[folder]', "a folder's name in the configuration")
    .option('--for <TIME>', 'resume by itself after a time (30m, 1h, 2d)', timeOf)
    .option('--fleet', 'on all hosts of the account (cluster)');
  defineCommand(pausing, context, async () => (await import('../control/pause-commands.ts')).pause, {
    'ingestd pause': 'nothing is sent until ingestd resume',
    'ingestd pause inbox --for 1h': 'the other folders are not affected',
    'ingestd pause --fleet': 'no host of the account sends anything',
  });
  const resuming = program
    .command('resume')
    .description('send again, for one folder or all')
    .argument('[folder]', "a folder's name in the configuration")
    .option('--fleet', 'on all hosts of the account (cluster)');
  defineCommand(resuming, context, async () => (await import('../control/pause-commands.ts')).resume, {
    'ingestd resume': 'resume everything that is paused',
    'ingestd resume inbox': 'resume one folder',
  });
  const scanning = program
    .command('rescan')
    .description('scan one folder or all of them now; the running daemon sends what has changed')
    .argument('[folder]', "a folder's name in the configuration");
  defineCommand(scanning, context, async () => (await import('../control/pause-commands.ts')).rescan, {
    'ingestd rescan': 'everything',
    'ingestd rescan inbox': 'one folder, for example after a restore',
  });
}

/** The scanning thread loads beside the rest of the program. */
async function loadRun() {
  (await import('../../daemon/prepare-scan.ts')).prepareScan();
  return (await import('../delivery/run-command.ts')).run;
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
