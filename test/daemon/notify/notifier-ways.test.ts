import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { systemClock } from '../../../src/lib/time/clock.ts';
import type { Clock } from '../../../src/lib/time/clock.ts';
import { startNotifier } from '../../../src/daemon/notify/notifier.ts';
import { fakeControl } from '../../status/support/fake-control.ts';
import type { Activity } from '../../../src/model/report/status.ts';
import { eventually } from '../../support/eventually.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { folderOfEachTest } from '../../support/folder-of-each-test.ts';
import { ofEachTest } from '../../support/of-each-test.ts';
import { startScriptedService, steps } from '../../support/services/scripted-service.ts';

let stop = async (): Promise<void> => {};

afterEach(() => stop());
const hook = ofEachTest(() => startScriptedService());
const posted = () => hook.requests.map((request) => request.text().trim());
// Defined last: it goes after all that writes into it has ended.
const folder = folderOfEachTest();

const failed = (path: string): Activity => ({
  at: '',
  folder: 'inbox',
  path,
  what: 'failed',
  code: 'double-extension',
  docId: null,
  message: 'more than one dot',
  documents: 1,
});
/** What is wrong now. */
let open: readonly Activity[] = [];
beforeEach(() => {
  open = [failed('a.b.pdf')];
});

/** Waits for nothing. */
const clock: Clock = { ...systemClock, after: (_, call) => systemClock.after(0, call) };

/** What the command got: its paths. */
async function mailed(): Promise<string[]> {
  const text = await readFile(folder.join('mails'), 'utf8').catch(() => '');
  return pathsIn(text.split('\n').filter((line) => line !== ''));
}

function pathsIn(events: readonly string[]): string[] {
  return events.map((text) => (JSON.parse(text) as { path: string }).path);
}

/** Starts with a command, `script` (null: none), and a webhook. */
async function start(script: string | null) {
  const control = fakeControl();
  const log = recordedLog();
  stop = await startNotifier({
    settings: {
      notify: { command: script === null ? [] : ['sh', '-c', script], afterMinutes: 0 },
      file: folder.join('ingestd.yaml'),
      state: { dir: folder.path, mustExist: false },
    },
    webhook: `${hook.ingestUrl}/`,
    control,
    open: () => open,
    isAll: true,
    clock,
    log,
  });
  const logged = (message: string) => log.lines.filter((line) => line.message === message).length;
  return { control, logged };
}

const mail = 'cat >> mails';
const state = async () => JSON.parse(await readFile(folder.join('notify.json'), 'utf8'));

it('gives an event to the command once while the webhook is down, over a restart as well', async () => {
  hook.always(steps.empty(503));
  const first = await start(mail);
  await eventually(() => (posted().length >= 3 && first.logged('notification sent') === 1 ? true : null));
  await stop();
  expect(await state()).toMatchObject({ queues: { command: [], webhook: [{ path: 'a.b.pdf' }] } });
  hook.always(steps.empty());
  const refused = posted();
  const second = await start(mail);
  await eventually(() => (second.logged('notification sent') === 1 ? true : null));
  await stop();
  // With its id.
  expect(posted().slice(refused.length)).toEqual(refused.slice(0, 1));
  expect(await mailed()).toEqual(['a.b.pdf']);
  expect(await state()).toMatchObject({ queues: { command: [], webhook: [] } });
});

it('gives every event to the webhook, once, while the command fails', async () => {
  const { control, logged } = await start('exit 1');
  await eventually(() => (posted().length > 0 ? true : null));
  open = [...open, failed('c.d.pdf')];
  control.change({});
  await eventually(() => (logged('notification sent') === 2 ? true : null));
  expect(pathsIn(posted())).toEqual(['a.b.pdf', 'c.d.pdf']);
});

it('sends nothing twice that is accepted while another event is written down', async () => {
  const all = Array.from({ length: 40 }, (_, index) => failed(`${index}.b.pdf`));
  open = all.slice(0, 2);
  const { control } = await start(null);
  hook.always(async (request) => {
    open = all.slice(0, open.length + 1);
    control.change({});
    await steps.empty()(request);
  });
  await eventually(async () => {
    const { announced, queues } = await state().catch(() => ({ announced: [] }));
    return announced.length === all.length && queues.webhook.length === 0 ? true : null;
  });
  expect(new Set(posted()).size).toBe(posted().length);
});
