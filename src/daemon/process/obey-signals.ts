import { once } from 'node:events';

import type { Log } from '../../log/create-log.ts';
import { errorMessage } from '../../model/errors.ts';
import type { Credentials, Settings } from '../../model/settings.ts';
import { requireSameState } from '../preconditions/whose-state.ts';
import type { ServiceNotify } from './service-notify.ts';
import type { Signals } from './signals.ts';

/** What SIGHUP reads again. */
export interface Reloaded {
  readonly settings: Settings;
  /** Of what the configuration said. */
  readonly digest: string;
  /** Null in embedded mode. */
  readonly credentials: Credentials | null;
  /** Asked for by the pages, the embedded service's too; null: they are for the user that runs the daemon. */
  readonly httpToken: string | null;
  /** Where notifications go, a secret; null: nowhere. */
  readonly notifyWebhook: string | null;
  /** Reads the credentials again from where they came from, for each token. */
  readonly readCredentials: () => Promise<Credentials | null>;
  /** Where the credentials come from and how to correct them, in words. */
  readonly credentialsAdvice: () => Promise<string>;
  /** True for the trial configuration that ships with ingestd: folders that were never there are made. */
  readonly makesFolders: boolean;
}

/** What signals act on. */
interface SignalTarget {
  /** Says why the configuration on disk is not the one that runs; null: it is. */
  readonly refuseConfiguration: (message: string | null) => void;
  /** Scans everything, tries credentials again. */
  readonly refresh: () => Promise<void>;
  /** Takes no more work; resolves when the requests under way have ended. */
  readonly drain: () => Promise<void>;
}

const unusable = 'the new configuration is invalid; the previous one stays in effect';

/** Obeys signals until one stops the process (null), or another configuration is to be run; `over` ends it too. */
export async function obeySignals(
  { refuseConfiguration: refuse, refresh, drain }: SignalTarget,
  current: Reloaded,
  options: {
    readonly signals: Signals;
    readonly notify: ServiceNotify;
    readonly log: Log;
    /** Reads the configuration again. Throws ConfigurationError. */
    readonly reload: () => Promise<Reloaded>;
    readonly over: AbortSignal;
  },
): Promise<Reloaded | null> {
  const { signals, notify, log, reload, over } = options;
  for (;;) {
    const signal = await signals.next(over);
    if (signal !== 'SIGHUP') {
      // Only here: after a reload the process goes on, and a service manager would end what says that it stops.
      notify.stopping();
      return null;
    }
    notify.reloading();
    const fresh = await reload()
      .then((read) => {
        requireSameState(read.settings, { ...current.settings.state, pid: process.pid });
        return read;
      })
      .catch((error: unknown) => {
        refuse(refusalOf(error, log));
        return null;
      });
    const isChanged = fresh !== null && JSON.stringify(fresh) !== JSON.stringify(current);
    if (isChanged && !over.aborted) {
      log.info({}, 'configuration changed; it takes effect when requests under way have ended');
      if (await isStoppedWhile(drain(), { signals, over })) {
        notify.stopping();
        return null;
      }
    }
    if (over.aborted) {
      signals.giveBack(signal);
      return new Promise(() => {});
    }
    if (isChanged) return fresh;
    if (fresh !== null) {
      refuse(null);
      log.info({}, 'configuration unchanged; rescanning all folders and signing in again');
      await refresh().catch((error: unknown) => log.error({ error: errorMessage(error) }, 'rescan failed'));
    }
    notify.ready();
  }
}

/** Logs why a new configuration is not run, and gives it. */
export function refusalOf(error: unknown, log: Log): string {
  const message = errorMessage(error);
  log.error({ error: message }, unusable);
  return message;
}

/**
 * Waits until requests under way have ended, because what is cut may be sent twice, or until `over` is aborted. True: a
 * signal to stop came before.
 */
async function isStoppedWhile(
  drained: Promise<void>,
  { signals, over }: { readonly signals: Signals; readonly over: AbortSignal },
): Promise<boolean> {
  const waited = new AbortController();
  const ended = Promise.race([drained, once(over, 'abort')]).then(() => null);
  let isAskedAgain = false;
  try {
    for (;;) {
      const signal = await Promise.race([ended, signals.next(waited.signal)]);
      if (signal !== 'SIGHUP') return signal !== null;
      isAskedAgain = true;
    }
  } finally {
    waited.abort();
    if (isAskedAgain) signals.giveBack('SIGHUP');
  }
}
