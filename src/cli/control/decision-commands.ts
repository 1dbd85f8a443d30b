import { countWords } from '../../lib/text/amounts.ts';
import { ConfigurationError, exitCodes } from '../../model/errors.ts';
import type { Given, Resolution } from '../../model/ports/control-port.ts';
import { perhapsTwice } from '../../model/doubts.ts';
import { explain } from '../../model/report/explanations.ts';
import { confirm, nameAll } from '../prompter.ts';
import type { CommandContext, CommandFlags, GlobalFlags } from '../define-command.ts';
import { prepareAction } from '../prepare-action.ts';
import { printable } from '../../lib/text/printable.ts';
import { isAway } from '../../model/report/failures.ts';
import type { Status } from '../../model/report/status.ts';
import { requireFolder } from '../../daemon/control/resolve-path.ts';
import { offlineStatus } from '../../commands/offline/offline-reports.ts';

/** `ingestd retry`: sends documents again. */
export async function retry(
  context: CommandContext,
  paths: readonly string[],
  { all: folder, ...flags }: CommandFlags & { readonly all?: string },
) {
  if (folder !== undefined && paths.length > 0)
    throw new ConfigurationError('retry: name paths or --all FOLDER, not both');
  const { folders, daemon, when, placeOf, decisions } = await prepareAction(context, flags);
  requireFolder({ folders }, folder ?? null);
  if (folder !== undefined && flags.yes !== true) {
    const question = `Send every delivered document of ${folder} to the service again, as modifies?`;
    const refusal = `retry --all ${folder}: sends every document of the folder again; add --yes`;
    if (!(await confirm(context, question, refusal))) return exitCodes.ok;
  }
  const all = folder !== undefined;
  const meant = { paths: all ? [folder] : paths.map(placeOf), all };
  const { retried, doubted = 0, barred = [] } = await decisions.retry(meant);
  const nothing =
    daemon === null
      ? 'The service has refused nothing; what failed for another reason is tried when ingestd runs.'
      : 'Nothing to send again. What waited for the service is tried now.';
  const twice = doubted > 0 ? ` ${perhapsTwice}` : '';
  if (retried > 0)
    context.output.line(`Retrying ${countWords(retried, 'document')} ${await when()}.${twice}`);
  else if (barred.length === 0) context.output.line(nothing);
  const causes = barred
    .map((code) => explain(code).cause)
    .toSorted()
    .join(', ');
  const later = 'What is fixed is sent by itself: ingestd status says how.';
  if (barred.length > 0) context.output.line(`Not retried, as it would end the same: ${causes}. ${later}`);
  return exitCodes.ok;
}

interface ResolveFlags extends CommandFlags {
  readonly docId?: string;
  readonly again?: boolean;
  readonly dismiss?: boolean;
}

/** `ingestd resolve`: ends the doubt about an upload. */
export async function resolve(context: CommandContext, path: string, flags: ResolveFlags) {
  const resolution = resolutionOf(flags);
  const { when, placeOf, decisions } = await prepareAction(context, flags);
  const meant = { path: placeOf(path), ...resolution };
  if (resolution.action === 'adopt' && flags.yes !== true) {
    // Where it cannot be adopted, there is nothing to ask.
    await decisions.resolve({ path: meant.path, ...resolution, looks: true });
    const question = `Adopt ${resolution.docId} as the document of ${path}?`;
    const refusal = `resolve: ${path} would be the document ${resolution.docId} from now on; add --yes`;
    if (!(await confirm(context, question, refusal))) return exitCodes.ok;
  }
  const { resolved } = await decisions.resolve(meant);
  const which = resolved === 1 ? path : `${path} (${countWords(resolved, 'document')})`;
  context.output.line(doneWords(which, resolution, await when()));
  return exitCodes.ok;
}

/** Throws ConfigurationError unless exactly one way is named. */
function resolutionOf({ docId, again, dismiss }: ResolveFlags): Resolution {
  if (docId?.startsWith('-') === true)
    throw new ConfigurationError(`--doc-id: name the docId after it; ${docId} is none`);
  const ways: Resolution[] = [
    // Pasted, it often comes with spaces or the end of its line.
    ...(docId === undefined ? [] : [{ action: 'adopt', docId: docId.trim() } as const]),
    ...(again === true ? [{ action: 'again' } as const] : []),
    ...(dismiss === true ? [{ action: 'dismiss' } as const] : []),
  ];
  const [way, ...others] = ways;
  if (way !== undefined && others.length === 0) return way;
  throw new ConfigurationError(
    'resolve: choose one of --doc-id ID (the service has the document), --again (it has not: upload it again) or --dismiss (send nothing)',
  );
}

