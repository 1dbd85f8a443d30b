import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import * as z from 'zod';

import { groupBy } from '../../lib/group-by.ts';
import { countWords } from '../../lib/text/amounts.ts';
import { printable } from '../../lib/text/printable.ts';
import { inDoubtCode } from '../../model/doubts.ts';
import { notTakenCode } from '../../model/report/failures.ts';
import { headline, reasonWords } from '../../model/report/headline.ts';
import type { Activity, Health, Status } from '../../model/report/status.ts';

const place = z.string().nullable();

/** What a command or a webhook gets, as JSON. */
export const eventSchema = z.object({
  /** Of this event, and the same each time that it is sent. */
  id: z.string(),
  kind: z.enum(['trouble', 'recovery', 'test']),
  /** For a person; Slack and its like show it as it is. */
  text: z.string(),
  /** ISO 8601, UTC. */
  at: z.string(),
  host: z.string(),
  health: z.enum(['ok', 'attention', 'error']),
  /** Of the first trouble; null: it concerns no single one. */
  folder: place,
  path: place,
  code: place,
  /** The first ones of all that are new. */
  troubles: z.array(z.object({ folder: place, path: place, code: z.string(), message: z.string() })),
  troublesTotal: z.number(),
});

export type NotifyEvent = Readonly<z.output<typeof eventSchema>>;

/** Something that needs a person. */
export interface Trouble extends Readonly<NotifyEvent['troubles'][number]> {
  /** The same as long as it is the same trouble. */
  readonly key: string;
  /** It may end by itself: announced only when it has lasted. */
  readonly mayPass: boolean;
}

const mostListed = 20;
const mostInText = 5;

/** What of the entries of the log that are not over needs a person: deletions that are held by their folders. */
export function troublesOf(open: readonly Activity[]): readonly Trouble[] {
  const announced = open.filter(({ what, code }) => what !== 'limit' && code !== 'fleet-paused');
  // Without the message: a number or a time in it does not make it another trouble.
  const groups = groupBy(announced, ({ what, folder, path, code }) =>
    JSON.stringify(what === 'held' ? [folder, what] : [folder, path, code]),
  );
  return Array.from(groups).flatMap(([key, all]) =>
    all.slice(-1).map(({ what, folder, path, code = what, message }) => ({
      key,
      folder: folder || null,
      path: what === 'held' ? null : path || null,
      code: what === 'in doubt' ? inDoubtCode : code,
      message: what === 'held' ? `${all.length} held: ${message}` : (message ?? ''),
      mayPass: what === 'problem' ? code !== 'credentials-refused' : code === notTakenCode,
    })),
  );
}

/** One event for all that is new. */
export function troubleEvent(troubles: readonly Trouble[], health: Health, now: number): NotifyEvent {
  const rows = troubles.slice(0, mostInText).map(rowOf);
  const more = troubles.length - rows.length;
  const text = [
    ...(troubles.length === 1 ? [] : [`${countWords(troubles.length, 'problem')}:`]),
    ...rows,
    ...(more > 0 ? [`and ${more} more`] : []),
  ].join('\n');
  return eventOf('trouble', { text, health, now }, troubles);
}

/** Nothing of what is announced is wrong any more. A pause and possible duplicates are not announced. */
export function recoveryEvent(status: Status, now: number): NotifyEvent {
  const { health } = status;
  const text =
    health === 'ok'
      ? 'everything is in order again'
      : `the announced problems have ended; this still needs attention:\n${printable(headline(status))}`;
  return eventOf('recovery', { text, health, now });
}

/** An event of this host, as it goes out. */
export function eventOf(
  kind: NotifyEvent['kind'],
  { text, health, now }: { readonly text: string; readonly health: Health; readonly now: number },
  troubles: readonly Trouble[] = [],
): NotifyEvent {
  const host = hostname();
  const listed = troubles.slice(0, mostListed);
  return {
    id: randomUUID(),
    kind,
    text: `ingestd on ${host}: ${text}`,
    at: new Date(now).toISOString(),
    host,
    health,
    folder: troubles[0]?.folder ?? null,
    path: troubles[0]?.path ?? null,
    code: troubles[0]?.code ?? null,
    troubles: listed.map(({ folder, path, code, message }) => ({ folder, path, code, message })),
    troublesTotal: troubles.length,
  };
}

function rowOf({ folder, path, ...reason }: Trouble): string {
  const where = [folder, path].filter((part) => part !== null).join('/');
  return printable([where, reasonWords(reason)].filter((part) => part !== '').join(': '));
}
