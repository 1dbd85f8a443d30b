import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';

/** One line of the kernel's table that is of use here. */
interface Connection {
  readonly localPort: number;
  readonly remotePort: number;
  readonly uid: number;
  /** False once its process has closed it: the user then stands as 0. */
  readonly isHeld: boolean;
}

/** Where Linux lists the connections of both families. */
const tables = ['/proc/net/tcp', '/proc/net/tcp6'] as const;

/**
 * Says whether the other end of a TCP connection over loopback may see and do what the process's own user may: that
 * user and root; anybody where the system cannot say, as only Linux can. Where several connections have these two ports
 * (there are many loopback addresses) all of them have to: an allowed connection must not hide another.
 */
export async function isOwnPeer({
  localPort = 0,
  remotePort = 0,
}: Pick<Socket, 'localPort' | 'remotePort'>): Promise<boolean> {
  const own = process.getuid?.();
  const connections = own === undefined ? null : await listConnections();
  if (connections === null) return true;
  const ends = connections.filter((one) => one.localPort === remotePort && one.remotePort === localPort);
  return ends.length > 0 && ends.every(({ uid, isHeld }) => isHeld && (uid === own || uid === 0));
}

/** Null: this system has no such tables. */
type Connections = readonly Connection[] | null;

let reading: Promise<Connections> | null = null;
let next: Promise<Connections> | null = null;

/**
 * The connections as they are after this call. The tables are long where there are many connections: callers that come
 * while they are read share the next reading.
 */
function listConnections(): Promise<Connections> {
  next ??= (reading ?? Promise.resolve()).then(async () => {
    next = null;
    reading = readTables();
    const connections = await reading;
    if (next === null) reading = null;
    return connections;
  });
  return next;
}

async function readTables(): Promise<Connections> {
  const texts = await Promise.all(tables.map((file) => readFile(file, 'latin1').catch(() => null)));
  if (texts.every((text) => text === null)) return null;
  return texts.flatMap((text) => readConnections(text ?? ''));
}

/** Columns of proc_net_tcp(5): number, local, remote, state, queues, timer, retransmits, uid, timeout, inode. */
function readConnections(table: string): readonly Connection[] {
  return table
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, local = '', remote = '', , , , , uid, , inode] = line.trim().split(/\s+/);
      if (uid === undefined) return [];
      return [
        { localPort: portOf(local), remotePort: portOf(remote), uid: Number(uid), isHeld: inode !== '0' },
      ];
    });
}

function portOf(address: string): number {
  return Number.parseInt(address.slice(address.indexOf(':') + 1), 16);
}
