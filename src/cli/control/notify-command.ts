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
  const { isNotifying, sendEvent } = await import('../../daemon/notify/notifier.ts');
  if (!isNotifying(target)) {
    throw new ConfigurationError(
      'notify: not configured; set notify.command, or INGESTD_NOTIFY_WEBHOOK to the address of a webhook',
    );
  }
  const { testEvent } = await import('../../daemon/notify/event.ts');
  const event = testEvent(Date.now());
  try {
    await sendEvent(target, event, new AbortController().signal);
  } catch (error) {
    throw new IngestdError('notify', exitCodes.unforeseen, errorMessage(error), { cause: error });
  }
  context.output.line(`Sent: ${event.text}`);
  return exitCodes.ok;
}
