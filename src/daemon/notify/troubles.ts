import { createHash } from 'node:crypto';

import { inDoubtCode } from '../../model/doubts.ts';
import { reasonHealth } from '../../model/report/health.ts';
import type { Status } from '../../model/report/status.ts';

/** Something that needs a person. */
export interface Trouble {
  /** The same as long as it is the same trouble. */
  readonly key: string;
  /** It may end by itself: announced only when it has lasted. */
  readonly mayPass: boolean;
  readonly folder: string | null;
  readonly path: string | null;
  readonly code: string;
  readonly message: string;
}

/** What of a status needs a person: failed, held, in doubt, refused; and what may pass, should it last. */
export function troublesOf({ reasons, failures, held, inDoubt }: Status): readonly Trouble[] {
  const doubted = new Set(inDoubt.map(({ folder, path }) => `${folder}/${path}`));
  return [
    ...reasons
      .filter(({ code }) => code !== 'held' && code !== 'paused' && reasonHealth(code) !== 'ok')
      .map(({ code, message }) =>
        trouble({ folder: null, path: null, code, message }, code !== 'credentials-refused'),
      ),
    ...failures
      // What is in doubt and held back is announced once.
      .filter(({ retryAt, folder, path }) => retryAt === null && !doubted.has(`${folder}/${path}`))
      .map(({ folder, path, code, message }) => trouble({ folder, path, code, message })),
    ...held.map(({ folder, count, reason }) =>
      trouble({ folder, path: null, code: 'held', message: `${count} held: ${reason}` }),
    ),
    ...inDoubt.map(({ folder, path, message }) => trouble({ folder, path, code: inDoubtCode, message })),
  ];
}

function trouble(what: Omit<Trouble, 'key' | 'mayPass'>, mayPass = false): Trouble {
  // Without the message: a number or a time in it does not make it another trouble.
  const text = JSON.stringify([what.folder, what.path, what.code]);
  return { key: createHash('sha256').update(text).digest('base64url').slice(0, 22), mayPass, ...what };
}
