import { refKey } from '../model/document.ts';
import type { Change } from '../model/ports/ledger-port.ts';
import type { Parts } from './parts.ts';

/** So many are named in the log; `status` names them all. */
const mostNamed = 20;

/** Uploads that were under way when the process died are in doubt: nobody knows whether the service took them. */
export async function recoverUploads({ ledger, log, safety, commit }: Parts): Promise<void> {
  const intents = ledger.intents();
  if (intents.length === 0) return;
  const message = 'ingestd stopped before the answer to an upload came';
  const holds = safety.inDoubt === 'hold';
  await commit(
    intents.flatMap(({ id, ref, at }): readonly Change[] => [
      { kind: 'doubt', doubt: { id, ref, count: 1, since: at, message, holds } },
      { kind: 'resolve', id },
    ]),
  );
  const paths = [...new Set(intents.map(({ ref }) => refKey(ref)))];
  const told = { documents: paths.length, paths: paths.slice(0, mostNamed) };
  log.warn(told, 'uploads in doubt: the process ended before their answers came');
}
