import { countWords } from '../../lib/text/amounts.ts';
import { ConfigurationError, exitCodes } from '../../model/errors.ts';
import { confirm, nameAll } from '../prompter.ts';
import type { CommandContext, GlobalFlags } from '../define-command.ts';
import { prepareAction } from '../prepare-action.ts';

/** `ingestd share PATH… --as stated`: a person's word that what is stated goes out, though it is wider than what is held. */
export async function share(
  context: CommandContext,
  paths: readonly string[],
  flags: GlobalFlags & { readonly as?: string; readonly yes?: boolean },
): Promise<number> {
  const { line } = context.output;
  if (flags.as !== 'stated')
    throw new ConfigurationError(
      'share: add --as stated; documents are shared as their sidecars, .meta.json and the settings state',
    );
  const action = await prepareAction(context, flags);
  const wanted = paths.map(action.placeOf);
  const decisions = await action.decisions();
  const { documents, barred } = await decisions.share(wanted);
  if (barred > 0) {
    const words = countWords(barred, 'document stays as it is', 'documents stay as they are');
    line(
      `${words}: attachments that the service cannot remove would show. ingestd why PATH says what helps.`,
    );
  }
  if (documents.length === 0) {
    if (barred > 0) return exitCodes.ok;
    line('Nothing there is held more narrowly than it is stated.');
    return exitCodes.ok;
  }
  if (flags.yes !== true) {
    const names = documents.map(({ path, sharing }) => `${path}  ${sharing}`);
    nameAll(context.output, names);
    const words = countWords(documents.length, 'document');
    const refusal = `share: ${words} would be shared more widely; add --yes`;
    if (!(await confirm(context, `Share ${words} more widely, as stated?`, refusal))) return exitCodes.ok;
  }
  const { shared } = await decisions.share(wanted, documents);
  line(`Sharing ${countWords(shared, 'document')} as stated ${action.when}.`);
  return exitCodes.ok;
}
