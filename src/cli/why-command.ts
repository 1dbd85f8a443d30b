import type { Command } from 'commander';
import type { Why } from '../core/control-port.ts';
import { printable } from '../core/printable.ts';
import type { CommandContext, GlobalFlags } from './command-context.ts';
import { connectDaemon } from './daemon-client.ts';
import { withExamples } from './examples.ts';
import { insideWorkingDirectory } from './file-argument.ts';
import type { Output } from './output.ts';
import { prepare } from './prepare.ts';
import { whySchema } from './status-schema.ts';

/** `ingestd why PATH`: the whole story of one file. */
export function addWhyCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('why')
    .description('the whole story of one file: what it is, what was sent, what happens next')
    .argument('<path>', 'a file, or FOLDER/PATH as status shows it')
    .option('--json', 'print it as one JSON value')
    .action(async (path: string, _options, command: Command) => {
      context.exitWith(await why(context, path, command.optsWithGlobals()));
    });
  withExamples(command, [
    { command: 'ingestd why ./inbox/report.pdf', does: 'by its path' },
    { command: 'ingestd why inbox/report.pdf', does: 'by the name of its folder' },
  ]);
}

async function why(
  context: CommandContext,
  path: string,
  flags: GlobalFlags & { json?: boolean },
): Promise<number> {
  const { settings, log } = await prepare(context, flags, { quiet: true, checkFolders: false });
  const wanted = insideWorkingDirectory(path, { cwd: context.cwd, settings });
  const daemon = await connectDaemon(settings.state.dir);
  const story: Why =
    daemon === null
      ? await (await import('../daemon/explain.ts')).explain({ settings, log }, wanted)
      : whySchema.parse(await daemon.get(`/api/why?path=${encodeURIComponent(wanted)}`));
  if (flags.json) context.output.json(story);
  else printStory(story, context.output);
  return 0;
}

function printStory(story: Why, { line, colors }: Output): void {
  const row = (name: string, value: string | null): void => {
    if (value !== null && value !== '') line(`${colors.dim(name.padEnd(13))} ${printable(value)}`);
  };
  line(colors.bold(printable(story.folder === null ? story.path : `${story.folder}/${story.path}`)));
  const { kind, code, message } = story.verdict;
  line(`${printable(message)}${kind === code ? '' : colors.dim(` (${kind}, ${code})`)}`);
  line();
  row('docId', story.docId);
  row('uploaded', story.uploadedAt);
  row('modified', story.modifiedAt);
  row('deleted', story.deletedAt);
  row('sha256', story.sha256);
  row('sidecar', story.sidecar);
  row('attachments', story.attachments.join(', '));
  if (story.possibleDuplicates > 0) row('duplicates', `${story.possibleDuplicates} possible at the service`);
  if (story.metadata !== null) row('metadata', JSON.stringify(story.metadata));
  for (const note of story.notes) row('note', note);
  for (const { at, operation, code, message } of story.attempts) {
    row(new Date(at).toISOString(), `${operation}: ${message} (${code})`);
  }
  row('next', story.nextAt === null ? story.next : `${story.next} (${story.nextAt})`);
}
