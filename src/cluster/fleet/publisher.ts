import { randomBytes } from 'node:crypto';

import * as z from 'zod';

import { shortened } from '../../lib/text/printable.ts';
import type { Clock } from '../../lib/time/clock.ts';
import { hostSummarySchema } from '../../model/report/fleet.ts';
import type { HostSummary } from '../../model/report/fleet.ts';
import { sortFailures } from '../../model/report/failures.ts';
import { headline } from '../../model/report/headline.ts';
import type { Status } from '../../model/report/status.ts';
import { aliveMs } from '../fleet-times.ts';
import { createBeat } from '../redis/beat.ts';
import type { Redis } from '../redis/connection.ts';
import { redisScript } from '../redis/script.ts';

const answerSchema = z.object({
  /** How many hosts have published within `aliveMs` and go on. */
  hosts: z.number(),
  /** The run that published last under this host's name. */
  before: z.string(),
});

interface Summary {
  readonly host: string;
  /** Another start of a host has another one. */
  readonly run: string;
  readonly summary: string;
  /** It is the last one. */
  readonly ends: boolean;
}

/** Keeps a host's summary for a day, as the time, its run and the text. */
const publish = redisScript<Summary, z.output<typeof answerSchema>>({
  keys: ['summaries', 'hosts'],
  answer: answerSchema,
  lua: `
local before = string.match(redis.call('HGET', summaries, ask.host) or '', '^%d+ (%S+) ') or ''
redis.call('HSET', summaries, ask.host, string.format('%.0f %s ', now, ask.run) .. ask.summary)
local gone = now - ${aliveMs}
redis.call('ZADD', hosts, ask.ends and gone or now, ask.host)
for _, name in ipairs(redis.call('ZRANGEBYSCORE', hosts, '-inf', now - 86400000)) do
  redis.call('ZREM', hosts, name)
  redis.call('HDEL', summaries, name)
end
for _, key in ipairs({ summaries, hosts }) do redis.call('PEXPIRE', key, 172800000) end
return { hosts = redis.call('ZCOUNT', hosts, '(' .. string.format('%.0f', gone), '+inf'), before = before }
`,
});

interface PublisherOptions {
  readonly redis: Redis;
  readonly host: string;
  readonly clock: Clock;
  /** What `isNameTaken` says has changed. */
  readonly onChange: () => void;
}

/** A summary is renewed this often. */
const publishMs = 5_000;
/** After so many publications without another under the same name, the name is this host's alone. */
const quietEnough = 3;

/** Publishes this host's summary for the others, every five seconds. */
export function createPublisher({ redis, host, clock, onChange }: PublisherOptions) {
  const beat = createBeat(clock, publishNow, () => publishMs);
  let status: (() => Status) | null = null;
  const run = randomBytes(8).toString('hex');
  let last: z.output<typeof answerSchema> | null = null;
  /** Publications since another ingestd was met under this name. */
  let sinceClash = Infinity;

  return {
    /** How many hosts publish, this one included; 0: not known yet. */
    hosts: (): number => last?.hosts ?? 0,
    isNameTaken,
    begin: (read: () => Status): void => {
      status = read;
      beat.now();
    },
    /** Says at last that this host has stopped. */
    end: async (): Promise<void> => {
      await beat.end();
      await publishNow('stopped').catch(() => {});
    },
  };

  /** Another ingestd publishes under the name of this one. */
  function isNameTaken(): boolean {
    return sinceClash < quietEnough;
  }

  async function publishNow(state?: 'stopped'): Promise<void> {
    if (status === null) return;
    const summary = JSON.stringify({ ...summaryOf(status()), ...(state === undefined ? {} : { state }) });
    const answer = await publish(redis, { host, run, summary, ends: state !== undefined });
    const wasTaken = isNameTaken();
    // The first time it may be the run before this one, which ended without a word.
    const isOther = last !== null && answer.before !== '' && answer.before !== run;
    sinceClash = isOther ? 0 : sinceClash + 1;
    last = answer;
    if (isNameTaken() !== wasTaken) onChange();
  }
}

const longestText = 300;

/** What of a status the other hosts see. */
function summaryOf(status: Status): HostSummary {
  // What is retried has not failed, and doubts stand in the headline.
  const { failedTotal } = sortFailures(status);
  return hostSummarySchema.parse({
    ...status,
    headline: shortened(headline(status), longestText),
    failuresTotal: failedTotal,
  });
}
