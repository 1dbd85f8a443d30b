import { inspect } from 'node:util';

import { afterEach, describe, expect, it } from '@jest/globals';

import { formsOf, plantedCredentials, plantedTokens } from '../../support/planted-secrets.ts';
import { steps } from '../../support/services/scripted-service.ts';
import type { Step } from '../../support/services/scripted-service.ts';
import { closeWorlds, operationNames, startClientWorld } from '../client-world.ts';

afterEach(closeWorlds);

const credentialForms = Object.values(plantedCredentials).flatMap(formsOf);
const everything = [...credentialForms, ...plantedTokens.flatMap(formsOf)];
/** A service that tells all it knows. */
const gossip = everything.join(' ').slice(0, 100_000);
const echoes: readonly (readonly [string, Step])[] = [
  ...everything.map((form, index) => [`400 with form ${index}`, steps.refuse(`no: ${form}`, 400)] as const),
  ['400 with all', steps.refuse(gossip, 400)],
  ['error envelope', steps.refuse(gossip)],
  ['warning', steps.warn('doc-a', gossip)],
  ['500', steps.json(500, { error: gossip, error_description: gossip, message: gossip })],
  [
    'redirect',
    steps.redirect(`http://${plantedCredentials.clientId}.example/?${encodeURIComponent(gossip)}`),
  ],
  ['401', steps.json(401, { message: gossip })],
  ['reset', steps.resetAfterBody()],
  ['cut', steps.cutAnswer()],
  ['silence', steps.silence()],
];

describe('secrets (S1)', () => {
  it('are in no outcome, no log line and no status, whatever the service echoes', async () => {
    const world = await startClientWorld({ requestsPerMinute: 10_000, responseSeconds: 0.05 });
    world.service.alwaysTokens(
      steps.token({ access_token: plantedTokens[0], refresh_token: plantedTokens[1] }),
    );
    const seen: unknown[] = [];
    for (const [name, step] of echoes) {
      for (const operation of name.startsWith('400 with form') ? (['remove'] as const) : operationNames) {
        world.service.script(step, step);
        seen.push([name, await world.call(operation)]);
        world.service.script();
        world.tokens.forget();
      }
    }
    seen.push(world.log.lines, world.tokens.status(), world.limiter.status(), world.client, world.tokens);
    expectClean(seen);
  });

  it('are in no error of the token endpoint, its stack and causes included', async () => {
    const world = await startClientWorld({ responseSeconds: 0.05 });
    const seen: unknown[] = [];
    const said = { error: 'invalid_grant', error_description: gossip };
    const tokenSteps = [
      ...everything.map((form) => steps.json(401, { error_description: form })),
      steps.json(400, said),
      steps.json(403, { message: gossip }),
      steps.json(500, said),
      steps.json(429, said),
      steps.redirect(`http://evil.example/?${encodeURIComponent(gossip)}`),
      steps.html(404),
      steps.html(200),
      steps.cutAnswer(),
      steps.silence(),
      steps.resetAfterBody(),
      steps.resetBeforeBody(),
    ];
    for (const step of tokenSteps) {
      world.service.scriptTokens(step);
      seen.push(await world.tokens.login().catch((error: unknown) => error));
      seen.push(await world.tokens.access().catch((error: unknown) => error));
      world.service.scriptTokens();
    }
    world.service.alwaysTokens(steps.json(403, said));
    seen.push(await world.tokens.revoke({ all: true }).catch((error: unknown) => error));
    await world.service.close();
    seen.push(await world.tokens.login().catch((error: unknown) => error), world.log.lines);
    expect(seen.filter((value) => value instanceof Error).length).toBeGreaterThan(40);
    // The tokens were never issued here: nobody can know that they are any.
    expectClean(seen, credentialForms);
  });
});

function expectClean(seen: readonly unknown[], forms: readonly string[] = everything): void {
  const texts = [
    inspect(seen, { depth: 20, showHidden: true, maxArrayLength: null, maxStringLength: null }),
    JSON.stringify(seen),
    ...seen.map((value) => (value instanceof Error ? `${value.stack} ${String(value.cause)}` : '')),
  ];
  for (const text of texts) {
    for (const form of forms) expect(text.includes(form) ? form : '').toBe('');
  }
}
