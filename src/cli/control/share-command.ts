import { countWords, numberWords } from '../../lib/text/amounts.ts';
import { insideWorkingDirectory } from '../../daemon/control/resolve-path.ts';
import { ConfigurationError, exitCodes } from '../../model/errors.ts';
import { confirm } from '../prompter.ts';
import type { CommandContext, GlobalFlags } from '../define-command.ts';
import { decisionsOf, prepareAction } from '../prepare-action.ts';

interface ShareFlags extends GlobalFlags {
  readonly as?: string;
  readonly yes?: boolean;
}

/** `ingestd share PATH… --as stated`: a person's word that what is stated goes out, though it is wider than what is held. */
export async function share(
  context: CommandContext,
  paths: readonly string[],
  flags: ShareFlags,
): Promise<number> {
  if (flags.as !== 'stated')
    throw new ConfigurationError(
      'share: add --as stated; documents are shared as their sidecars, .meta.json and the settings state',
    );
  const prepared = await prepareAction(context, flags);
  const { settings, daemon } = prepared;
  const wanted = paths.map((path) =>
    insideWorkingDirectory(path, { cwd: context.cwd, folders: settings.folders }),
  );
  const decisions = await decisionsOf(prepared);
  const { documents } = await decisions.share(wanted);
  if (documents.length === 0) {
    context.output.line('Nothing there is held more narrowly than it is stated.');
    return exitCodes.ok;
  }
  if (flags.yes !== true) {
    const words = countWords(documents.length, 'document');
    if (!context.interactive)
      throw new ConfigurationError(`share: ${words} would be shared more widely; add --yes`);
    for (const { path, sharing } of documents.slice(0, mostNamed)) context.output.line(`${path}  ${sharing}`);
    if (documents.length > mostNamed)
      context.output.line(`and ${numberWords(documents.length - mostNamed)} more`);
    if (!(await confirm(context, `Share ${words} more widely, as stated?`))) {
      context.output.line('Nothing was changed.');
      return exitCodes.ok;
    }
  }
  const { shared } = await decisions.share(wanted, documents);
  const when = daemon === null ? 'when ingestd runs' : 'now';
  context.output.line(`Sharing ${countWords(shared, 'document')} as stated ${when}.`);
  return exitCodes.ok;
}

/** So many documents are named before a person is asked. */
const mostNamed = 1_000;
