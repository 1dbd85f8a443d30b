import { afterEach, expect, it, jest } from '@jest/globals';

import { bootMoment } from '../../src/lib/time/boot-moment.ts';
import { describeWhere } from '../support/needs.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

describeWhere(process.platform === 'linux' ? null : 'Linux', 'F49: the time since the boot', () => {
  it('is the machine’s, whatever clocks the process was given', () => {
    jest.spyOn(process.hrtime, 'bigint').mockReturnValue(0n);
    jest.spyOn(performance, 'now').mockReturnValue(0);
    jest.spyOn(Date, 'now').mockReturnValue(0);
    expect(bootMoment()?.ms).toBeGreaterThan(0);
  });
});
