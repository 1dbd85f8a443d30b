import { readFile } from 'node:fs/promises';
import { basename, dirname, extname } from 'node:path';

import { watch } from 'chokidar';

import { tokenOf } from './world.mjs';

const types = new Set(
  'pdf html htm txt doc docx xls xlsx ppt pptx msg eml csv xlsb xlsm one tsv ods'.split(' '),
);

/**
 * The client that one writes first, as a measure: each event of chokidar is one call. add: upload, change: modify,
 * unlink: delete, a sidecar: a modify of every document that it is for. No limiter. `docIds` (path to docId) is
 * what it remembers from its last life; what it finds at its start and knows already it sends again.
 */
export async function startOneCallClient({ service, directories, docIds = new Map() }) {
  const headers = {
    Authorization: `Bearer ${await tokenOf(service)}`,
    ClientId: service.credentials.clientId,
  };
  const base = `${service.ingestUrl}/services/i/ingestion-api/v1`;
  let line = Promise.resolve();
  let waiting = 0;
  let lastAt = performance.now();

  async function put(path) {
    const docId = docIds.get(path);
    const body = new FormData();
    const bytes = await readFile(path);
    body.append('metadata', JSON.stringify({ title: basename(path, extname(path)) }));
    body.append('file', new Blob([bytes]), basename(path));
    const [method, where] =
      docId === undefined ? ['POST', 'upload-document'] : ['PUT', `modify-document/${docId}`];
    const answer = await fetch(`${base}/${where}`, { method, headers, body });
    const { success } = await answer.json();
    if (answer.ok && success?.docId) docIds.set(path, success.docId);
  }

  async function remove(path) {
    const docId = docIds.get(path);
    if (docId === undefined) return;
    docIds.delete(path);
    await (await fetch(`${base}/delete-document/${docId}`, { method: 'DELETE', headers })).text();
  }

  async function describe(sidecar) {
    const metadata = await readFile(sidecar, 'utf8');
    for (const [path, docId] of docIds) {
      if (!path.startsWith(`${dirname(sidecar)}/`)) continue;
      const body = new FormData();
      body.append('metadata', metadata);
      await (await fetch(`${base}/modify-document/${docId}`, { method: 'PUT', headers, body })).text();
    }
  }

  function react(act, path) {
    const name = basename(path);
    lastAt = performance.now();
    const isSidecar = name.endsWith('.meta.json');
    const isDocument = types.has(extname(name).slice(1).toLowerCase()) && !name.startsWith('.');
    if (!isSidecar && !isDocument) return;
    waiting += 1;
    const job = isSidecar ? describe : act;
    line = line
      .then(() => job(path))
      .catch(() => undefined)
      .finally(() => {
        waiting -= 1;
        lastAt = performance.now();
      });
  }

  const watcher = watch(directories, { ignored: (path) => basename(path) === '.git' });
  watcher.on('add', (path) => react(put, path));
  watcher.on('change', (path) => react(put, path));
  watcher.on('unlink', (path) => react(remove, path));
  watcher.on('error', () => undefined);
  await new Promise((resolve) => {
    watcher.once('ready', resolve);
  });

  return {
    docIds,
    /** Nothing to send, and nothing rang for so long. */
    isQuiet: (ms) => waiting === 0 && performance.now() - lastAt > ms,
    stop: () => watcher.close(),
  };
}
