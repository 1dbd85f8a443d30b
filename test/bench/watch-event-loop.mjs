// Loaded before the program (node --import …/watch-event-loop.mjs?FILE): watches the main thread's event loop and
// writes what it saw to FILE when the process ends. SIGUSR2 writes it at once and begins again.
import { readFileSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolution = 5;
const worthTelling = 20;
const to = decodeURIComponent(new URL(import.meta.url).search.slice(1));
const histogram = monitorEventLoopDelay({ resolution });
let stalls = [];
let ran = mainThread();
let at = performance.now();

/** Milliseconds the main thread has had a processor for, and has waited for one. */
function mainThread() {
  try {
    const [running, waiting] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ');
    return { running: Number(running) / 1e6, waiting: Number(waiting) / 1e6 };
  } catch {
    return { running: 0, waiting: 0 };
  }
}

function tick() {
  const now = performance.now();
  const then = mainThread();
  const wall = now - at - resolution;
  // A processor that others had is no fault of the program.
  const own = Math.min(wall, wall - (then.waiting - ran.waiting));
  if (wall > worthTelling) stalls.push({ at: Math.round(now), wall, own, cpu: then.running - ran.running });
  at = now;
  ran = then;
}

function tell() {
  tick();
  const max = histogram.max / 1e6 - resolution;
  writeFileSync(to, JSON.stringify({ max, p99: histogram.percentile(99) / 1e6 - resolution, stalls }));
  histogram.reset();
  stalls = [];
}

histogram.enable();
setInterval(tick, resolution).unref();
process.on('exit', tell);
process.on('SIGUSR2', tell);
