import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { localTime, withLocalTimes } from '../../lib/text/amounts.ts';
import { exitCodes } from '../../model/errors.ts';
import { eventsOf, factsOf, standingWords } from '../../model/report/activity-words.ts';
import type { Why } from '../../model/report/command-reports.ts';
import { insideWorkingDirectory, requirePath } from '../../daemon/control/resolve-path.ts';
import type { CommandContext, CommandFlags } from '../define-command.ts';
import type { Output } from '../output.ts';
import { whyOffline } from '../../commands/offline/offline-reports.ts';
import { findDaemon, foldersOf } from '../find-daemon.ts';
import { offlineView } from '../prepare-command.ts';

export async function why(context: CommandContext, path: string, flags: CommandFlags) {
  const found = await findDaemon(context, flags);
  const folders = await foldersOf(found);
  const wanted = insideWorkingDirectory(path, context.cwd, folders);
  const { daemon, prepared } = found;
  const story = await (daemon === null
    ? whyOffline(await offlineView(context, prepared), wanted)
    : daemon.why(wanted));
  const here = resolve(context.cwd, path);
  // Of a file beside the folders no document of its name is told that never was.
  if (story.verdict.kind === 'absent' && story.docId === null && existsSync(here)) requirePath(folders, here);
  if (flags.json) context.output.json(story);
  else printStory(story, context.output);
  return exitCodes.ok;
}

function printStory(story: Why, { line, colors }: Output): void {
  const row = (name: string, value: string | null): void => {
    if (value !== null && value !== '') line(`${colors.dim(name.padEnd(13))} ${value}`);
  };
  line(colors.bold(story.folder === null ? story.path : `${story.folder}/${story.path}`));
  line(standingWords(story, localTime));
  line();
  for (const [name, value] of factsOf(story)) row(name, value && withLocalTimes(value));
  for (const [index, [field, value]] of Object.entries(story.metadata ?? {}).entries()) {
    const source = story.sources[field];
    row(
      index === 0 ? 'metadata' : '',
      `${field}: ${JSON.stringify(value)}${source === undefined ? '' : ` (${source})`}`,
    );
  }
  if (story.narrower !== null) row('narrower', `${story.narrower.sharing} is stated now`);
  for (const note of story.notes) row('note', withLocalTimes(note));
  let last = '';
  const now = story.now?.message ?? '';
  for (const [at, words] of eventsOf(story)) {
    const brief = now === '' ? words : words.replace(`: ${now}`, ': as above');
    row(localTime(at), words === last ? 'the same again' : withLocalTimes(brief));
    last = words;
  }
  row('fix', story.fix);
  const when = story.nextAt === null ? '' : ` (at ${localTime(story.nextAt)})`;
  row('next', `${withLocalTimes(story.next)}${when}`);
}
