// Part of `npm run mutate`: has a thread write which mutants it reaches.
import { accessSync, constants, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const { MUTATION_RUN, __STRYKER_ACTIVE_MUTANT__: active } = process.env;

if (MUTATION_RUN !== undefined && active === undefined && isWritable(MUTATION_RUN)) {
  // Opened once: a test may go on as another user, who may not open it.
  const file = openSync(join(MUTATION_RUN, `threads-${process.pid}`), 'a');
  const reached = new Proxy(
    {},
    {
      set: (known, id, count) => {
        if (!(id in known)) writeSync(file, `${String(id)}\n`);
        known[id] = count;
        return true;
      },
    },
  );
  globalThis['__stryker__'] = { mutantCoverage: { static: reached, perTest: {} } };
}

/** Not for a process that a test starts as another user. */
function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
