import { credentialNames, secretVariables } from './secret-names.ts';
import { findSecret } from './read-secrets.ts';
import type { SecretSources } from './read-secrets.ts';

/** What was typed last, first: it is the most likely to be wrong. */
const likeliestFirst = credentialNames.toReversed();

/**
 * Where the five secrets come from, each where they have several places, and how a correction takes effect: for whom they
 * were refused. No value.
 * `pid`: of the daemon that asks; null: another process does.
 */
export async function correctionAdvice(sources: SecretSources, pid: number | null = null): Promise<string> {
  const places = new Map<string, string[]>();
  let isReadOnce = false;
  for (const name of likeliestFirst) {
    const variable = secretVariables[name];
    // One that cannot be read now is another message's matter.
    const found = await findSecret(variable, sources).catch(() => undefined);
    if (found === undefined) continue;
    isReadOnce ||= found.isReadOnce;
    places.set(found.place, [...(places.get(found.place) ?? []), variable]);
  }
  if (places.size === 0) return '';
  const listed = [...places].map(([place, variables]) => `${variables.join(', ')} from ${place}`);
  const [only = ''] = places.keys();
  const used = places.size === 1 ? `The credentials are from ${only}` : `It used ${listed.join('; ')}`;
  const reload = `kill -HUP ${pid ?? 'PID'}, or systemctl reload ingestd`;
  const then = isReadOnce
    ? 'restart ingestd if it is running (systemctl restart ingestd), which reads them only when it starts'
    : pid === null
      ? `reload ingestd if it is running (${reload})`
      : `run ${reload}`;
  return `${used}: correct what is wrong there, then ${then}`;
}
