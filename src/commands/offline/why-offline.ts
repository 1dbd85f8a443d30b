import type { Why } from '../../model/report/command-reports.ts';
import { silentLog } from '../../model/ports/log-port.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { Settings } from '../../model/settings.ts';
import { readLedger } from '../../ledger/read-ledger.ts';
import { otherService, otherServiceText } from '../../daemon/preconditions/whose-ledger.ts';
import { surveyFolders } from '../plan/make-plan.ts';
import { withFolder } from '../unwatched-folder.ts';
import { requirePath } from '../../daemon/control/resolve-path.ts';
import { describeFile } from '../../daemon/control/describe-file.ts';

/** `why` without a running daemon: the file as it stands, and what the ledger says. */
export async function whyOffline(
  { settings, log }: { readonly settings: Settings; readonly log: LogPort },
  path: string,
): Promise<Why> {
  const { ref, folder } = requirePath(settings.folders, path);
  // As `plan`, which waits for nothing that is missing.
  const timing = { ...settings.timing, removeGraceMs: 0 };
  return withFolder(folder, { settings: { ...settings, timing }, log: silentLog }, async (port) => {
    const ledger = await readLedger(settings.state.dir);
    const other = otherService(ledger, settings);
    const plan = async () =>
      other === null
        ? (await surveyFolders({ settings, log, makesFolders: true })).plan
        : { operations: [], unavailable: [], paused: [] };
    const story = await describeFile({
      ref,
      port,
      ledger,
      recent: [],
      ahead: { kind: 'plan', plan },
      nextAt: null,
    });
    return other === null ? story : { ...story, next: `nothing; ${otherServiceText(other)}` };
  });
}
