import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What a host is cut off from. */
type Side = 'redis' | 'service';

/** A network namespace as a host: a link to where Redis is, and one to where the service is. */
export interface NetworkHost {
  readonly name: string;
  /** Where the others find it on the network of Redis. */
  readonly address: string;
  /** Where the service sees its requests come from. */
  readonly sendsFrom: string;
  /** Runs a command on this host. */
  readonly through: readonly string[];
  /**
   * Nothing passes any more, either way, and nobody is told: the link stays up, connections stay open, and what is
   * sent is gone, as behind a switch that has failed.
   */
  readonly cut: (...sides: readonly Side[]) => void;
  readonly heal: (...sides: readonly Side[]) => void;
  /** From now on it finds on the network of Redis only those that moved there too; `heal` brings it back. */
  readonly moveApart: () => void;
}

/** Hosts on two switches, and this process as one that listens on the second. */
export interface Network {
  /** This process, as the hosts reach it. */
  readonly address: string;
  readonly host: (name: string) => NetworkHost;
  /** With everything that still runs in it. */
  readonly remove: () => void;
}

const prefix = 'ingestd-test-';
/** Where no other program should have addresses: networks for measurements, RFC 2544. */
const redisNet = '198.19.0';
let networks = 0;

/** What is missing for tests with network namespaces; null: nothing. For `describeWhere`. */
export function missingNetwork(): string | null | { readonly refused: string } {
  if (spawnSync('ip', ['-V']).status !== 0) return 'ip (Debian package iproute2)';
  if (process.getuid?.() !== 0) return { refused: 'network namespaces, for which one has to be root' };
  try {
    const network = createNetwork();
    try {
      network.host('a').cut('redis');
    } finally {
      network.remove();
    }
  } catch (error) {
    return { refused: `network namespaces (${(error as Error).message})` };
  }
  return null;
}

/** Makes the switches. Throws where this machine does not allow it. */
export function createNetwork(): Network {
  removeLeftovers();
  networks += 1;
  const own = `${prefix}${process.pid}-${networks}-`;
  const middle = `${own}switch`;
  const link = `ingt${process.pid}n${networks}`;
  const serviceNet = freeNet();
  const spaces: string[] = [];
  const files = mkdtempSync(join(tmpdir(), 'ingestd-test-'));
  const address = `${serviceNet}.1`;

  const remove = () => {
    spawnSync('ip', ['link', 'del', link]);
    for (const space of spaces.toReversed()) removeSpace(space);
    rmSync(files, { recursive: true, force: true });
  };
  const add = (space: string) => {
    ip(`netns add ${space}`);
    spaces.push(space);
  };

  /** Commands for a host on which a file of the system says something else. */
  const ownFile = (path: string, content: string): readonly string[] => {
    if (!existsSync(path)) return [];
    const file = join(files, randomUUID());
    writeFileSync(file, `${content}\n`);
    return [`mount --bind ${file} ${path}`];
  };

  try {
    add(middle);
    for (const side of ['redis', 'service', 'apart']) {
      ip(`-n ${middle} link add ${side} type bridge`);
      ip(`-n ${middle} link set ${side} up`);
    }
    ip(`link add ${link} type veth peer name tester netns ${middle}`);
    ip(`-n ${middle} link set tester master service up`);
    ip(`addr add ${address}/24 dev ${link}`);
    ip(`link set ${link} up`);
  } catch (error) {
    remove();
    throw error;
  }

  return {
    address,
    remove,
    host: (name) => {
      const space = `${own}${name}`;
      add(space);
      const number = spaces.length;
      const addresses = { redis: `${redisNet}.${number}`, service: `${serviceNet}.${number}` };
      const port = (side: Side) => `p${number}-${side}`;
      ip(`-n ${space} link set lo up`);
      for (const side of ['redis', 'service'] as const) {
        ip(`link add ${side} netns ${space} type veth peer name ${port(side)} netns ${middle}`);
        ip(`-n ${middle} link set ${port(side)} master ${side} up`);
        ip(`-n ${space} addr add ${addresses[side]}/24 dev ${side}`);
        ip(`-n ${space} link set ${side} up`);
      }
      // A machine of its own: what runs on the others it cannot see, and knows that.
      const asMachine = [
        ...ownFile('/proc/sys/kernel/random/boot_id', randomUUID()),
        ...ownFile('/etc/machine-id', randomUUID().replaceAll('-', '')),
        'exec "$@"',
      ].join(' && ');
      return {
        name,
        address: addresses.redis,
        sendsFrom: addresses.service,
        // Its clocks are fast: other tests beside this one must not let it wait.
        through: ['nice', '-n', '-10', 'ip', 'netns', 'exec', space, 'sh', '-c', asMachine, 'sh'],
        // A plug that is in no switch: what comes there goes nowhere.
        cut: (...sides) => sides.forEach((side) => ip(`-n ${middle} link set ${port(side)} nomaster`)),
        moveApart: () => void ip(`-n ${middle} link set ${port('redis')} master apart`),
        heal: (...sides) => sides.forEach((side) => ip(`-n ${middle} link set ${port(side)} master ${side}`)),
      };
    },
  };
}

function ip(words: string): string {
  const { status, stdout, stderr } = spawnSync('ip', words.split(' '), { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ip ${words}: ${stderr.trim()}`);
  return stdout;
}

/** A network that this machine has no address of. */
function freeNet(): string {
  const taken = ip('-o addr');
  for (let index = 0; index < 254; index += 1) {
    const net = `198.18.${((process.pid + index) % 254) + 1}`;
    if (!taken.includes(` ${net}.`)) return net;
  }
  throw new Error('no free network');
}

/** Ends what runs in a namespace, and removes it. */
function removeSpace(space: string): void {
  const { stdout } = spawnSync('ip', ['netns', 'pids', space], { encoding: 'utf8' });
  for (const pid of (stdout ?? '').split('\n').filter(Boolean)) {
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
  spawnSync('ip', ['netns', 'del', space]);
}

/** What a test run left that was killed. */
function removeLeftovers(): void {
  const names = spawnSync('ip', ['netns', 'list'], { encoding: 'utf8' }).stdout ?? '';
  const running = new Set(readdirSync('/proc'));
  for (const line of names.split('\n')) {
    const [space = ''] = line.split(' ');
    const pid = space.startsWith(prefix) ? space.slice(prefix.length).split('-')[0] : undefined;
    if (pid !== undefined && !running.has(pid)) removeSpace(space);
  }
}
