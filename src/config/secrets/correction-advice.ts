import { credentialNames, secretVariables } from './secret-names.ts';
import { findSecret } from './read-secrets.ts';
import type { SecretSources } from './read-secrets.ts';

/**
 * Where to correct the five secrets, each where they have several places, and how that takes effect: for whom they were
 * refused. No value. `pid`: of the daemon; null: none runs.
 */
export async function correctionAdvice(sources: SecretSources, pid: number | null): Promise<string> {
  const places = new Map<string, string[]>();
  let isReadOnce = false;
  // What was typed last, first: it is the most likely to be wrong.
  for (const name of credentialNames.toReversed()) {
    const variable = secretVariables[name];
    // One that cannot be read now is another message's matter.
    const found = await findSecret(variable, sources).catch(() => undefined);
    if (found === undefined) continue;
    isReadOnce ||= found.isReadOnce;
    places.set(found.place, [...(places.get(found.place) ?? []), variable]);
  }
  if (places.size === 0) return '';
  const listed = [...places].map(([place, variables]) => `${variables.join(', ')} in ${place}`);
  const [first = ''] = places.keys();
  const isOneFile = places.size === 1 && first.startsWith('/');
  const where = isOneFile ? `Edit ${first}` : `Correct ${listed.join('; ')}`;
  const reload = isReadOnce
    ? 'restart ingestd, which reads them only when it starts'
    : `run kill -HUP ${pid}`;
  return `${where}, then ${pid === null ? 'try again' : reload}`;
}
