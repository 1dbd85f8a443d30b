import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { defineCommand, withExamples } from '../define-command.ts';
import type { CommandContext } from '../define-command.ts';
import { lengthMs } from './length-ms.ts';

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
  defineCommand(retrying, context, async () => (await import('../control/retry-commands.ts')).retry, [
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
  defineCommand(resolving, context, async () => (await import('../control/retry-commands.ts')).resolve, [
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

/** `ingestd share PATH… --as stated`: what is stated goes out, though it is wider than what is held. */
export function addShareCommand(program: Command, context: CommandContext): void {
  const sharing = program
    .command('share')
    .description('share documents as stated, though that is wider than they are held')
    .argument('<paths...>', 'files or directories, or FOLDER/PATH as in status')
    .requiredOption('--as <WHAT>', 'stated: as their sidecars, .meta.json and the settings state')
    .option('--yes', 'do not ask');
  defineCommand(sharing, context, async () => (await import('../control/share-command.ts')).share, [
    { command: 'ingestd why inbox/report.pdf', does: 'what holds it, and what is stated' },
    { command: 'ingestd share inbox/report.pdf --as stated', does: 'share it so' },
    { command: 'ingestd share inbox/2025 --as stated', does: 'all below a directory' },
  ]);
}

/** `ingestd approve`, `keep`, `pause`, `resume` and `rescan`, each `[FOLDER]`: what a person decides about folders. */
export function addFolderCommands(program: Command, context: CommandContext): void {
  const approving = program
    .command('approve')
    .description('release held deletions of one folder, or of all')
    .argument('[folder]', "a folder's name in the configuration")
    .option('--yes', 'do not ask; needed where nobody can be asked');
  defineCommand(approving, context, async () => (await import('../control/folder-commands.ts')).approve, [
    { command: 'ingestd status', does: 'list what is held, and why' },
    { command: 'ingestd approve inbox', does: 'then delete it at the service' },
  ]);
  const keeping = program
    .command('keep')
    .description('leave the documents of held deletions at the service, of a folder or path, or of all')
    .argument('[place]', "a folder's name, or a path: that file and all below it");
  defineCommand(keeping, context, async () => (await import('../control/folder-commands.ts')).keep, [
    { command: 'ingestd keep inbox', does: 'nothing that is held there is deleted' },
    { command: 'ingestd keep inbox/reports', does: 'the others stay held' },
  ]);
  const pausing = program
    .command('pause')
    .description(
      'stop sending, for one folder or all; changes are still counted, and the pause survives a restart',
    )
    .argument('[folder]', "a folder's name in the configuration")
    .option('--for <TIME>', 'resume by itself after a time (30m, 1h, 2d)', timeOf)
    .option('--fleet', 'on all hosts of the account (cluster)');
  defineCommand(pausing, context, async () => (await import('../control/folder-commands.ts')).pause, [
    { command: 'ingestd pause', does: 'nothing is sent until ingestd resume' },
    { command: 'ingestd pause inbox --for 1h', does: 'the other folders are not affected' },
    { command: 'ingestd pause --fleet', does: 'no host of the account sends anything' },
  ]);
  const resuming = program
    .command('resume')
    .description('send again, for one folder or all')
    .argument('[folder]', "a folder's name in the configuration")
    .option('--fleet', 'on all hosts of the account (cluster)');
  defineCommand(resuming, context, async () => (await import('../control/folder-commands.ts')).resume, [
    { command: 'ingestd resume', does: 'resume everything that is paused' },
    { command: 'ingestd resume inbox', does: 'resume one folder' },
  ]);
  const scanning = program
    .command('rescan')
    .description('scan one folder or all of them now; the running daemon sends what has changed')
    .argument('[folder]', "a folder's name in the configuration");
  defineCommand(scanning, context, async () => (await import('../control/folder-commands.ts')).rescan, [
    { command: 'ingestd rescan', does: 'everything' },
    { command: 'ingestd rescan inbox', does: 'one folder, for example after a restore' },
  ]);
}

function timeOf(text: string): number {
  const ms = lengthMs(text);
  if (ms === null || ms === 0) throw new InvalidArgumentError('Give a time as 30m, 1h or 2d.');
  return ms;
}

/** `ingestd notify test`: tries what `notify` names. */
export function addNotifyCommand(program: Command, context: CommandContext): void {
  const notify = program.command('notify').description('notifications');
  const command = notify
    .command('test')
    .description('send a test event to notify.command and to the webhook');
  defineCommand(command, context, async () => (await import('../control/notify-command.ts')).notifyTest, [
    { command: 'ingestd notify test', does: 'check that it arrives' },
  ]);
}

/** `ingestd auth`: the credentials and the tokens. */
export function addAuthCommand(program: Command, context: CommandContext): void {
  const auth = program.command('auth').description('check the credentials, revoke tokens');
  withExamples(auth, [{ command: 'ingestd auth login', does: 'are the credentials right?' }]);
  const login = auth
    .command('login')
    .description('check the credentials: obtain a token and print when it expires');
  defineCommand(login, context, async () => (await import('../control/auth-command.ts')).authLogin, [
    { command: 'ingestd auth login', does: 'exit code 0: accepted, 3: refused' },
    { command: 'ingestd auth login --config /etc/ingestd/ingestd.yaml', does: 'for the installed service' },
  ]);
  const revoke = auth
    .command('revoke')
    .description("revoke the running daemon's token; without a daemon, obtain a token and revoke it")
    .option('--all', 'also revoke every refresh token of the user')
    .option('--fleet', 'revoke the token that all hosts of the fleet share');
  defineCommand(revoke, context, async () => (await import('../control/auth-command.ts')).authRevoke, [
    { command: 'ingestd auth revoke', does: 'the daemon obtains a new one when needed' },
    { command: 'ingestd auth revoke --all', does: 'ends every session of this user' },
  ]);
}
