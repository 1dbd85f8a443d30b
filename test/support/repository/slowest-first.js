import TestSequencer from '@jest/test-sequencer';

/** Below `test`. Where one of them begins last, the other processors wait for it. */
const slowest = [
  'simulate/simulation.test.ts',
  'faults/network/matrix.test.ts',
  'scenarios/main-job.test.ts',
  'sync/engine.test.ts',
  'faults/reading/passing-faults.test.ts',
  'faults/security/secrets.test.ts',
  'ledger/damage.test.ts',
  'cli/daemon-commands.test.ts',
  'sync/sharing/mode-goes-with-the-file.test.ts',
  'cli/log.test.ts',
  'sync/send/untaken-documents.test.ts',
  'faults/network/process.test.ts',
  'cluster/real-hosts.long.ts',
  'faults/clock-jumps.long.ts',
  'status/live-page.long.ts',
  'simulate/planted/planted-faults.long.ts',
  'status/page.long.ts',
  'sync/send/untaken-among-many.long.ts',
  'cluster/shared-minute.long.ts',
  'cluster/lease/redis-notices.long.ts',
  'commands/worlds.long.ts',
  'scan/limits/limits.long.ts',
  'scenarios/pause.long.ts',
  'cluster/folders/one-folder-twice.long.ts',
  'faults/process/surroundings.long.ts',
  'faults/process/kill.long.ts',
  'scenarios/other-service.long.ts',
  'scenarios/import.long.ts',
  'sync/passes/complete-pass.long.ts',
  'cluster/lease/stand-by.long.ts',
  'cluster/lease/refusing-redis.long.ts',
  'faults/process/disk.long.ts',
  'cluster/network/holders.long.ts',
  'cluster/redis/unwell.long.ts',
  'faults/process/folders.long.ts',
  'packaging/debian.slow.ts',
  'packaging/release.slow.ts',
  'scan/limits/blocked.slow.ts',
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
