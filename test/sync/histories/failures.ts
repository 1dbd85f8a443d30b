import type { Outcome } from '../../../src/model/ports/service-port.ts';
import { busyOf } from '../../support/fixtures/model-fixtures.ts';

const lost: Outcome = { kind: 'unknown', code: 'no-answer', message: 'the answer was lost' };
const refused: Outcome = { kind: 'rejected', code: 'http-422', message: 'no' };

/** What can go wrong with a request. */
export const failures = { busy: busyOf(), lost, refused } as const;
