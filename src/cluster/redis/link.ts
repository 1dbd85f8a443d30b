import type { Clock } from '../../lib/time/clock.ts';
import { errorMessage } from '../../model/errors.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import { redisNodes } from '../../lib/server/redis-address.ts';

import { openSession } from './session.ts';
import type { RedisSession, SessionOptions } from './session.ts';

/** The connection to Redis, made again whenever it ends. */
export interface RedisLink {
  /** Null: Redis is away. */
  readonly session: () => RedisSession | null;
  /** Why Redis is away; null: it is not, or the first attempt is not over. */
  readonly away: () => string | null;
  /** Resolves when the first attempt to connect is over, whatever came of it. */
  readonly tried: Promise<void>;
  readonly close: () => void;
}

interface LinkOptions extends Omit<SessionOptions, 'onEnd'> {
  readonly clock: Clock;
  readonly log: LogPort;
  /** Called when Redis is there, and when it is away. */
  readonly onChange: () => void;
}

const firstRestMs = 100;
const longestRestMs = 2_000;

/** Connects at once and stays connected; says each change once in the log. */
export function openLink({ clock, log, onChange, ...options }: LinkOptions): RedisLink {
  const redis = redisNodes(options.address);
  let session: RedisSession | null = null;
  let away: string | null = null;

  let closed = false;
  let restMs = firstRestMs;
  let cancel = () => {};
  const tried = connect();

  return {
    session: () => session,
    away: () => away,
    tried,
    close: () => {
      closed = true;
      cancel();
      session?.close();
      session = null;
    },
  };

  async function connect(): Promise<void> {
    try {
      const opened = await openSession({ ...options, onEnd: lost });
      if (closed) return opened.close();
      session = opened;
      restMs = firstRestMs;
      if (away !== null) log.info({ redis }, 'Redis is back');
      away = null;
      onChange();
    } catch (error) {
      if (!closed) lost(errorMessage(error));
    }
  }

  function lost(why: string): void {
    session = null;
    if (closed) return;
    if (away === null) log.warn({ redis, reason: why }, 'Redis cannot be reached');
    away = why;
    // Not all hosts at once when it is back.
    cancel = clock.after(restMs * (0.5 + Math.random() / 2), () => void connect());
    restMs = Math.min(restMs * 2, longestRestMs);
    onChange();
  }
}
