import fastify from 'fastify';
import { afterEach, describe, expect, it } from '@jest/globals';
import * as z from 'zod';

import { openApi } from '../../scripts/docs/open-api.ts';
import { createDeliveryHistory } from '../../src/status/metrics/delivery-history.ts';
import { addRoutes } from '../../src/status/server/routes.ts';
import type { AppOptions } from '../../src/status/server/routes.ts';
import { systemClock } from '../../src/lib/time/clock.ts';
import { aFleet, aHost } from './support/a-fleet.ts';
import { busyStatus } from './support/busy-status.ts';
import { openStatusWorld } from './support/status-world.ts';
import type { StatusWorld, WorldOptions } from './support/status-world.ts';

interface Operation {
  readonly responses: Readonly<Record<string, { readonly content: Content }>>;
  readonly requestBody?: { readonly content: Content };
  readonly parameters?: readonly { readonly name: string; readonly schema: Schema }[];
}
type Schema = Readonly<Record<string, unknown>>;
type Content = Readonly<Record<string, { readonly schema: Schema }>>;

const { paths } = openApi() as {
  readonly paths: Readonly<Record<string, Partial<Record<'get' | 'post', Operation>>>>;
};
const operations = Object.entries(paths).flatMap(([path, { get, post }]) =>
  [
    { method: 'GET', path, operation: get } as const,
    { method: 'POST', path, operation: post } as const,
  ].flatMap(({ operation, ...one }) => (operation === undefined ? [] : [{ ...one, operation }])),
);

let world: StatusWorld | null = null;
afterEach(() => world?.close());

/** A field that the description does not name is a fault of the description. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const inner = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)]));
  return 'properties' in inner ? { ...inner, additionalProperties: false } : inner;
}

function faults(schema: Schema, value: unknown): string {
  const read = z.fromJSONSchema(closed(schema) as z.core.JSONSchema.JSONSchema).safeParse(value);
  return read.success ? '' : z.prettifyError(read.error);
}

it('the description names every address but those of the page and of the command line alone', () => {
  const routes: string[] = [];
  const app = fastify();
  app.addHook('onRoute', ({ method, url }) => void routes.push(`${String(method)} ${url}`));
  addRoutes(app, {} as AppOptions);
  const own = /^HEAD | \/$| \/assets\/| \/api\/token$| \/api\/revoke$/;
  expect(operations.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
    routes.filter((route) => !own.test(route)).sort(),
  );
});

describe('a real answer is as the description says', () => {
  const bodies: Readonly<Record<string, object>> = {
    '/api/retry': { paths: ['inbox/unknown.pdf'] },
    '/api/resolve': { path: 'inbox/a.pdf', action: 'adopt', docId: 'd-1' },
    '/api/approve': { folder: 'inbox', most: 1 },
    '/api/share': { paths: ['inbox'], shown: [{ path: 'inbox/a.pdf', sharing: 'EVERYONE' }] },
    '/api/keep': { place: null },
    '/api/pause': { folder: null, ms: 1_000 },
    '/api/resume': { folder: null },
    '/api/rescan': { folder: 'inbox' },
  };
  const queries: Readonly<Record<string, string>> = { '/api/why': '?path=inbox/a.pdf' };
  const options: WorldOptions = {
    status: busyStatus(),
    fleet: async () => aFleet([aHost('one')]),
    deliveries: createDeliveryHistory(systemClock),
  };

  it.each(operations.filter(({ path }) => path !== '/api/events'))('$method $path', async (one) => {
    world = await openStatusWorld(options);
    world.control.happen({
      path: 'a.pdf',
      message: 'x',
      sharing: { before: null, after: 'NONE', source: 'x' },
    });
    const { method, path, operation } = one;
    const body = bodies[path];
    const answer =
      method === 'GET' ? await world.get(`${path}${queries[path] ?? ''}`) : await world.tell(path, body);
    const described = operation.responses[answer.status]?.content ?? {};
    const [[type, { schema }] = ['', { schema: {} }]] = Object.entries(described);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, expect.stringContaining(type)]);
    if (type === 'application/json') expect(faults(schema, answer.json())).toBe('');
    const asked = operation.requestBody?.content['application/json']?.schema;
    if (asked === undefined) return;
    expect(faults(asked, body)).toBe('');
    const wrong = { ...body, other: 1 };
    const refused = await world.tell(path, wrong);
    expect([refused.status, faults(asked, wrong)]).toEqual([400, expect.stringMatching(/./)]);
    const said = operation.responses[400]?.content['application/json']?.schema ?? {};
    expect(faults(said, refused.json())).toBe('');
  });

  it('also where it is not well', async () => {
    world = await openStatusWorld({ fleet: null });
    world.control.sicken();
    world.control.refuse({ code: 'credentials-refused', message: 'the service refused the password' });
    for (const path of ['/healthz', '/readyz', '/api/fleet', '/api/why', '/api/documents?narrower=x']) {
      const answer = await world.get(path);
      const operation = paths[path.replace(/\?.*/, '')]?.get;
      const schema = operation?.responses[answer.status]?.content['application/json']?.schema ?? { not: {} };
      expect([path, faults(schema, answer.json())]).toEqual([path, '']);
    }
  });

  it.each([
    [401, {}],
    [403, { host: 'elsewhere.example' }],
  ])('and where a caller is not let in: %d', async (status, headers) => {
    world = await openStatusWorld({ httpToken: '0123456789abcdef' });
    for (const { method, path, operation } of operations) {
      if (path === '/healthz' && status === 401) continue;
      const answer = await (method === 'GET'
        ? world.get(path, headers)
        : world.post(path, bodies[path], headers));
      const schema = operation.responses[status]?.content['application/json']?.schema ?? { not: {} };
      expect([path, answer.status, faults(schema, answer.json())]).toEqual([path, status, '']);
    }
  });
});
