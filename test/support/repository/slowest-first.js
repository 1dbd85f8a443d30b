import TestSequencer from '@jest/test-sequencer';

/** Below `test`. Where one of them begins last, the other processors wait for it. */
const slowest = [
  'simulate/simulation.test.ts',
  'sync/send/untaken-documents.test.ts',
  'sync/engine.test.ts',
  'ledger/ledger-properties.test.ts',
  'faults/network/matrix.test.ts',
  'faults/reading/passing-faults.test.ts',
  'scan/watch/mounts.test.ts',
  'scenarios/main-job.test.ts',
  'sync/sharing/mode-goes-with-the-file.test.ts',
  'sync/sharing/widening.test.ts',
  'sync/sharing/unsent-attachments.test.ts',
  'simulate/planted-faults.long.ts',
  'scan/limits/limits.long.ts',
  'cluster/lease/refusing-redis.long.ts',
  'cluster/lease/redis-notices.long.ts',
  'cluster/lease/stand-by.long.ts',
  'faults/process/folders.long.ts',
  'cluster/shared-minute.long.ts',
  'status/page.long.ts',
  'status/live-page.long.ts',
  'cluster/real-hosts.long.ts',
  'packaging/debian.slow.ts',
];

/** Jest learns how long a test file takes only by running it: in a new clone it would go by the size of the file. */
export default class SlowestFirst extends TestSequencer {
  sort(tests) {
    const rank = ({ path }) => {
      const place = slowest.findIndex((file) => path.endsWith(`/test/${file}`));
      return place === -1 ? slowest.length : place;
    };
    return super.sort(tests).toSorted((a, b) => rank(a) - rank(b));
  }
}
