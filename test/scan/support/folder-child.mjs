// A folder in a process of its own: told what to do by messages, it answers each.
import { watch } from 'node:fs';

import { systemClock } from '../../../build/lib/time/clock.js';
import { openFolder } from '../../../build/scan/folder.js';

const { settings, timing, watcher, hogged } = JSON.parse(process.argv[2]);
const silence = () => {};
const log = { trace: silence, debug: silence, info: silence, warn: silence, error: silence };
const hogs = hogged.map((path) => watch(path, silence));
const scans = new Map();
const causes = new Set();
const polled = new Set();

const port = openFolder(settings, {
  settings: { timing, service: { maxFileMegabytes: 1 }, state: { dir: '/nonexistent' } },
  clock: systemClock,
  log,
  ...(watcher === undefined ? {} : { watcher }),
});

function documents() {
  const found = [];
  const visit = (directory) => {
    const scan = scans.get(directory);
    if (scan === undefined) return;
    const pathOf = (name) => (directory === '' ? name : `${directory}/${name}`);
    found.push(...scan.entries.map(({ name }) => pathOf(name)));
    for (const name of scan.subdirectories) visit(pathOf(name));
  };
  visit('');
  return found.toSorted((a, b) => (a < b ? -1 : 1));
}

const answers = {
  documents,
  count: () => documents().length,
  causes: () => [...causes],
  polled: () => [...polled],
  health: () => port.health(),
  inspect: ({ path }) => port.inspect(path),
  find: ({ files }) => port.find(files, -Infinity),
  rescan: () => port.rescan('rescan'),
  block: ({ ms }) => {
    process.send({ kind: 'blocked' });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  },
};

process.on('message', ({ id, kind, ...ask }) => {
  void Promise.resolve(answers[kind](ask)).then((answer) => process.send({ id, answer: answer ?? null }));
});
process.on('disconnect', () => {
  for (const hog of hogs) hog.close();
  void port.close().then(() => process.exit());
});

await port.start({
  directory: (scan) => {
    scans.set(scan.directory, scan);
    causes.add(scan.cause);
    if (scan.cause === 'poll') polled.add(scan.directory);
  },
  scanned: silence,
  changed: silence,
});
process.send({ kind: 'started' });
