import type { Command } from 'commander';
import { countWords } from '../../lib/text/amounts.ts';
import { ConfigurationError, exitCodes } from '../../model/errors.ts';
import type { Resolution } from '../../model/ports/control-port.ts';
import { insideWorkingDirectory, requireFolder } from '../../daemon/control/resolve-path.ts';
import { decisionsOf, prepareAction } from '../prepare-command.ts';
import { confirm } from '../prompter.ts';
import { defineCommand } from '../define-command.ts';
import type { CommandContext, GlobalFlags } from '../define-command.ts';

/** `ingestd retry [PATH…]` and `ingestd resolve PATH`: sends failed documents again, ends the doubt about an upload. */
export function addRetryCommands(program: Command, context: CommandContext): void {
  const retrying = program
    .command('retry')
    .description(
      'send documents again; without a path, all that failed, except uploads in doubt and those dismissed',
    )
    .argument('[paths...]', 'files, or FOLDER/PATH as in status: failed, in doubt or delivered')
    .option(
      '--all <FOLDER>',
      'every delivered document of a folder, for a service that was restored from a backup',
    )
    .option('--yes', 'send all documents of a folder without asking');
  defineCommand(retrying, context, retry, [
    { command: 'ingestd retry', does: 'all that failed' },
    {
      command: 'ingestd retry inbox/report.pdf',
      does: 'one document, even if its upload is in doubt or was dismissed, or the service accepted it before',
    },
    { command: 'ingestd retry --all inbox', does: 'modify every document of a folder at the service' },
  ]);
  const resolving = program
    .command('resolve')
    .description('settle an upload in doubt, or a possible duplicate')
    .argument('<path>', 'a file, or FOLDER/PATH as in status')
    .option('--doc-id <ID>', 'the service has the document: adopt it under this docId')
    .option('--again', 'upload it again')
    .option('--dismiss', 'clear the doubt and send nothing')
    .option('--yes', 'adopt a docId without asking');
  defineCommand(resolving, context, resolve, [
    {
      command: 'ingestd resolve inbox/report.pdf --doc-id 4f1c…',
      does: 'the service has the document, under this docId',
    },
    { command: 'ingestd resolve inbox/report.pdf --again', does: 'the service does not have the document' },
    {
      command: 'ingestd resolve inbox/report.pdf --dismiss',
      does: 'you have checked, and there is nothing to do',
    },
  ]);
}

interface RetryFlags extends GlobalFlags {
  readonly all?: string;
  readonly yes?: boolean;
}

async function retry(context: CommandContext, paths: readonly string[], flags: RetryFlags): Promise<number> {
  if (flags.all !== undefined) return retryFolder(context, flags.all, { paths, flags });
  const prepared = await prepareAction(context, flags);
  const { settings, daemon } = prepared;
  const wanted = paths.map((path) =>
    insideWorkingDirectory(path, { cwd: context.cwd, folders: settings.folders }),
  );
  const { retried, unknown } = await (await decisionsOf(prepared)).retry(wanted);
  const when = daemon === null ? 'when ingestd runs' : 'now';
  if (retried > 0) context.output.line(`Retrying ${countWords(retried, 'document')} ${when}.`);
  const atStart = 'what failed for another reason is tried when ingestd runs';
  if (retried + unknown.length === 0)
    context.output.line(
      daemon === null ? `The service has refused nothing; ${atStart}.` : 'Nothing to retry.',
    );
  for (const path of unknown) {
    const what =
      daemon === null
        ? `was neither delivered nor refused; ${atStart}`
        : 'was not delivered and has not failed';
    context.complain(`${path} ${what}; name a file that ingestd status lists, or that was delivered`);
  }
  return unknown.length === 0 ? exitCodes.ok : exitCodes.usage;
}

/** Sends every delivered document of a folder again. Throws ConfigurationError where nobody can be asked. */
async function retryFolder(
  context: CommandContext,
  folder: string,
  { paths, flags }: { readonly paths: readonly string[]; readonly flags: RetryFlags },
): Promise<number> {
  if (paths.length > 0) throw new ConfigurationError('retry: name paths or --all FOLDER, not both');
  const prepared = await prepareAction(context, flags);
  requireFolder(prepared.settings, folder);
  if (flags.yes !== true && !context.interactive)
    throw new ConfigurationError(
      `retry --all ${folder}: sends every document of the folder again; add --yes`,
    );
  const question = `Send every delivered document of ${folder} to the service again, as modifies?`;
  if (flags.yes !== true && !(await confirm(context, question))) {
    context.output.line('Nothing was changed.');
    return exitCodes.ok;
  }
  const { retried } = await (await decisionsOf(prepared)).retry([folder], { all: true });
  const when = prepared.daemon === null ? 'when ingestd runs' : 'now';
  context.output.line(`Retrying ${countWords(retried, 'document')} ${when}.`);
  return exitCodes.ok;
}

interface ResolveFlags extends GlobalFlags {
  readonly docId?: string;
  readonly again?: boolean;
  readonly dismiss?: boolean;
  readonly yes?: boolean;
}

async function resolve(context: CommandContext, path: string, flags: ResolveFlags): Promise<number> {
  const resolution = resolutionOf(flags);
  const prepared = await prepareAction(context, flags);
  const { settings, daemon } = prepared;
  const wanted = insideWorkingDirectory(path, { cwd: context.cwd, folders: settings.folders });
  if (resolution.kind === 'adopt' && flags.yes !== true) {
    const question = `Adopt ${resolution.docId} as the document of ${path}?`;
    if (!(await confirm(context, question))) {
      context.output.line('Nothing was changed.');
      return exitCodes.ok;
    }
  }
  await (await decisionsOf(prepared)).resolve(wanted, resolution);
  context.output.line(doneWords(path, resolution, daemon === null ? 'when ingestd runs' : 'now'));
  return exitCodes.ok;
}

/** Throws ConfigurationError unless exactly one way is named. */
function resolutionOf({ docId, again, dismiss }: ResolveFlags): Resolution {
  const ways: Resolution[] = [
    ...(docId === undefined ? [] : [{ kind: 'adopt', docId } as const]),
    ...(again === true ? [{ kind: 'again' } as const] : []),
    ...(dismiss === true ? [{ kind: 'dismiss' } as const] : []),
  ];
  const [way, ...others] = ways;
  if (way !== undefined && others.length === 0) return way;
  throw new ConfigurationError(
    'resolve: choose one of --doc-id ID (the service has the document), --again (upload it again) or --dismiss (clear the doubt)',
  );
}

function doneWords(path: string, resolution: Resolution, when: string): string {
  switch (resolution.kind) {
    case 'adopt':
      return `${path} now belongs to the document ${resolution.docId}; any changes are sent ${when}.`;
    case 'again':
      return `${path} is sent again ${when}.`;
    case 'dismiss':
      return `The doubt about ${path} is cleared. Nothing is sent.`;
  }
}
