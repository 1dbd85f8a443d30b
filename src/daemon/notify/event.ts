import { createHash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import * as z from 'zod';

import { countWords } from '../../lib/text/amounts.ts';
import { printable } from '../../lib/text/printable.ts';
import { refKey } from '../../model/document.ts';
import { inDoubtCode } from '../../model/doubts.ts';
import { explain } from '../../model/report/explanations.ts';
import { needsPerson } from '../../model/report/failures.ts';
import { headline } from '../../model/report/headline.ts';
import { isLogged, reasonHealth } from '../../model/report/health.ts';
import { longestList } from '../../model/report/status.ts';
import type { Health, Status } from '../../model/report/status.ts';

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

/** What of a status needs a person: failed, held, in doubt, refused; and what may pass, should it last. */
export function troublesOf({ reasons, failures, held, inDoubt }: Status): readonly Trouble[] {
  // Several uploads of one document may be in doubt.
  const doubted = new Map(inDoubt.map((doubt) => [refKey(doubt), doubt]));
  return [
    ...reasons
      .filter((one) => isLogged(one) && reasonHealth(one.code) !== 'ok' && one.code !== 'fleet-paused')
      .map(({ folder = null, path = null, code, message }) =>
        trouble({ folder, path, code, message }, code !== 'credentials-refused'),
      ),
    ...failures
      // What is in doubt and held back is announced once.
      .filter((failure) => needsPerson(failure) && !doubted.has(refKey(failure)))
      .map(({ folder, path, code, message, retryAt }) =>
        trouble({ folder, path, code, message }, retryAt !== null),
      ),
    ...held.map(({ folder, count, reason }) =>
      trouble({ folder, path: null, code: 'held', message: `${count} held: ${reason}` }),
    ),
    ...[...doubted.values()].map(({ folder, path, message }) =>
      trouble({ folder, path, code: inDoubtCode, message }),
    ),
  ];
}

function trouble(what: Omit<Trouble, 'key' | 'mayPass'>, mayPass = false): Trouble {
  // Without the message: a number or a time in it does not make it another trouble.
  const text = JSON.stringify([what.folder, what.path, what.code]);
  return { key: createHash('sha256').update(text).digest('base64url').slice(0, 22), mayPass, ...what };
}

/** One event for all that is new. */
export function troubleEvent(troubles: readonly Trouble[], health: Health, now: number): NotifyEvent {
  const rows = troubles.slice(0, mostInText).map(rowOf);
  const more = troubles.length - rows.length;
  // The lists that they come from are cut.
  const orMore = troubles.length >= longestList ? ' or more' : '';
  const text = [
    ...(troubles.length === 1 ? [] : [`${countWords(troubles.length, 'problem')}${orMore}:`]),
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

function rowOf({ folder, path, code, message }: Trouble): string {
  const where = [folder, path].filter((part) => part !== null).join('/');
  return printable([where, explain(code).cause, message].filter((part) => part !== '').join(': '));
}
