import { afterEach, expect, it } from '@jest/globals';
import * as fc from 'fast-check';

import { multipart, sendBytes, sendRaw } from '../embedded/support/raw-request.ts';
import { prefix, startTrial } from '../embedded/support/trial.ts';
import { openStatusWorld } from '../status/support/status-world.ts';
import { explore, fuzzTimeout, metadataLike, mutated } from './explore.ts';

const worlds: { readonly close: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

it(
  'the status server answers any bytes with HTTP or an end, and goes on answering others',
  async () => {
    const world = await openStatusWorld();
    worlds.push(world);
    const host = `Host: 127.0.0.1:${world.port}\r\n`;
    const requests = [
      `GET /api/status HTTP/1.1\r\n${host}\r\n`,
      `GET /api/why?path=a%2Fb.pdf HTTP/1.1\r\n${host}Accept: */*\r\n\r\n`,
      `POST /api/retry HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 14\r\n\r\n{"paths":["a"]}`,
      `POST /api/pause HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    ].map((text) => mutated(Buffer.from(text)));
    await explore(fc.tuple(fc.oneof(...requests), fc.nat()), async ([bytes, cut]) => {
      const at = cut % (bytes.length + 1);
      const pieces = [bytes.subarray(0, at), bytes.subarray(at)];
      const { head } = await sendBytes(world.url, pieces, { isCut: true });
      if (head !== '') expect(head).toMatch(/^HTTP\/1\.1 \d{3} /);
      expect((await world.get('/healthz')).status).toBe(200);
    });
    expect(world.control.status().paused).toEqual([]);
  },
  fuzzTimeout,
);

it(
  'the embedded service answers any multipart body in an envelope, and keeps nothing of one that it refuses',
  async () => {
    const trial = await startTrial({ requestsPerMinute: 1_000_000 });
    worlds.push(trial);
    const headers = { ...(await trial.headers()), 'Content-Type': 'multipart/form-data; boundary=edge' };
    const form = multipart('edge', [
      ['Content-Disposition: form-data; name="metadata"\r\nContent-Type: application/json', '{"title":"x"}'],
      [
        'Content-Disposition: form-data; name="file"; filename="a.pdf"\r\nContent-Type: application/pdf',
        'content',
      ],
      ['Content-Disposition: form-data; name="attachment0"; filename="b.pdf"', 'more'],
    ]);
    const metadata = metadataLike().map((content) =>
      multipart('edge', [
        ['Content-Disposition: form-data; name="metadata"', content.toString('latin1')],
        ['Content-Disposition: form-data; name="file"; filename="a.pdf"', 'content'],
      ]),
    );
    await explore(fc.oneof(mutated(form), metadata), async (body) => {
      const before = trial.service.documents().length;
      const answer = await sendRaw(`${trial.service.ingestUrl}${prefix}/upload-document`, { headers, body });
      const envelope = JSON.parse(answer.body) as { readonly error: object | null };
      expect(envelope.error === null).toBe(answer.status === 200);
      expect(answer.status).toBeLessThan(500);
      expect(trial.service.documents().length - before).toBe(answer.status === 200 ? 1 : 0);
    });
  },
  fuzzTimeout,
);