const whyWords = 'ingestd why PATH says what it waits for';

function doneWords(path: string, resolution: Resolution, when: string): string {
  switch (resolution.action) {
    case 'adopt':
      return `${path} now belongs to the document ${resolution.docId}. A modify is sent ${when}: ${whyWords}. Should the service not know that document, the upload is in doubt again.`;
    case 'again':
      return `${path} is sent again ${when}: ${whyWords}.`;
    case 'dismiss':
      return `The doubt about ${path} is cleared, and nothing is sent by that: ingestd why PATH says what becomes of the file.`;
  }
}

/** `ingestd approve`: the documents of removed files are deleted at the service. */
export async function approve(context: CommandContext, folder: string | undefined, flags: CommandFlags) {
  const { when, decisions, ...found } = await prepareAction(context, flags);
  const askedFor = async () => {
    const status = await (found.daemon === null
      ? offlineStatus({ settings: found.prepared.settings, makesFolders: true, fleet: null }, null)
      : found.daemon.status());
    const held = status.held.filter((one) => folder === undefined || one.folder === folder);
    // What is refused then, with the reason, is not asked about.
    return held.some((one) => isAway(one, status)) ? { most: 0, paths: [] } : askAbout(context, held);
  };
  const shown = flags.yes === true ? {} : await askedFor();
  if (shown === null) return exitCodes.ok;
  const { approved } = await decisions.approve({ folder: folder ?? null, ...shown });
  context.output.line(
    approved === 0
      ? 'Nothing is held.'
      : `${countWords(approved, 'deletion')} approved, to be sent ${await when()}.`,
  );
  return exitCodes.ok;
}

/**
 * Names the documents that would be deleted at the service, and asks. Gives what was shown; null: none is meant. Throws
 * ConfigurationError where nobody can be asked.
 */
async function askAbout(
  context: CommandContext,
  held: Status['held'],
): Promise<Omit<Given<'approve'>, 'folder'> | null> {
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
export async function keep(context: CommandContext, place: string | undefined, flags: GlobalFlags) {
  const { placeOf, decisions } = await prepareAction(context, flags);
  const meant = place === undefined ? null : placeOf(place);
  const { kept } = await decisions.keep({ place: meant });
  const documents = countWords(kept, 'document');
  const nothing = meant === null ? 'Nothing is held.' : `Nothing is held at ${printable(meant)}.`;
  const done = `${kept === 1 ? 'stays' : 'stay'} at the service; ingestd why PATH says how to undo that.`;
  context.output.line(kept === 0 ? nothing : `${documents} ${done}`);
  return exitCodes.ok;
}

/** `ingestd share PATH… --as stated`: a person's word that what is stated goes out, though it is wider than what is held. */
export async function share(context: CommandContext, paths: readonly string[], flags: CommandFlags) {
  const { line } = context.output;
  const { when, placeOf, decisions } = await prepareAction(context, flags);
  const wanted = paths.map(placeOf);
  const { documents, barred } = await decisions.share({ paths: wanted });
  if (barred > 0) {
    const words = countWords(barred, 'document stays as it is', 'documents stay as they are');
    line(`${words}: ingestd why PATH says why, and what helps.`);
  }
  const code = barred > 0 ? exitCodes.usage : exitCodes.ok;
  if (documents.length === 0) {
    if (barred === 0) line('Nothing there is shared less widely than stated.');
    return code;
  }
  if (flags.yes !== true) {
    const names = documents.map(({ path, sharing }) => `${path}  ${sharing}`);
    nameAll(context.output, names);
    const words = countWords(documents.length, 'document');
    const refusal = `share: ${words} would be shared more widely; add --yes`;
    if (!(await confirm(context, `Share ${words} more widely, as stated?`, refusal))) return exitCodes.ok;
  }
  const { shared } = await decisions.share({ paths: wanted, shown: documents });
  line(`Sharing ${countWords(shared, 'document')} as stated ${await when()}: ${whyWords}.`);
  return code;
}
