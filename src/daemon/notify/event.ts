import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';

import { printable } from '../../lib/text/printable.ts';
import { countWords } from '../../lib/text/amounts.ts';
import { explain } from '../../model/report/explanations.ts';
import type { Health } from '../../model/report/status.ts';
import type { Trouble } from './troubles.ts';

/** What a command or a webhook gets, as JSON. */
export interface NotifyEvent {
  /** Of this event, and the same each time that it is sent. */
  readonly id: string;
  readonly kind: 'trouble' | 'recovery' | 'test';
  /** For a person; Slack and its like show it as it is. */
  readonly text: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly host: string;
  readonly health: Health;
  /** Of the first trouble; null: it concerns no single one. */
  readonly folder: string | null;
  readonly path: string | null;
  readonly code: string | null;
  /** The first ones of all that are new. */
  readonly troubles: readonly Pick<Trouble, 'folder' | 'path' | 'code' | 'message'>[];
  readonly troublesTotal: number;
}

const mostListed = 20;
const mostInText = 5;

/** One event for all that is new. */
export function troubleEvent(troubles: readonly Trouble[], health: Health, now: number): NotifyEvent {
  const [first] = troubles;
  const rows = troubles.slice(0, mostInText).map(rowOf);
  const more = troubles.length - rows.length;
  const text = [
    ...(troubles.length === 1 ? [] : [`${countWords(troubles.length, 'problem')}:`]),
    ...rows,
    ...(more > 0 ? [`and ${more} more`] : []),
  ].join('\n');
  return {
    ...eventOf('trouble', { text, health, now }),
    folder: first?.folder ?? null,
    path: first?.path ?? null,
    code: first?.code ?? null,
    troubles: troubles
      .slice(0, mostListed)
      .map(({ folder, path, code, message }) => ({ folder, path, code, message })),
    troublesTotal: troubles.length,
  };
}

/** Nothing needs a person any more. */
export function recoveryEvent(health: Health, now: number): NotifyEvent {
  return eventOf('recovery', { text: 'everything is in order again', health, now });
}

/** What `ingestd notify test` sends. */
export function testEvent(now: number): NotifyEvent {
  return eventOf('test', { text: 'this is a test, nothing is wrong', health: 'ok', now });
}

function eventOf(
  kind: NotifyEvent['kind'],
  { text, health, now }: { readonly text: string; readonly health: Health; readonly now: number },
): NotifyEvent {
  const host = hostname();
  return {
    id: randomUUID(),
    kind,
    text: `ingestd on ${host}: ${text}`,
    at: new Date(now).toISOString(),
    host,
    health,
    folder: null,
    path: null,
    code: null,
    troubles: [],
    troublesTotal: 0,
  };
}

function rowOf({ folder, path, code, message }: Trouble): string {
  const where = [folder, path].filter((part) => part !== null).join('/');
  return printable([where, explain(code).cause, message].filter((part) => part !== '').join(': '));
}
