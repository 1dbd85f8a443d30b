import { stringify } from 'yaml';

import { systemClock } from '../../../src/lib/time/clock.ts';
import { openLedger } from '../../../src/ledger/open-ledger.ts';
import type { LedgerPort } from '../../../src/model/ports/ledger-port.ts';
import { recordedLog } from '../recorded-log.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import type { TemporaryFolder } from '../temporary-folder.ts';
import { inProcess } from './in-process.ts';
import { ingestd } from './ingestd.ts';
import type { Ran } from './ingestd.ts';

/** A directory with a configuration that names the embedded service, and commands run in it, all but `run` in this process. */
export interface TrialFolder extends TemporaryFolder {
  readonly run: (...args: string[]) => Promise<Ran>;
  /** Opens its ledger, where no daemon has it. */
  readonly openLedger: () => Promise<LedgerPort>;
}

/** Sets it up with one folder, `inbox`, and what is given merged into the configuration. */
export async function trialFolder(more: Readonly<Record<string, unknown>> = {}): Promise<TrialFolder> {
  const folder = await temporaryFolder();
  const configuration = {
    service: { mode: 'embedded' },
    folders: [{ name: 'inbox', path: './inbox' }],
    state: { dir: './state' },
    http: { port: false },
    ...more,
    timing: { settleMs: 150, removeGraceMs: 400, ...(more['timing'] as object | undefined) },
  };
  await folder.write('ingestd.yaml', stringify(configuration));
  return {
    ...folder,
    // `run` starts threads and takes signals: it has a process of its own.
    run: (...args) => (args[0] === 'run' ? ingestd : inProcess)(args, { cwd: folder.path }),
    openLedger: () => openLedger({ dir: folder.join('state'), clock: systemClock, log: recordedLog() }),
  };
}
