import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { localTime, withLocalTimes } from '../../lib/text/amounts.ts';
import { exitCodes } from '../../model/errors.ts';
import type { DocumentRef } from '../../model/document.ts';
import { createBursts, gathered, subjectWords } from '../../model/report/activity-words.ts';
import { insideWorkingDirectory, placesMeant } from '../../daemon/control/resolve-path.ts';
import type { CommandContext, CommandFlags } from '../define-command.ts';
import { leastGathered } from '../output.ts';
import type { Output } from '../output.ts';
import { createLogReader, isInLog } from '../../daemon/history/read-log.ts';
import { findDaemon, foldersOf } from '../find-daemon.ts';

interface LogFlags extends CommandFlags {
  readonly since?: string;
  readonly failed?: boolean;
  readonly follow?: boolean;
  readonly all?: boolean;
  readonly verbose?: boolean;
}

/** So many lines are shown where nobody asks for more. */
const usualCount = 50;
const pollMs = 500;

export async function log(context: CommandContext, path: string | undefined, flags: LogFlags) {
  const found = await findDaemon(context, flags);
  const folders = await foldersOf(found);
  const wanted = path === undefined ? null : insideWorkingDirectory(path, context.cwd, folders);
  const places = wanted === null ? null : placesMeant(folders, wanted);
  const filter = { since: flags.since ?? null, failed: flags.failed === true, places };
  const most = flags.all === true || filter.since !== null ? Infinity : usualCount;
  const { output } = context;
  const read = createLogReader(found.stateDir, filter);
  if (flags.follow === true) {
    for (let latest = most; ; latest = Infinity) {
      for (const activity of await read(latest))
        if (flags.json) output.json(activity, 'compact');
        else output.line(logLine(gathered([activity]), output));
      if (output.closed()) return exitCodes.ok;
      await delay(pollMs);
    }
  }
  const isGathered = flags.json !== true && flags.verbose !== true;
  const bursts = createBursts();
  const all = await read(most, isGathered ? bursts.add : undefined);
  if (flags.json) output.json(all);
  else {
    const lines = isGathered
      ? bursts.lines(leastGathered).map((burst) => logLine(gathered(burst), output))
      : all.map((one) => logLine(gathered([one]), output)).toReversed();
    for (const line of lines.slice(0, most).toReversed()) output.line(line);
    const isThere = ({ folder, path: inside }: DocumentRef) =>
      folders.some(({ name, path: root }) => name === folder && existsSync(join(root, inside)));
    if (lines.length === 0 && places === null) output.line('Nothing happened.');
    else if (lines.length === 0)
      output.line(
        places?.some(isThere) || (await isInLog(found.stateDir, places ?? []))
          ? `The log has ${filter.failed ? 'no failure' : 'nothing'}${filter.since === null ? '' : ' since then'} about ${wanted}; ingestd why tells how it stands.`
          : `${wanted} is unknown: neither the folders nor the log have it.`,
      );
  }
  return exitCodes.ok;
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
  limit: 'yellow',
  problem: 'red',
  recovered: 'green',
  returned: 'green',
} as const;

function logLine(activity: ReturnType<typeof gathered>, { colors }: Output): string {
  const { at, what, docId, words } = activity;
  const paint = what in paints ? colors[paints[what as keyof typeof paints]] : String;
  const id = docId === null ? '' : ` ${colors.dim(docId)}`;
  const saying = words === null ? '' : `: ${withLocalTimes(words)}`;
  return `${colors.dim(localTime(at))} ${paint(what.padEnd(9))} ${subjectWords(activity)}${id}${saying}`;
}
