import { readEventQueueLength } from '../../lib/watch-limit.ts';
import { errorMessage } from '../../model/errors.ts';
import { createGround } from '../ground.ts';
import { locateOnDisk } from '../walk/locate-on-disk.ts';
import type { Looker } from '../inspect.ts';
import { readRoot } from '../walk/root-identity.ts';
import type { FromWorker, Question, Questions, ToWorker, WorkerPlan } from './protocol.ts';
import { createSweepStation } from '../walk/scan-station.ts';
import { createWatchPost } from '../watch/watch-set.ts';

/** Rings of one save come together; each directory is told of once. */
const gatherMs = 5;
/** So many batches may be on their way, 12 MB at the most: 100,000 documents are swept while the ledger is read. */
const batchesAhead = 80;

/** Tells the main thread; buffers that are given along move there. */
export type Tell = (message: FromWorker, transfer?: readonly ArrayBuffer[]) => void;

/** Sweeps and watches one folder as its plan says; gives what takes the messages that come after the plan. */
export function servePlan(
  plan: WorkerPlan,
  tell: Tell,
): (message: Exclude<ToWorker, { readonly kind: 'plan' }>) => void {
  const ground = createGround(plan);
  const rings = new Set<string>();
  let ringTimer: NodeJS.Timeout | null = null;
  let ringsAtOnce = 0;
  let batchesUnderWay = 0;
  let makeRoom = () => {};

  const post = createWatchPost(ground, { ring, lost });
  const station = createSweepStation(ground, {
    post,
    player: plan.player,
    send: async (sweeps) => {
      tell(
        { kind: 'batch', sweeps },
        sweeps.map(({ stamps }) => stamps.buffer as ArrayBuffer),
      );
      batchesUnderWay += 1;
      if (batchesUnderWay >= batchesAhead) await new Promise<void>((resolve) => (makeRoom = resolve));
    },
  });
  const floodRings = readEventQueueLength() / 2;
  let looker: Promise<Looker> | null = null;

  async function answer(question: Question): Promise<Questions[keyof Questions]['answer']> {
    switch (question.kind) {
      case 'sweep': {
        const outcome = await station.sweep(question.ask);
        void loadLooker();
        return outcome;
      }
      case 'look':
        return (await loadLooker())(question.ask.path);
      case 'locate':
        return locateOnDisk(ground, question.ask.path);
      case 'root':
        return readRoot(ground.root);
      default:
        return question satisfies never;
    }
  }

  /**
   * Its schemas are not needed to begin sweeping. A module that could not be loaded once never can be in this thread:
   * then it ends, and another begins anew.
   */
  function loadLooker(): Promise<Looker> {
    looker ??= import('../inspect.ts')
      .then(({ createLooker }) => createLooker(ground, station.sweptRoot))
      .catch((error: unknown) => {
        setImmediate(() => {
          throw error;
        });
        throw error;
      });
    return looker;
  }

  function ring(directory: string): void {
    ringsAtOnce += 1;
    if (ringsAtOnce === 1) setImmediate(judgeFlood);
    rings.add(directory);
    ringTimer ??= setTimeout(tellRings, gatherMs);
  }

  /**
   * The kernel's queue overflows without a word to us. A queue that was emptied at one go and held half of what it can
   * may have overflowed.
   */
  function judgeFlood(): void {
    const flood = ringsAtOnce >= floodRings;
    ringsAtOnce = 0;
    if (flood)
      lost({ code: 'queue-overflow', message: 'more changed at once than the system may have told of' });
  }

  function tellRings(): void {
    ringTimer = null;
    tell({ kind: 'rings', directories: [...rings] });
    rings.clear();
  }

  function lost({ code, message }: { readonly code: string; readonly message: string }): void {
    station.noteLost(code);
    tell({ kind: 'lost', code, message });
  }

  return (message) => {
    if (message.kind === 'taken') {
      batchesUnderWay -= 1;
      makeRoom();
      return;
    }
    const { id } = message;
    ground.observations.moment(message.moment);
    void answer(message).then(
      (value) => tell({ kind: 'answer', id, answer: value }),
      (error: unknown) => tell({ kind: 'failed', id, message: errorMessage(error) }),
    );
  };
}
