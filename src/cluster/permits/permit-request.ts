import * as z from 'zod';

/** What a host asks of `permitScript`. Lists are left out where they are empty. */
export interface PermitRequest {
  readonly host: string;
  /** Names the messages: `next` to all, `offer` to one host. */
  readonly channel: string;
  /** Of the Redis process that the connection leads to. */
  readonly run: string;
  readonly limit: number;
  readonly windowMs: number;
  /** So long a host may be dead before its permits under way begin to end. */
  readonly lifeMs: number;
  /** Added to each place's time: as much as Redis's clock may jump unnoticed. */
  readonly marginMs: number;
  /** A host that was not heard of for so long counts as out of reach. */
  readonly unreachableMs: number;
  /** A place that is offered to a host is kept for it for so long. */
  readonly offerMs: number;
  /** A host that waits says so at least this often. */
  readonly waitMs: number;
  /** The last that this host has seen of both. */
  readonly seq: number;
  readonly epoch: number;
  /** What Redis's clock should say. */
  readonly estimate?: number | undefined;
  /** A request that comes so much later does nothing. */
  readonly lateMs: number;
  /** In this epoch Redis's clock has jumped. */
  readonly jump?: number | undefined;
  /** Nothing but a sign of life. */
  readonly idle?: boolean | undefined;
  /** Keeps the keys from expiring. */
  readonly beat?: boolean | undefined;
  /** The host stops. */
  readonly leave?: boolean | undefined;
  /** Requests a minute that this host may send while Redis is away. */
  readonly share: number;
  /** Asks for the shares of all. */
  readonly list?: boolean | undefined;
  /** The shares as this host last saw them, in case that Redis has lost them. */
  readonly shares?: Readonly<Record<string, number>> | undefined;
  /** When a person has stopped all hosts, in case that Redis has lost it. */
  readonly halted?: string | undefined;
  /** Permits whose request was answered, and how long ago, ms. */
  readonly spent?: readonly (readonly [id: string, agoMs: number])[] | undefined;
  /** Permits on which nothing was sent. */
  readonly returned?: readonly string[] | undefined;
  /** Permits whose requests are under way. */
  readonly renew?: readonly string[] | undefined;
  /** Permits whose requests are about to begin. */
  readonly confirm?: readonly string[] | undefined;
  /** Requests sent without Redis, and how long they still count, ms. */
  readonly used?: readonly (readonly [id: string, leftMs: number])[] | undefined;
  /** How long requests of this host's last run still count, ms, longest first. */
  readonly recent?: readonly number[] | undefined;
  /** Nobody sends for so long. */
  readonly pauseMs?: number | undefined;
  /** How many permits are wanted, with their names if they are granted. */
  readonly want?: number | undefined;
  readonly ids?: readonly string[] | undefined;
  /** Offers to this host. */
  readonly claims?: readonly string[] | undefined;
  /** 0 to 9: the priority of what is first in line here. */
  readonly level?: number | undefined;
  /** How much is in line here. */
  readonly demand?: number | undefined;
}

const whole = z.number().default(0);
const words = z
  .string()
  .default('')
  .transform((text) => (text === '' ? [] : text.split(' ')));

const answerSchema = z.object({
  now: z.number(),
  /** Nothing was done. */
  late: z.boolean().default(false),
  granted: whole,
  /** Permits that were to be confirmed and are no longer there. */
  gone: words,
  /** When the next place comes free. */
  nextMs: whole,
  /** How many hosts come before this one. */
  rank: whole,
  used: whole,
  reserved: whole,
  openMs: whole,
  pauseMs: whole,
  epoch: whole,
  seq: whole,
  /** Why a window without permits begins: empty, restarted, older, clock. */
  reset: z.string().default(''),
  share: z.number().optional(),
  waiting: whole,
  version: whole,
  /** When a person stopped all hosts; empty: nobody has. */
  halted: z.string().default(''),
  /** The lowest of the hosts' limits. */
  limit: z.number().optional(),
  /** Host, share, host, share …. */
  shares: words,
});

/** What `permitScript` answers. */
export type PermitAnswer = z.output<typeof answerSchema>;

/** Reads the script's answer. Throws where it is none. */
export function readPermitAnswer(answer: unknown): PermitAnswer {
  return answerSchema.parse(JSON.parse(String(answer)));
}
