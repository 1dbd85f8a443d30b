import { stringify } from 'yaml';

import { temporaryFolder } from '../temporary-folder.ts';
import type { TemporaryFolder } from '../temporary-folder.ts';
import { ingestd } from './ingestd.ts';
import type { Ran } from './ingestd.ts';

/** A directory with a configuration that names the embedded service, and the real program run in it. */
export interface TrialFolder extends TemporaryFolder {
  readonly run: (...args: string[]) => Promise<Ran>;
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
  };
  await folder.write('ingestd.yaml', stringify(configuration));
  return { ...folder, run: (...args) => ingestd(args, { cwd: folder.path }) };
}
