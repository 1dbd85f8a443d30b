import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { defineCommand } from '../define-command.ts';
import type { CommandContext } from '../define-command.ts';
import { lengthMs } from './length-ms.ts';

/** `ingestd check`: what is wrong, and what to do about it. */
export function addCheckCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('check')
    .description(
      'check offline that the configuration is valid, the credentials are set and every file would be accepted',
    )
    .option('--json', 'print JSON')
    .option(
      '--online',
      'also ask whether the service accepts the credentials and Redis answers, and compare the clocks; no document is sent',
    );
  defineCommand(command, context, async () => (await import('../report/check-command.ts')).runCheck, [
    { command: 'ingestd check', does: 'exit code 0: no problems, 4: problems found' },
    {
      command: 'ingestd check --online',
      does: 'also check that the service accepts the credentials and the clock is right',
    },
  ]);
}

/** `ingestd doctor`: one report about this machine, to be read or to go with a bug report. */
export function addDoctorCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('doctor')
    .description('check --online, plus this machine, as one report without secrets')
    .option('--json', 'print JSON');
  defineCommand(command, context, async () => (await import('../report/doctor-command.ts')).doctor, [
    {
      command: 'ingestd doctor > report.txt',
      does: 'for a bug report; it contains names of folders and files',
    },
  ]);
}

/** `ingestd status`: the running daemon's state; without one, that of the ledger and the folders. */
export function addStatusCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('status')
    .description(
      'show the state of the running daemon, or of the ledger and the folders when none is running',
    )
    .option('--json', 'print JSON')
    .option('--check', 'print one line; exit code 0: ok, 1: attention, 2: error or no running daemon')
    .option('--fleet', 'all hosts of the account (cluster)')
    .addOption(
      new Option('--watch [SECONDS]', 'refresh every 2 seconds until interrupted')
        .preset('2')
        .argParser(secondsOf),
    );
  defineCommand(command, context, async () => (await import('../report/status-command.ts')).status, [
    { command: 'ingestd status --watch', does: 'refresh continuously' },
    { command: 'ingestd status --check', does: 'for monitoring: one line and an exit code' },
    { command: 'ingestd status --fleet', does: 'all hosts with this account' },
    { command: "ingestd status --json | jq '.failures'", does: 'what failed, and why' },
  ]);
}

/** `ingestd health`: exit 0 while the running daemon is healthy. */
export function addHealthCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('health')
    .description("exit with 0 while the daemon is making progress (for Docker's HEALTHCHECK)");
  defineCommand(command, context, async () => (await import('../report/health-command.ts')).health, [
    { command: 'ingestd health && echo well', does: 'prints nothing when healthy' },
  ]);
}

function secondsOf(text: string): number {
  const seconds = Number(text);
  if (!(seconds >= 0.1 && seconds <= 86_400))
    throw new InvalidArgumentError('Give seconds from 0.1 to 86400.');
  return seconds;
}

/** `ingestd why PATH`: the whole story of one file. */
export function addWhyCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('why')
    .description('explain one file: what it is, what was sent and what happens next')
    .argument('<path>', 'a file, or FOLDER/PATH as in status')
    .option('--json', 'print JSON');
  defineCommand(command, context, async () => (await import('../report/why-command.ts')).why, [
    { command: 'ingestd why ./inbox/report.pdf', does: 'by its path' },
    { command: 'ingestd why inbox/report.pdf', does: 'by the name of its folder' },
  ]);
}

/** `ingestd log [PATH]`: what happened, newest last, over restarts. */
export function addLogCommand(program: Command, context: CommandContext): void {
  const command = program
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
    .option('--failed', 'only failures, doubts, held deletions, warnings and problems')
    .option('--json', 'print a JSON array; with --follow, one JSON object per line')
    .option('--follow', 'keep printing new entries until interrupted');
  defineCommand(command, context, async () => (await import('../report/log-command.ts')).log, [
    { command: 'ingestd log --since 1h --failed', does: 'failures of the last hour' },
    { command: 'ingestd log inbox/report.pdf', does: 'the history of one document' },
    { command: 'ingestd log --follow', does: 'watch what happens' },
  ]);
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
