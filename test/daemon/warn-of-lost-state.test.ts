import { describe, expect, it } from '@jest/globals';
import { judgeStateMount, warnOfLostState } from '../../src/daemon/process/warn-of-lost-state.ts';

const root =
  '604 509 0:61 / / ro,relatime master:231 - overlay overlay rw,lowerdir=/l,upperdir=/u,workdir=/w';
const volume = (name: string, point = '/state') =>
  `622 604 8:1 /var/lib/docker/volumes/${name}/_data ${point} rw,relatime master:1 - ext4 /dev/sda1 rw`;
const anonymous = 'd3f1'.repeat(16);

describe('the state directory of a container', () => {
  it.each([
    ['on a named volume', [root, volume('ingestd-state')]],
    ['in a directory of the host', [root, '622 604 8:1 /srv/ingestd /state rw - ext4 /dev/sda1 rw']],
  ])('is kept %s', (_name, lines) => {
    expect(judgeStateMount('/state', lines.join('\n'))).toBeNull();
    expect(judgeStateMount('/state/below', lines.join('\n'))).toBeNull();
  });

  it.each([
    ['inside the container', [root], /inside the container/],
    ['beside a volume of a longer name', [root, volume('other', '/state2')], /inside the container/],
    ['on a volume without a name', [root, volume(anonymous)], /without a name/],
    ['in memory', [root, '622 604 0:70 / /state rw - tmpfs tmpfs rw'], /in memory/],
    ['on a named volume that something covers', [root, volume('a'), volume(anonymous)], /without a name/],
    ['without any mount known', [], /inside the container/],
  ])('is lost %s, and the warning says what to do', (_name, lines, words) => {
    const judged = judgeStateMount('/state', lines.join('\n'));
    expect(judged).toMatch(words);
    expect(judged).toContain('mount a named volume at /state');
  });

  it('is found by a mount point with a blank in its name', () => {
    expect(
      judgeStateMount('/my state/x', [root, volume('v', String.raw`/my\040state`)].join('\n')),
    ).toBeNull();
  });

  it('is nobody’s business outside a container', async () => {
    expect(await warnOfLostState('/nowhere', {})).toBeNull();
  });

  it('is left to others where it does not exist', async () => {
    expect(await warnOfLostState('/nowhere', { container: 'oci' })).toBeNull();
  });
});
