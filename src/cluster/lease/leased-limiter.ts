import { PermitLostError } from '../../model/errors.ts';
import type { LimiterPort, Permit, PermitGuard } from '../../model/ports/service-port.ts';
import type { Lease } from './lease.ts';

/** A limiter whose permits count as long as this host has the lease of its state directory, and no longer. */
export function leasedLimiter(limiter: LimiterPort, lease: Lease): LimiterPort {
  return {
    take: async (options) => leasedPermit(await limiter.take(options), lease),
    ...(limiter.demand === undefined ? {} : { demand: (demand) => limiter.demand?.(demand) }),
    pause: (ms) => limiter.pause(ms),
    status: () => limiter.status(),
    waitMs: (requests) => limiter.waitMs(requests),
    close: () => limiter.close(),
  };
}

function leasedPermit(permit: Permit, lease: Lease): Permit {
  const { guard } = permit;
  const both: PermitGuard = {
    confirm: async () => {
      // Nothing went out: the request is tried again, by whoever has the lease then.
      await lease.confirm().catch(() => {
        throw new PermitLostError();
      });
      await guard?.confirm();
    },
    mayBegin: () => lease.holds() && guard?.mayBegin() !== false,
    mayGoOn: () => lease.holds() && guard?.mayGoOn() !== false,
    signal: guard === undefined ? lease.signal : AbortSignal.any([lease.signal, guard.signal]),
    get lapsed() {
      return lease.lapsed;
    },
  };
  return { ...permit, guard: both };
}
