import * as z from 'zod';

import type { Redis } from './connection.ts';

interface ScriptParts<Ask, Answer> {
  /** The keys of the account that it works on, each under its name in the script; some are called otherwise. */
  readonly keys: readonly (string | readonly [name: string, key: (ask: Ask) => string])[];
  readonly answer: z.ZodType<Answer>;
  /**
   * Its text, which gives a table or a value that JSON has. It finds its keys by their names; Redis's own time as `now`,
   * ms; and as `ask` what it is asked, with `redis` (the process) and `channel`.
   */
  readonly lua: string;
}

/** What was put into Redis by others is not read where an answer with it would be longer. */
const mostAnswerBytes = 1_048_576;

/**
 * A script that Redis runs in one step, whole or not at all: by its first line, a Redis that takes no writes (it is full,
 * or has too few replicas) refuses it before it begins, also one that only reads: what is there may be old then. It
 * rejects where Redis does not answer in time, or refuses.
 */
export function redisScript<Ask extends object, Answer>({ keys, answer, lua }: ScriptParts<Ask, Answer>) {
  const names = keys.map((key) => (typeof key === 'string' ? key : key[0]));
  const text = `#!lua
local ${names.join(', ')} = ${names.map((_name, index) => `KEYS[${index + 1}]`).join(', ')}
local ask = cjson.decode(ARGV[1])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function run()
${lua}
end
local answer = cjson.encode(run())
return #answer <= ${mostAnswerBytes} and answer or redis.error_reply('ERR the answer would be too long')
`;
  return async ({ evaluate, runId, prefix }: Redis, ask: Ask): Promise<Answer> => {
    const places = keys.map((key) => (typeof key === 'string' ? key : key[1](ask)));
    const whole = JSON.stringify({ ...ask, redis: runId, channel: `${prefix}:wake` });
    return answer.parse(JSON.parse(String(await evaluate(text, places, [whole]))));
  };
}

/** A list of a script's answer: Lua has one value for an empty list and an empty object. */
export const listOf = <T>(one: z.ZodType<T>) =>
  z.union([z.array(one), z.strictObject({}).transform((): T[] => [])]);
