import type { Outcome } from '../../../src/model/ports/service-port.ts';
import type { EngineWorld } from '../../support/worlds/engine-world.ts';
import type { SimulatedSource } from '../../support/worlds/simulated-folder.ts';
import type { OutgoingRequest } from '../../support/worlds/simulated-service.ts';

/** What becomes of a request that the service does not take, by what is seen of it. */
export const answers = {
  500: unavailable('http-500', 'all'),
  503: unavailable('http-503', 'all'),
  507: unavailable('http-507', 'part'),
  502: unknown('http-502'),
  408: unknown('http-408'),
  reset: unavailable('econnreset', 'part'),
  timeout: unknown('response-timeout'),
} as const;

function unavailable(code: string, sent: 'part' | 'all'): Outcome {
  return { kind: 'unavailable', code, message: `it said ${code}`, retryAfterMs: null, sent };
}

function unknown(code: string): Outcome {
  return { kind: 'unknown', code, message: `it said ${code}` };
}

/** Paths of the documents that a request is about. */
export function pathsOf(world: EngineWorld, { sources, docIds }: OutgoingRequest): readonly string[] {
  const [file] = sources as readonly SimulatedSource[];
  if (file !== undefined) return [file.path];
  return docIds.map((docId) => world.ledger().findByDocId(docId)?.path ?? '');
}
