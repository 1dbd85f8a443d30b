import { describe, expect, it } from '@jest/globals';

import { postToWebhook } from '../../src/remote/webhook.ts';
import { ofEachTest } from '../support/of-each-test.ts';
import { startScriptedService, steps } from '../support/services/scripted-service.ts';

describe('a webhook', () => {
  const service = ofEachTest(() => startScriptedService());

  const post = () =>
    postToWebhook(`${service.ingestUrl}/secret-token`, { state: 'ok' }, new AbortController().signal).then(
      () => 'taken',
      (error: Error) => error.message,
    );

  it.each([
    [200, 'taken'],
    [204, 'taken'],
    [300, 'the webhook answered with status 300; redirects are not followed'],
    [307, 'the webhook answered with status 307; redirects are not followed'],
    [399, 'the webhook answered with status 399; redirects are not followed'],
    [400, 'the webhook answered with status 400'],
    [503, 'the webhook answered with status 503'],
  ])('that answers %d is asked once: %s', async (answer, outcome) => {
    service.always(steps.redirect('/elsewhere', answer));
    expect(await post()).toBe(outcome);
    expect(service.requests).toHaveLength(1);
    const [request] = service.requests;
    expect(request).toMatchObject({ method: 'POST', url: '/secret-token' });
    expect(request?.headers['content-type']).toBe('application/json');
    expect(request?.json()).toEqual({ state: 'ok' });
  });

  it('that cannot be reached is an error that does not name its address', async () => {
    await service.away();
    expect(await post()).toBe('the webhook cannot be reached (ECONNREFUSED)');
  });
});
