import { readFile, realpath } from 'node:fs/promises';

import { mountOf, parseMountTable } from '../../lib/files/mount-table.ts';

/** An anonymous volume's name: Docker's and Podman's are 64 hexadecimal digits. */
const anonymousVolume = /\/volumes\/[0-9a-f]{64}\/_data$/;

/**
 * Warns where the state directory of a container would go with the container: it lies on no volume of its own, on
 * one without a name, or in memory. Null: it is kept, or this is no container (`container` in the environment, as
 * the image sets it).
 */
export async function warnOfLostState(
  stateDir: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  if (env['container'] === undefined || env['container'] === '') return null;
  try {
    return judgeStateMount(await realpath(stateDir), await readFile('/proc/self/mountinfo', 'utf8'));
  } catch {
    // Without /proc nothing can be said; the state directory itself is checked by whoever opens it.
    return null;
  }
}

/** The pure part: `mountinfo` is the text of `/proc/self/mountinfo`, `stateDir` absolute and real. */
export function judgeStateMount(stateDir: string, mountinfo: string): string | null {
  const mount = mountOf(parseMountTable(mountinfo), stateDir);
  const fix = `mount a named volume at ${stateDir}, or every document is uploaded again when the container is replaced`;
  if (mount === null || mount.path === '/') return `the state directory is inside the container: ${fix}`;
  if (mount.type === 'tmpfs' || mount.type === 'ramfs') return `the state directory is in memory: ${fix}`;
  if (anonymousVolume.test(mount.root)) return `the state directory is on a volume without a name: ${fix}`;
  return null;
}
