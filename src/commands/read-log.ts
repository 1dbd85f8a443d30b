import { join } from 'node:path';

import { logMatcher } from '../model/report/log-query.ts';
import type { LogFilter } from '../model/report/log-query.ts';
import type { Activity } from '../model/report/status.ts';
import { historyDirectory, listHistory, readHistoryFile } from '../daemon/history/history-files.ts';
import type { DocumentRef } from '../model/document.ts';

interface PlaceFilter extends Omit<LogFilter, 'search'> {
  /** A document, or a directory with all that is in it; null: everything. */
  readonly place: DocumentRef | null;
}

const pollMs = 500;

/**
 * What happened, oldest first, as the history in the state directory tells it; a daemon may be writing it. With
 * `isOver` also what happens from now on, until it says so.
 */
export async function* readLog(
  stateDir: string,
  filter: PlaceFilter,
  isOver: () => boolean = () => true,
): AsyncGenerator<Activity> {
  const directory = historyDirectory(stateDir);
  const matches = logMatcher({ ...filter, search: '' });
  const positions = new Map<string, number>();
  for (;;) {
    for (const { name, day } of await listHistory(directory)) {
      if (filter.since !== null && day < filter.since.slice(0, 10)) continue;
      const { lines, end } = await readHistoryFile(join(directory, name), positions.get(name));
      positions.set(name, end);
      for (const line of lines) {
        if (line.kind === 'activity' && matches(line.activity) && isIn(filter.place, line.activity))
          yield line.activity;
      }
    }
    if (isOver()) return;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

function isIn(place: DocumentRef | null, { folder, path }: Activity): boolean {
  if (place === null) return true;
  return (
    folder === place.folder && (place.path === '' || path === place.path || path.startsWith(`${place.path}/`))
  );
}
