// Part of `npm run mutate`: has a thread write which mutants it reaches.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

const { MUTATION_RUN, __STRYKER_ACTIVE_MUTANT__: active } = process.env;

if (MUTATION_RUN !== undefined && active === undefined) {
  const reached = new Proxy(
    {},
    {
      set: (known, id, count) => {
        if (!(id in known)) appendFileSync(join(MUTATION_RUN, `threads-${process.pid}`), `${String(id)}\n`);
        known[id] = count;
        return true;
      },
    },
  );
  globalThis['__stryker__'] = { mutantCoverage: { static: reached, perTest: {} } };
}
