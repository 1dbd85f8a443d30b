import { countWords } from '../../lib/text/amounts.ts';
import { printable } from '../../lib/text/printable.ts';
import { exitCodes } from '../../model/errors.ts';
import type { ShownDeletions } from '../../model/ports/control-port.ts';
import type { Status } from '../../model/report/status.ts';
import { confirm, nameAll } from '../prompter.ts';
import type { CommandContext, GlobalFlags } from '../define-command.ts';
import { offlineStatus } from '../../commands/offline/offline-reports.ts';
import { prepareAction } from '../prepare-action.ts';

/** `ingestd approve`: the documents of removed files are deleted at the service. */
export async function approve(
  context: CommandContext,
  folder: string | undefined,
  flags: GlobalFlags & { yes?: boolean },
): Promise<number> {
  const { settings, daemon, when, decisions } = await prepareAction(context, flags);
  const askedFor = async () => {
    const { held } = await (daemon?.status() ??
      offlineStatus({ settings, makesFolders: true, fleet: null }, null));
    return askAbout(context, folder === undefined ? held : held.filter((one) => one.folder === folder));
  };
  const shown = flags.yes === true ? undefined : await askedFor();
  if (shown === null) return exitCodes.ok;
  const { approved } = await (await decisions()).approve(folder ?? null, shown);
  context.output.line(
    approved === 0 ? 'Nothing is held.' : `${countWords(approved, 'deletion')} released, to be sent ${when}.`,
  );
  return exitCodes.ok;
}

/**
 * Names the documents that would be deleted at the service, and asks. Gives what was shown; null: none is meant. Throws
 * ConfigurationError where nobody can be asked.
 */
async function askAbout(context: CommandContext, held: Status['held']): Promise<ShownDeletions | null> {
  const most = held.reduce((total, { count }) => total + count, 0);
  const paths = held.flatMap((one) => one.paths.map((path) => `${one.folder}/${path}`));
  const shown = { most, paths };
  if (most === 0) return shown;
  nameAll(context.output, paths, most);
  const documents = countWords(most, 'document');
  const refusal = `approve: ${documents} would be deleted at the service; add --yes, or keep them there with ingestd keep`;
  return (await confirm(context, `Delete ${documents} at the service?`, refusal)) ? shown : null;
}

/** `ingestd keep`: the documents of removed files stay at the service. */
export async function keep(
  context: CommandContext,
  place: string | undefined,
  flags: GlobalFlags,
): Promise<number> {
  const { placeOf, decisions } = await prepareAction(context, flags);
  const meant = place === undefined ? null : placeOf(place);
  const { kept } = await (await decisions()).keep(meant);
  const documents = countWords(kept, 'document');
  const nothing = meant === null ? 'Nothing is held.' : `Nothing is held at ${printable(meant)}.`;
  context.output.line(kept === 0 ? nothing : `${documents} ${kept === 1 ? 'stays' : 'stay'} at the service.`);
  return exitCodes.ok;
}
