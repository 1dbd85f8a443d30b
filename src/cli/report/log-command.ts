import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { countWords } from '../../lib/text/amounts.ts';
import { exitCodes } from '../../model/errors.ts';
import type { DocumentRef } from '../../model/document.ts';
import { activityWords } from '../../model/report/activity-words.ts';
import type { Activity } from '../../model/report/status.ts';
import {
  formerPath,
  insideWorkingDirectory,
  requirePath,
  resolvePath,
} from '../../daemon/control/resolve-path.ts';
import type { Folders } from '../../daemon/control/resolve-path.ts';
import { findDaemon, foldersOf } from '../prepare-command.ts';
import { defineCommand } from '../define-command.ts';
import type { CommandContext, GlobalFlags } from '../define-command.ts';
import type { Output } from '../output.ts';

interface LogFlags extends GlobalFlags {
  readonly since?: string;
  readonly failed?: boolean;
  readonly json?: boolean;
  readonly follow?: boolean;
}

/** `ingestd log [PATH]`: what happened, newest last, over restarts. */
export function addLogCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('log')
    .description(
      'show what happened in the last 30 days, newest last; works with or without a running daemon',
    )
    .argument('[path]', 'a file or directory, or FOLDER/PATH as in status (default: everything)')
    .option(
      '--since <TIME>',
      'start at a time (2026-01-31, 2026-01-31T08:00:00Z) or an age (90m, 36h, 7d)',
      sinceOf,
    )
    .option('--failed', 'only failures, doubts, held deletions and warnings')
    .option('--json', 'print a JSON array; with --follow, one JSON object per line')
    .option('--follow', 'keep printing new entries until interrupted');
  defineCommand(command, context, log, [
    { command: 'ingestd log --since 1h --failed', does: 'failures of the last hour' },
    { command: 'ingestd log inbox/report.pdf', does: 'the history of one document' },
    { command: 'ingestd log --follow', does: 'watch what happens' },
  ]);
}

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** ISO 8601, UTC. */
function sinceOf(text: string): string {
  const [, amount, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  const ms =
    amount === undefined
      ? Date.parse(/^\d{4}-/.test(text) ? text : '')
      : Date.now() - Number(amount) * unitMs[unit as keyof typeof unitMs];
  if (Number.isNaN(ms)) {
    throw new InvalidArgumentError(
      'Give a time as 2026-01-31 or 2026-01-31T08:00:00Z, or an age as 90m, 36h or 7d.',
    );
  }
  return new Date(ms).toISOString();
}

async function log(context: CommandContext, path: string | undefined, flags: LogFlags): Promise<number> {
  const found = await findDaemon(context, flags);
  const { stateDir } = found;
  const folders = await foldersOf(found);
  const wanted = path === undefined ? null : insideWorkingDirectory(path, { cwd: context.cwd, folders });
  const { readLog } = await import('../../daemon/history/history-files.ts');
  const places = wanted === null ? null : await loggedPlaces(stateDir, folders, wanted);
  const filter = { since: flags.since ?? null, failed: flags.failed === true, places };
  const { output } = context;
  if (flags.json && !flags.follow) {
    const all: Activity[] = [];
    for await (const activity of readLog(stateDir, filter)) all.push(activity);
    output.json(all);
    return exitCodes.ok;
  }
  const isOver = flags.follow ? output.closed : () => true;
  let lines = 0;
  for await (const activity of readLog(stateDir, filter, isOver)) {
    if (flags.json) output.json(activity, 'compact');
    else output.line(logLine(activity, output));
    lines += 1;
  }
  if (lines === 0 && !flags.json) output.line('Nothing happened.');
  return exitCodes.ok;
}

/** Throws ConfigurationError for what is in no configured folder, and in no other that the log knows. */
async function loggedPlaces(
  stateDir: string,
  folders: Folders,
  text: string,
): Promise<readonly DocumentRef[]> {
  const inside = resolvePath(folders, text);
  const former = formerPath(folders, text);
  const isKnown = inside !== null || (former !== null && (await hasLogged(stateDir, former)));
  if (!isKnown) return [requirePath(folders, text).ref];
  return [inside, former].filter((place) => place !== null);
}

async function hasLogged(stateDir: string, place: DocumentRef): Promise<boolean> {
  const { readLog } = await import('../../daemon/history/history-files.ts');
  const entries = readLog(stateDir, { since: null, failed: false, places: [place] });
  return (await entries.next()).done === false;
}

const paints = {
  uploaded: 'green',
  modified: 'cyan',
  moved: 'cyan',
  deleted: 'red',
  failed: 'red',
  held: 'yellow',
  'in doubt': 'yellow',
  warning: 'yellow',
} as const;

function logLine(activity: Activity, { colors }: Output): string {
  const { at, what, folder, path, docId, documents } = activity;
  const paint = what in paints ? colors[paints[what as keyof typeof paints]] : String;
  const place = path === '' ? folder : `${folder}/${path}`;
  const more = documents > 1 ? ` (${countWords(documents, 'document')})` : '';
  const id = docId === null ? '' : ` ${colors.dim(docId)}`;
  const words = activityWords(activity);
  const saying = words === null ? '' : `: ${words}`;
  return `${colors.dim(at)} ${paint(what.padEnd(8))} ${place}${more}${id}${saying}`;
}
