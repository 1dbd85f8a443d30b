import { errorMessage } from '../../model/errors.ts';
import type { FolderPort } from '../../model/ports/folder-port.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { Reason } from '../../model/report/status.ts';

/** What may be in the way of a folder. */
interface Guard {
  /** Why nothing is found in it, as far as is known; null: it is free. */
  readonly reason: () => Reason | null;
  /** The same after another look. */
  readonly look: () => Promise<Reason | null>;
  /** Calls it when the folder may have become free. */
  readonly listen: (freed: () => void) => void;
}

/** A folder of which nothing is found while something is in the way: it is unavailable, and begins when that has ended. */
export function guardFolder<T extends FolderPort>(port: T, { reason, look, listen }: Guard, log: LogPort): T {
  let isStarted = false;
  return {
    ...port,
    start: async (listener) => {
      const begin = async () => {
        if (reason() !== null) return;
        if (isStarted) return port.rescan('rescan');
        isStarted = true;
        await port.start(listener);
      };
      listen(() => {
        begin().catch((error: unknown) =>
          log.error({ folder: port.name, error: errorMessage(error) }, 'folder could not be started'),
        );
      });
      await begin();
    },
    rescan: async (cause) => (isStarted ? port.rescan(cause) : undefined),
    inspect: async (path, sentWith) => {
      const found = await look();
      return found === null ? port.inspect(path, sentWith) : { kind: 'unknown', ...found };
    },
    // What no scan of it has seen says nothing of what is attached.
    attaches: async (question) => (reason() === null ? port.attaches(question) : 'unclear'),
    find: async (files) => {
      const found = await look();
      // Whatever is in it is found in another folder, or by another host.
      if (reason() !== null) return { files: [], unreadable: [], unlisted: [] };
      return found === null ? port.find(files) : null;
    },
    health: () => {
      const found = reason();
      return found === null ? port.health() : { ...port.health(), state: 'unavailable', reasons: [found] };
    },
  };
}
