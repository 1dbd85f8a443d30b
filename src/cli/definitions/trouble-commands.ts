import type { Command } from 'commander';
import { defineCommand } from '../define-command.ts';
import type { CommandContext } from '../define-command.ts';

/** For when something is wrong: `ingestd check`, `retry`, `resolve`, `approve`, `keep`, `share` and `doctor`. */
export function addTroubleCommands(program: Command, context: CommandContext): void {
  program.commandsGroup('When something is wrong:');
  const checking = program
    .command('check')
    .description(
      'check offline that the configuration is valid, the credentials are set and every file would be accepted',
    )
    .option('--json', 'print JSON')
    .option(
      '--online',
      'also ask whether the service accepts the credentials and Redis answers, and compare the clocks; no document is sent',
    );
  defineCommand(checking, context, async () => (await import('../report/check-command.ts')).runCheck, {
    'ingestd check': 'exit code 0: no problems, 4: problems found',
    'ingestd check --online': 'also check that the service accepts the credentials and the clock is right',
  });
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
  defineCommand(retrying, context, async () => (await import('../control/retry-commands.ts')).retry, {
    'ingestd retry': 'all that failed',
    'ingestd retry inbox/report.pdf':
      'one document, even if its upload is in doubt or was dismissed, or the service accepted it before',
    'ingestd retry --all inbox': 'modify every document of a folder at the service',
  });
  const resolving = program
    .command('resolve')
    .description('settle an upload in doubt, or a possible duplicate')
    .argument('<path>', 'a file, or FOLDER/PATH as in status; with --again or --dismiss a directory, too')
    .option('--doc-id <ID>', 'the service has the document: adopt it under this docId')
    .option('--again', 'upload it again')
    .option('--dismiss', 'clear the doubt and send nothing')
    .option('--yes', 'adopt a docId without asking');
  defineCommand(resolving, context, async () => (await import('../control/retry-commands.ts')).resolve, {
    'ingestd resolve inbox/report.pdf --doc-id 4f1c…': 'the service has the document, under this docId',
    'ingestd resolve inbox/report.pdf --again': 'the service does not have the document',
    'ingestd resolve inbox/report.pdf --dismiss': 'you have checked, and there is nothing to do',
  });
  const approving = program
    .command('approve')
    .description('release held deletions of one folder, or of all')
    .argument('[folder]', "a folder's name in the configuration")
    .option('--yes', 'do not ask; needed where nobody can be asked');
  defineCommand(approving, context, async () => (await import('../control/held-commands.ts')).approve, {
    'ingestd status': 'list what is held, and why',
    'ingestd approve inbox': 'then delete it at the service',
  });
  const keeping = program
    .command('keep')
    .description('leave the documents of held deletions at the service, of a folder or path, or of all')
    .argument('[place]', "a folder's name, or a path: that file and all below it");
  defineCommand(keeping, context, async () => (await import('../control/held-commands.ts')).keep, {
    'ingestd keep inbox': 'nothing that is held there is deleted',
    'ingestd keep inbox/reports': 'the others stay held',
  });
  const sharing = program
    .command('share')
    .description('share documents as stated, though that is wider than they are held')
    .argument('<paths...>', 'files or directories, or FOLDER/PATH as in status')
    .requiredOption('--as <WHAT>', 'stated: as their sidecars, .meta.json and the settings state')
    .option('--yes', 'do not ask');
  defineCommand(sharing, context, async () => (await import('../control/share-command.ts')).share, {
    'ingestd why inbox/report.pdf': 'what holds it, and what is stated',
    'ingestd share inbox/report.pdf --as stated': 'share it so',
    'ingestd share inbox/2025 --as stated': 'all below a directory',
  });
  const examining = program
    .command('doctor')
    .description('check --online, plus this machine, as one report without secrets')
    .option('--json', 'print JSON');
  defineCommand(examining, context, async () => (await import('../report/doctor-command.ts')).doctor, {
    'ingestd doctor > report.txt': 'for a bug report; it contains names of folders and files',
  });
}
