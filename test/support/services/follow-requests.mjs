import { subscribe, unsubscribe } from 'node:diagnostics_channel';

const started = 'http.server.request.start';
const operations = [
  [/^\/auth$/, 'auth'],
  [/^\/auth\/token\/revoke$/, 'revoke'],
  [/\/upload-document$/, 'upload'],
  [/\/modify-document\//, 'modify'],
  [/\/delete-document\//, 'delete'],
  [/\/bulk\/modify\/metadata$/, 'bulk-modify'],
  [/\/bulk\/delete$/, 'bulk-delete'],
];

/**
 * Notes each request to an operation that reaches this process at the address, when it came and how it was answered.
 */
export function followRequests(address, now = () => performance.now()) {
  const { port } = new URL(address);
  const entries = [];
  const note = ({ request, response, socket }) => {
    const [path] = request.url.split('?');
    const operation = operations.find(([form]) => form.test(path))?.[1];
    if (String(socket.localPort) !== port || operation === undefined) return;
    const entry = { operation, atMs: now(), status: null };
    entries.push(entry);
    response.once('finish', () => (entry.status = response.statusCode));
  };
  subscribe(started, note);
  return { requestLog: () => [...entries], stop: () => unsubscribe(started, note) };
}
