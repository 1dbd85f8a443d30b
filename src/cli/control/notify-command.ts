import type { Command } from 'commander';
import { ConfigurationError, IngestdError, errorMessage, exitCodes } from '../../model/errors.ts';
import { defineCommand } from '../define-command.ts';
import type { CommandContext, GlobalFlags } from '../define-command.ts';
import { notifyWebhookFor, prepareCommand } from '../prepare-command.ts';

/** `ingestd notify test`: tries what `notify` names. */
export function addNotifyCommand(program: Command, context: CommandContext): void {
  const notify = program.command('notify').description('notifications');
  const command = notify
    .command('test')
    .description('send a test event to notify.command and to the webhook');
  defineCommand(command, context, notifyTest, [
    { command: 'ingestd notify test', does: 'check that it arrives' },
  ]);
}

async function notifyTest(context: CommandContext, flags: GlobalFlags): Promise<number> {
  const prepared = await prepareCommand(context, flags, { quiet: true, checkFolders: false });
  const { settings } = prepared;
  const target = { settings, webhook: await notifyWebhookFor(prepared) };
  const { waysOf } = await import('../../daemon/notify/notifier.ts');
  const ways = waysOf(target);
  if (ways.length === 0) {
    throw new ConfigurationError(
      'notify: not configured; set notify.command, or INGESTD_NOTIFY_WEBHOOK to the address of a webhook',
    );
  }
  const { testEvent } = await import('../../daemon/notify/event.ts');
  const event = testEvent(Date.now());
  const { signal } = new AbortController();
  const complaints: string[] = [];
  const tried = ways.map(({ name, send }) =>
    send(event, signal).then(
      () => context.output.line(`Sent to the ${name}: ${event.text}`),
      (error: unknown) => complaints.push(errorMessage(error)),
    ),
  );
  await Promise.all(tried);
  if (complaints.length > 0) throw new IngestdError('notify', exitCodes.unforeseen, complaints.join('\n'));
  return exitCodes.ok;
}
