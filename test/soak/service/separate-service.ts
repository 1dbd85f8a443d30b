import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

import type { Credentials } from '../../../src/model/settings.ts';
import type { DocumentRecord } from '../../../src/embedded/documents/document-store.ts';

/** What the service holds, and where its bytes are. */
export interface HeldDocument extends Omit<DocumentRecord, 'file'> {
  readonly sha256: string;
  readonly contentPath: string;
}

/** The embedded service in a process of its own, which can be killed and started again on the same data. */
export interface SeparateService {
  /** Null while it is down. */
  readonly port: () => number | null;
  readonly credentials: Credentials;
  readonly documents: () => Promise<readonly HeldDocument[]>;
  readonly kill: () => Promise<void>;
  readonly startAgain: () => Promise<void>;
}

/** Starts it. */
export async function startSeparateService(
  dataDir: string,
  requestsPerMinute: number,
): Promise<SeparateService> {
  let child: ChildProcess | null = null;
  let port: number | null = null;

  async function start(): Promise<Credentials> {
    const started = fork(new URL('service-process.ts', import.meta.url), [
      dataDir,
      String(requestsPerMinute),
    ]);
    child = started;
    const [message] = (await once(started, 'message')) as [{ port: number; credentials: Credentials }];
    port = message.port;
    return message.credentials;
  }

  const credentials = await start();
  return {
    credentials,
    port: () => port,
    documents: async () => {
      if (child === null) throw new Error('the service is down');
      const answer = once(child, 'message');
      child.send('documents');
      const [message] = (await answer) as [{ documents: HeldDocument[] }];
      return message.documents;
    },
    kill: async () => {
      if (child === null) return;
      port = null;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      child = null;
      await ended;
    },
    startAgain: async () => {
      await start();
    },
  };
}
