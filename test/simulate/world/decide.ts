import { errorCode } from '../../../src/model/errors.ts';
import type { DecisionPort } from '../../../src/model/ports/control-port.ts';
import type { Simulation } from './simulation.ts';

/** What a person tells ingestd about some documents. A daemon that does not run takes no word. */
function decide(simulation: Simulation, act: (decisions: DecisionPort) => Promise<void>): void {
  const { daemon, scheduler } = simulation;
  if (daemon === null) return;
  scheduler.later(0, () => {
    act(daemon.control.decisions('command line')).catch((error: unknown) =>
      simulation.note(`  refused: ${(error as Error).message}`),
    );
  });
}

/** The documents whose deletions are held stay at the service. */
export function keep(simulation: Simulation): void {
  const { judge, scheduler } = simulation;
  decide(simulation, async ({ keep: ask }) => {
    // A process that is killed then may have written it down.
    const takeBack = judge.keeps();
    try {
      const { kept } = await ask({ place: null });
      takeBack(kept, scheduler.now());
    } catch (error) {
      // One that stops meanwhile may have written it down.
      if (errorCode(error) !== 'stopped') takeBack(0, scheduler.now());
      throw error;
    }
  });
}

/** Whatever is held more narrowly than is stated now goes out as it is stated: all that is named. */
export function share(simulation: Simulation): void {
  const { judge, folders } = simulation;
  const paths = folders.map(({ name }) => name);
  decide(simulation, async ({ share: ask }) => {
    const { documents } = await ask({ paths });
    judge.shares(documents);
    await ask({ paths, shown: documents });
  });
}

/** Ends the doubt that the status lists first. For `adopt` and `again` the person has looked at the service. */
export function resolve(simulation: Simulation, how: 'again' | 'dismiss' | 'adopt'): void {
  const { judge, scheduler, daemon } = simulation;
  const [doubt] = daemon?.control.status().inDoubt ?? [];
  if (doubt === undefined) return;
  const path = `${doubt.folder}/${doubt.path}`;
  decide(simulation, async ({ resolve: ask, retry }) => {
    if (how === 'again') {
      const ends = judge.sendsAgain(path);
      const isThere = judge.held.alive().some(({ answer }) => answer !== 'usable');
      const asked = isThere ? retry({ paths: [path] }) : ask({ path, action: 'again' });
      await asked.catch((error: unknown) => {
        ends(false);
        throw error;
      });
      ends(true);
    } else if (how === 'dismiss') {
      const ends = judge.dismisses(path, scheduler.now());
      await ask({ path, action: 'dismiss' }).catch((error: unknown) => {
        ends(false, scheduler.now());
        throw error;
      });
      ends(true, scheduler.now());
    } else {
      const docId = judge.unknownAt(path);
      if (docId === null) return;
      await ask({ path, action: 'adopt', docId });
      judge.adopts(docId, path);
    }
  });
}
