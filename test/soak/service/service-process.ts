import { systemClock } from '../../../src/lib/time/clock.ts';
import { startEmbeddedService } from '../../../src/embedded/embedded-service.ts';
import { silentLog } from '../../../src/model/ports/log-port.ts';

// The embedded service in a process of its own, asked by its parent.
const [dataDir = '', requestsPerMinute = ''] = process.argv.slice(2);
const service = await startEmbeddedService({
  dataDir,
  clock: systemClock,
  log: silentLog,
  requestsPerMinute: Number(requestsPerMinute),
  // Short, so that tokens are renewed while work goes on.
  accessTokenSeconds: 20,
  maxAuthRequestsPerMinute: 1_000,
});

process.on('message', () => {
  process.send?.({
    documents: service.documents().map(({ file, attachments, ...document }) => ({
      ...document,
      sha256: file.sha256,
      attachments,
      contentPath: service.pathOf(file),
    })),
  });
});
process.on('disconnect', () => process.exit());
process.send?.({ port: Number(new URL(service.ingestUrl).port), credentials: service.credentials });
