import { readFile, realpath } from 'node:fs/promises';

/** An anonymous volume's name: Docker's and Podman's are 64 hexadecimal digits. */
const anonymousVolume = /\/volumes\/[0-9a-f]{64}\/_data$/;

interface Mount {
  readonly root: string;
  readonly point: string;
  readonly type: string;
}

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
  const mount = mountOf(stateDir, mountinfo);
  const fix = `give ${stateDir} a named volume, or every document is uploaded again when the container is replaced`;
  if (mount === null || mount.point === '/') return `the state directory lies inside the container: ${fix}`;
  if (mount.type === 'tmpfs' || mount.type === 'ramfs') return `the state directory lies in memory: ${fix}`;
  if (anonymousVolume.test(mount.root)) return `the state directory lies on a volume without a name: ${fix}`;
  return null;
}

/** The mount a path lies on: the longest mount point above it, the last of equal ones, which covers the others. */
function mountOf(path: string, mountinfo: string): Mount | null {
  let found: Mount | null = null;
  for (const line of mountinfo.split('\n')) {
    const mount = parseMount(line);
    if (mount === null || !isWithin(path, mount.point)) continue;
    if (found === null || mount.point.length >= found.point.length) found = mount;
  }
  return found;
}

/** `36 35 98:0 /root /point options … - type source options`, with blanks written as octal escapes. */
function parseMount(line: string): Mount | null {
  const [before = '', after = ''] = line.split(' - ');
  const [, , , root, point] = before.split(' ');
  const [type] = after.split(' ');
  if (root === undefined || point === undefined || type === undefined) return null;
  return { root: unescape(root), point: unescape(point), type };
}

function unescape(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
}

function isWithin(path: string, point: string): boolean {
  return point === '/' || path === point || path.startsWith(`${point}/`);
}
