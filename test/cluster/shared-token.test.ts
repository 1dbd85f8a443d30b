import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { openLink } from '../../src/cluster/redis/connection.ts';
import type { RedisLink } from '../../src/cluster/redis/connection.ts';
import { createTokenStore } from '../../src/cluster/token-store.ts';
import { systemClock } from '../../src/lib/time/clock.ts';
import type { Credentials } from '../../src/model/settings.ts';
import { createTokenSource } from '../../src/remote/auth/token-source.ts';
import type { TokenSource } from '../../src/remote/auth/token-source.ts';
import { eventually } from '../support/eventually.ts';
import { describeWhere } from '../support/needs.ts';
import { plantedCredentials } from '../support/planted-secrets.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { startScriptedService, steps } from '../support/services/scripted-service.ts';
import type { ScriptedService } from '../support/services/scripted-service.ts';
import { accountAt, missingRedis, startRedis } from './support/redis-server.ts';
import type { RedisServer } from './support/redis-server.ts';

interface Host {
  readonly tokens: TokenSource;
  readonly link: RedisLink;
}

describeWhere(missingRedis, 'the token that hosts share', () => {
  let redis: RedisServer;
  let service: ScriptedService;
  let hosts: Host[];
  beforeEach(async () => {
    redis = await startRedis();
    service = await startScriptedService();
    hosts = [];
  });
  afterEach(async () => {
    for (const { tokens, link } of hosts) {
      tokens.close();
      link.close();
    }
    await service.close();
    await redis.remove();
  });

  const host = async (
    credentials: Credentials = plantedCredentials,
    isAwaited = true,
    /** Called with each operation on the token. */
    note: (operation: string) => void = () => {},
  ): Promise<Host> => {
    const log = recordedLog();
    const link = openLink({ ...accountAt(redis.url, 't'), clock: systemClock, log });
    const store = createTokenStore({
      get runId() {
        return link.runId;
      },
      prefix: link.prefix,
      tried: link.tried,
      evaluate: (script, keys, args) => {
        note((JSON.parse(args[0] ?? '') as { operation: string }).operation);
        return link.evaluate(script, keys, args);
      },
    });
    const tokens = createTokenSource({
      authUrl: service.authUrl,
      credentials: () => credentials,
      clock: systemClock,
      settings: { connectSeconds: 5, idleSeconds: 5, responseSeconds: 5 },
      log,
      store,
    });
    const made = { tokens, link };
    hosts.push(made);
    // redis-cli holds up the event loop: on a busy machine a connection that is being made would be given up.
    if (isAwaited) await eventually(() => link.connection() !== null);
    return made;
  };
  const grants = () =>
    service.tokenRequests
      .filter(({ url }) => url === '/oauth/auth')
      .map((request) => new URLSearchParams(request.text()).get('grant_type'));

  it('is one grant for fifty hosts that start together', async () => {
    // Their connections to Redis are not there yet when they sign in.
    for (let count = 0; count < 50; count += 1) await host(plantedCredentials, false);
    const all = await Promise.all(hosts.map(({ tokens }) => tokens.access()));
    expect(new Set(all.map(({ value }) => value)).size).toBe(1);
    expect(grants()).toEqual(['password']);
    expect(hosts.every(({ tokens }) => tokens.status().state === 'ok')).toBe(true);
  });

  it('is renewed once for all, with the refresh token of whoever obtained it', async () => {
    const [one, two] = [await host(), await host()];
    const first = await one.tokens.access();
    await two.tokens.access();
    const renewed = await two.tokens.renew(first);
    expect(renewed.value).not.toBe(first.value);
    expect((await one.tokens.renew(first)).value).toBe(renewed.value);
    expect(grants()).toEqual(['password', 'refresh_token']);
  });

  it('stands in Redis encrypted, and no secret with it', async () => {
    const { tokens } = await host();
    const { value } = await tokens.access();
    const keys = redis.command('KEYS', '*').split('\n');
    const texts = keys.map((key) => {
      const kind = redis.command('TYPE', key);
      if (kind === 'string') return redis.command('GET', key);
      return kind === 'hash' ? redis.command('HGETALL', key) : redis.command('ZRANGE', key, '0', '-1');
    });
    const all = [...keys, ...texts].join('\n');
    expect(texts.some((text) => text.length > 100)).toBe(true);
    for (const secret of [value, ...Object.values(plantedCredentials)]) expect(all).not.toContain(secret);
    expect(redis.command('KEYS', 'ingestd:{t}:token:*').split('\n')).toHaveLength(1);
  });

  it('is not shared with a host of other credentials', async () => {
    const [one, other] = [
      await host(),
      await host({ ...plantedCredentials, clientSecret: 'another secret' }),
    ];
    const first = await one.tokens.access();
    const second = await other.tokens.access();
    expect(second.value).not.toBe(first.value);
    expect(grants()).toEqual(['password', 'password']);
  });

  it('is refused once for all: the others do not ask with the same credentials', async () => {
    service.scriptTokens(steps.json(401, { error: 'invalid_grant' }));
    const made = [await host(), await host(), await host()];
    for (const { tokens } of made)
      await expect(tokens.access()).rejects.toMatchObject({ code: 'credentials-refused' });
    expect(grants()).toEqual(['password']);
    // A person has corrected it, on one host.
    made[1]?.tokens.forget();
    expect((await made[1]?.tokens.access())?.value).toBeTruthy();
    expect(grants()).toEqual(['password', 'password']);
  });

  it('is asked for by another host where the one that was asking has died', async () => {
    const [dead, alive] = [await host(), await host()];
    service.scriptTokens(steps.silence());
    const lost = dead.tokens.access().catch(() => null);
    await eventually(() => grants().length === 1);
    expect(redis.command('KEYS', '*:lease')).not.toBe('');
    dead.link.close();
    dead.tokens.close();
    await lost;
    // As when its half minute is over.
    redis.command('DEL', redis.command('KEYS', '*:lease'));
    expect((await alive.tokens.access()).value).toBeTruthy();
  });

  it('is asked for by another host where the one that was asking stops', async () => {
    const [stopped, alive] = [await host(), await host()];
    service.scriptTokens(steps.silence());
    const given = stopped.tokens.access().catch((error: unknown) => error);
    await eventually(() => grants().length === 1);
    stopped.tokens.close();
    expect(await given).toMatchObject({ code: 'stopped' });
    // Nobody has to wait for the stop of another host.
    expect(redis.command('KEYS', 'ingestd:{t}:token:*')).toBe('');
    expect((await alive.tokens.access()).value).toBe('token-1');
    expect(grants()).toEqual(['password', 'password']);
  });

  it('is asked for once a person has corrected it, though another host was about to ask and stopped', async () => {
    service.scriptTokens(steps.json(401, { error: 'invalid_grant' }), steps.silence());
    const operations: string[] = [];
    const [refused, stopped] = [await host(), await host()];
    const corrected = await host(plantedCredentials, true, (operation) => operations.push(operation));
    await expect(refused.tokens.access()).rejects.toMatchObject({ code: 'credentials-refused' });
    stopped.tokens.forget();
    const given = stopped.tokens.access().catch(() => null);
    await eventually(() => grants().length === 2);
    corrected.tokens.forget();
    const token = Promise.allSettled([corrected.tokens.access()]);
    // It may not ask, and looks again.
    await eventually(() => operations.filter((operation) => operation === 'ask').length > 2);
    stopped.tokens.close();
    await given;
    expect(await token).toMatchObject([{ status: 'fulfilled', value: { value: 'token-1' } }]);
  });

  it('is obtained without Redis while that is away', async () => {
    const { tokens, link } = await host();
    await redis.kill();
    await eventually(() => link.connection() === null);
    expect((await tokens.access()).value).toBeTruthy();
    expect(grants()).toEqual(['password']);
  });

  it('is no more used by anybody once it is revoked', async () => {
    const [one, two] = [await host(), await host()];
    const first = await one.tokens.access();
    await two.tokens.access();
    await one.tokens.revoke({ all: false });
    const next = await one.tokens.access();
    expect(next.value).not.toBe(first.value);
    // The service has answered 401 to it.
    expect((await two.tokens.renew(first)).value).toBe(next.value);
  });
});
