import { countWords } from '../../lib/text/amounts.ts';
import { ConfigurationError, exitCodes } from '../../model/errors.ts';
import type { Resolution } from '../../model/ports/control-port.ts';
import { confirm } from '../prompter.ts';
import type { CommandContext, GlobalFlags } from '../define-command.ts';
import { prepareAction } from '../prepare-action.ts';

interface RetryFlags extends GlobalFlags {
  /** The name of a folder. */
  readonly all?: string;
  readonly yes?: boolean;
}

/** `ingestd retry`: sends documents again. */
export async function retry(
  context: CommandContext,
  paths: readonly string[],
  { all: folder, ...flags }: RetryFlags,
): Promise<number> {
  if (folder !== undefined && paths.length > 0)
    throw new ConfigurationError('retry: name paths or --all FOLDER, not both');
  const { daemon, when, placeOf, decisions } = await prepareAction(context, flags);
  if (folder !== undefined && flags.yes !== true) {
    const question = `Send every delivered document of ${folder} to the service again, as modifies?`;
    const refusal = `retry --all ${folder}: sends every document of the folder again; add --yes`;
    if (!(await confirm(context, question, refusal))) return exitCodes.ok;
  }
  const { retried, unknown } = await (
    await decisions()
  ).retry(folder === undefined ? paths.map(placeOf) : [folder], { all: folder !== undefined });
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

interface ResolveFlags extends GlobalFlags {
  readonly docId?: string;
  readonly again?: boolean;
  readonly dismiss?: boolean;
  readonly yes?: boolean;
}

/** `ingestd resolve`: ends the doubt about an upload. */
export async function resolve(context: CommandContext, path: string, flags: ResolveFlags): Promise<number> {
  const resolution = resolutionOf(flags);
  const { when, placeOf, decisions } = await prepareAction(context, flags);
  if (resolution.kind === 'adopt' && flags.yes !== true) {
    const question = `Adopt ${resolution.docId} as the document of ${path}?`;
    if (!(await confirm(context, question))) return exitCodes.ok;
  }
  await (await decisions()).resolve(placeOf(path), resolution);
  context.output.line(doneWords(path, resolution, when));
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
