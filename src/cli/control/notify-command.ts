import { ConfigurationError, IngestdError, errorMessage, exitCodes } from '../../model/errors.ts';
import type { CommandContext, GlobalFlags } from '../define-command.ts';
import { waysOf } from '../../daemon/notify/notifier.ts';
import { eventOf } from '../../daemon/notify/event.ts';
import { loadNotifyWebhook } from '../../config/secrets/read-secrets.ts';
import { prepareCommand } from '../prepare-command.ts';

/** What sets each way: a complaint begins with it. */
const setBy = { command: 'notify.command', webhook: 'INGESTD_NOTIFY_WEBHOOK' };

export async function notifyTest(context: CommandContext, flags: GlobalFlags) {
  const { settings, configuration } = await prepareCommand(context, flags);
  const target = { settings, webhook: await loadNotifyWebhook(configuration.secretSources) };
  const ways = waysOf(target);
  if (ways.length === 0) {
    throw new ConfigurationError(
      'notify: not configured; set notify.command, or INGESTD_NOTIFY_WEBHOOK to the address of a webhook',
    );
  }
  const text = 'this is a test of its notifications';
  const event = eventOf('test', { text, health: 'ok', now: Date.now() });
  const { signal } = new AbortController();
  const complaints: string[] = [];
  const tried = ways.map(({ name, send }) =>
    send(event, signal).then(
      () => context.output.line(`Sent to the ${name}: ${event.text}`),
      (error: unknown) => complaints.push(`${setBy[name]}: ${errorMessage(error)}`),
    ),
  );
  await Promise.all(tried);
  if (complaints.length > 0) throw new IngestdError('notify', exitCodes.unforeseen, complaints.join('\n'));
  return exitCodes.ok;
}
