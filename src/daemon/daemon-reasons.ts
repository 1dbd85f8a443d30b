import { sentences } from '../lib/text/sentences.ts';
import { elsewhereCodes } from '../model/errors.ts';
import type { FolderPort } from '../model/ports/folder-port.ts';
import { reasonHealth } from '../model/report/health.ts';
import type { Reason } from '../model/report/status.ts';
import type { TokenSource } from '../remote/auth/token-source.ts';
import type { Engine } from '../sync/engine.ts';
import { withMet, withoutRepeats } from './make-status.ts';
import type { Place } from './process/join-cluster.ts';

interface ReasonSources {
  readonly engine: Engine;
  readonly folders: readonly FolderPort[];
  readonly tokens: TokenSource;
  readonly isSignInFailing: () => boolean;
  /** Null: this host is alone. */
  readonly place: Place | null;
  readonly onChange: () => void;
}

/** What the daemon itself has to say, beside what the engine and the folders say. */
export function createDaemonReasons(sources: ReasonSources) {
  const { engine, folders, tokens, isSignInFailing, place, onChange } = sources;
  /** By their codes. They keep nobody from being ready. */
  const notices = new Map<string, Reason>();
  const ofFleet = () => place?.reasons() ?? [];

  function ofTokens(): readonly Reason[] {
    const tokenless = tokens.reason();
    // Where nobody needs a token and nobody asks for one, what the last attempt found may be over, but for a refusal.
    const isRefused = tokens.status().state === 'refused';
    const isKnown = isRefused || tokens.backOffMs() > 0 || isSignInFailing() || !engine.isIdle();
    return tokenless === null || !isKnown ? [] : [tokenless];
  }

  return {
    /** Says something from now on; null: no more. */
    note: (code: string, reason: Reason | null): void => {
      if (reason === null) notices.delete(code);
      else notices.set(code, reason);
      onChange();
    },
    /** Of the daemon itself, and what other hosts keep it from. */
    own: (): readonly Reason[] => [...notices.values(), ...ofTokens(), ...ofFleet()],
    /** What has to end before the daemon can do all of its work. */
    unready: (): readonly Reason[] => {
      // An outage of the service, a login page in between, or its request to wait takes nothing from credentials that it
      // has accepted.
      const isOfService = (code: string) =>
        code === 'service-unavailable' || elsewhereCodes.has(code) || reasonHealth(code) !== 'error';
      const isAccepted = tokens.status().state === 'ok';
      const known = withMet(ofTokens(), engine.reasons());
      const reasons = known.filter(({ code }) => !isAccepted || !isOfService(code));
      // What keeps every host from sending, and passes by itself, is none.
      reasons.push(...ofFleet().filter(({ code }) => reasonHealth(code) === 'error'));
      for (const port of folders) {
        const health = port.health();
        if (health.state === 'unavailable')
          reasons.push(...health.reasons.map((reason) => ({ ...reason, folder: port.name })));
        if (health.state === 'scanning')
          reasons.push({ code: 'folder-scanning', message: `the folder ${port.name} is being scanned` });
      }
      if (tokens.status().state === 'none') {
        reasons.push({ code: 'not-signed-in', message: 'the credentials have not been accepted yet' });
      }
      return withoutRepeats(reasons);
    },
  };
}

/** Said from a SIGHUP with a changed configuration on, until the daemon that has it takes over. */
export const draining: Reason = {
  code: 'reloading',
  message: 'the configuration has changed; it takes effect when the requests under way have ended',
};

/** The file is read at a SIGHUP only: a fix, or the old text put back, counts from the next one. */
export function refusedReason(refusal: string): Reason {
  // One a line; what a fault shows as an example is indented.
  const faults = refusal.split(/\n(?=\S)/).map((fault) => fault.replaceAll(/\n\s+/g, ' '));
  const advice = `The previous configuration stays in effect. Correct the file, then run kill -HUP ${process.pid}`;
  return { code: 'configuration-refused', message: sentences([...faults, advice]) };
}
