// A minute of twelve seconds: before a program is started with `node --import`, its fleet's times become shorter, in
// proportion. What a clock or a busy machine needs stays longer.
import { fleetTimes } from '../../../build/cluster/fleet-times.js';

export const windowMs = 12_000;

const scale = (ms) => Math.ceil((ms * windowMs) / 60_000);

/** Of simulated hosts, and of real ones that import this module. */
export const times = {
  ...fleetTimes,
  windowMs,
  // Three seconds without the processor are usual where twenty processes share two cores.
  lifeMs: 5_000,
  beatMs: 1_500,
  // Two hundred hosts in one process, or twenty processes on two cores, wait for each other.
  validMs: 2_000,
  marginMs: 50,
  lease: {
    lifeMs: 5_000,
    beatMs: 1_000,
    watchMs: 500,
    marginMs: 50,
    failoverMs: scale(fleetTimes.lease.failoverMs),
  },
};

Object.assign(fleetTimes, times);
