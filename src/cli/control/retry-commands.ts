import { countWords } from '../../lib/text/amounts.ts';
import { ConfigurationError, exitCodes } from '../../model/errors.ts';
import type { Resolution } from '../../model/ports/control-port.ts';
import { insideWorkingDirectory, requireFolder } from '../../daemon/control/resolve-path.ts';
import { confirm } from '../prompter.ts';
import type { CommandContext, GlobalFlags } from '../define-command.ts';
import { decisionsOf, prepareAction } from '../prepare-action.ts';

interface RetryFlags extends GlobalFlags {
  readonly all?: string;
  readonly yes?: boolean;
}

export async function retry(
  context: CommandContext,
  paths: readonly string[],
  flags: RetryFlags,
): Promise<number> {
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

export async function resolve(context: CommandContext, path: string, flags: ResolveFlags): Promise<number> {
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
