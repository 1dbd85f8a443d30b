import { open } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { bringsToken, tokenChallenge } from '../../lib/server/brings-token.ts';
import { isLoopbackAddress, isLoopbackHost } from '../../lib/server/host.ts';
import { isOwnPeer } from '../../lib/server/is-own-peer.ts';
import { filesOf } from '../documents/document-store.ts';
import type { DocumentStore, DocumentRecord } from '../documents/document-store.ts';
import { RefusalError } from '../http/answers.ts';
import { createHash } from 'node:crypto';
import { countWords, sizeWords } from '../../lib/text/amounts.ts';
import { excerpt } from '../../lib/text/printable.ts';
import { modeOf } from '../../model/metadata/metadata.ts';
import { audienceWords } from '../../model/report/activity-words.ts';

/** The page of the service and its downloads: not part of the interface, not counted. */
export function addPageRoutes(app: FastifyInstance, store: DocumentStore, token: string | null): void {
  app.addHook('onRequest', async ({ raw }) => letIn(raw, token));
  app.addHook('onSend', async (_request, reply) => {
    reply.headers({
      'Content-Security-Policy': pagePolicy,
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-store',
    });
  });

  app.get('/', async (_request, reply) =>
    reply.type('text/html; charset=utf-8').send(pageHtml(store.list())),
  );
  app.get<{ Params: Record<'docId' | 'place', string> }>(
    '/documents/:docId/:place',
    async ({ params: { docId, place } }, reply) => {
      const file = filesOf(store.get(docId))[Number(place)];
      if (file === undefined) throw new RefusalError(404, 'no such document');
      // Opened before the answer begins, so that a file that has just gone is an error and not half an answer.
      const content = await open(store.pathOf(file));
      const name = encodeURIComponent(file.name).replaceAll("'", '%27');
      // Always as a download: what somebody stored must not run as a page of this address.
      return reply
        .type('application/octet-stream')
        .header('Content-Length', String(file.size))
        .header('Content-Disposition', `attachment; filename*=UTF-8''${name}`)
        .send(content.createReadStream());
    },
  );
}

/**
 * Keeps the page, and the content of every document with it, to those who may see the status page: with a token whoever
 * brings it; without one only the user that runs the service, and root, on this machine and under a name of this machine.
 * Throws RefusalError 401, 403.
 */
async function letIn({ headers, socket }: IncomingMessage, token: string | null): Promise<void> {
  if (token !== null) {
    if (bringsToken(headers, token)) return;
    const message = 'this page asks for its token (INGESTD_HTTP_TOKEN) as the password, under any user name';
    throw new RefusalError(401, message, { headers: { 'WWW-Authenticate': tokenChallenge } });
  }
  const name = (headers.host ?? '').replace(/:\d*$/, '');
  if (!isLoopbackHost(name) || !isLoopbackAddress(socket.remoteAddress ?? '')) {
    throw new RefusalError(403, 'this page answers only to its own machine, under its own address');
  }
  if (await isOwnPeer(socket)) return;
  throw new RefusalError(
    403,
    'only the user that runs the service may see this page; log in as that user, or set INGESTD_HTTP_TOKEN',
  );
}

/** Most documents on the page, and characters of one value. */
const maxShown = 200;
const maxCharacters = 500;

const style = `
:root { color-scheme: light dark; }
body { margin: 2rem auto; padding: 0 1rem; max-width: 60rem; font: 16px/1.5 system-ui, sans-serif; }
ol { list-style: none; padding: 0; }
li { border-top: 1px solid #8886; padding: .5rem 0; overflow-wrap: anywhere; }
summary { cursor: pointer; }
dl { display: grid; grid-template-columns: 8rem minmax(0, 1fr); gap: .25rem 1rem; }
dd { margin: 0; }
`;

/** What the page may load: the style that stands in it, and nothing else. */
const pagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page: the documents, the latest changed first, and how many there are in all. */
function pageHtml(records: readonly DocumentRecord[]): string {
  const total = sizeWords(records.flatMap(filesOf).reduce((sum, { size }) => sum + size, 0));
  const latest = records.toSorted((a, b) => changedAt(b).localeCompare(changedAt(a))).slice(0, maxShown);
  const items = latest.map((record) => `<li>${documentHtml(record)}</li>`);
  const rest = records.length > maxShown ? `; these are the ${maxShown} that changed last` : '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Embedded service</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${countWords(records.length, 'document')} at the embedded service</h1>
<p>What has arrived at the service, for trials and tests: ${total}${rest}.
<a href="/">Look again</a></p>
<ol>
${items.join('\n')}
</ol>
</main>
</body>
</html>
`;
}

function changedAt({ modifiedAt, uploadedAt }: DocumentRecord): string {
  return modifiedAt ?? uploadedAt;
}

function documentHtml(record: DocumentRecord): string {
  const { docId, file, metadata } = record;
  const rows: readonly (readonly [string, string | null | undefined])[] = [
    ['Title', metadata.title],
    ['Sharing', `${audienceWords(modeOf(metadata))} (${modeOf(metadata)})`],
    ['Owner', record.owner],
    ['Authors', listed(metadata.docAuthors)],
    ['Companies', listed(metadata.companies)],
    ['Tags', listed(metadata.customTags)],
    ['Created', metadata.createdTimestamp],
    ['Source type', metadata.sourceType],
    ['Document URL', metadata.documentUrl],
    ['Uploaded', record.uploadedAt],
    ['Modified', record.modifiedAt],
    ['Document ID', docId],
    ['SHA-256', file.sha256],
  ];
  const facts = rows.map(([name, value]) => (value ? `<dt>${name}</dt><dd>${escaped(value)}</dd>` : ''));
  const links = filesOf(record).map(
    ({ name, size }, place) =>
      `<a href="/documents/${docId}/${place}">${escaped(name)}</a>, ${sizeWords(size)}`,
  );
  return `<details><summary>${escaped(file.name)}</summary><dl>${facts.join('')}<dt>Download</dt><dd>${links.join('<br>')}</dd></dl></details>`;
}

/** `ACME (NAME, PRIMARY), Example`: the first field of each element names it. */
function listed(elements: readonly object[] = []): string {
  const words = elements.map((element) => {
    const [named, ...notes] = Object.values(element) as readonly string[];
    return notes.length === 0 ? named : `${named} (${notes.join(', ')})`;
  });
  return words.join(', ');
}

/** Text as markup may hold it: what comes from a document is never markup, and acts on no terminal. */
function escaped(text: string): string {
  return excerpt(text, maxCharacters).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
