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
 * Says whether the other end of a TCP connection over loopback may see and do what the process's own user may: that user
 * and root; anybody where the system cannot say, as only Linux can. Where several connections have these two ports (there
 * are many loopback addresses) all of them have to: an allowed connection must not hide another.
 */
export async function isOwnPeer({
  localPort = 0,
  remotePort = 0,
}: Pick<Socket, 'localPort' | 'remotePort'>): Promise<boolean> {
  const own = process.getuid?.();
  const connections = own === undefined ? null : await listConnections();
  if (connections === null) return true;
  const ends = connections.get(portsKey(remotePort, localPort)) ?? [];
  return ends.length > 0 && ends.every(({ uid, isHeld }) => isHeld && (uid === own || uid === 0));
}

/** By `portsKey`; null: this system has no such tables. */
type Connections = ReadonlyMap<string, readonly Connection[]> | null;

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
  const connections = new Map<string, Connection[]>();
  for (const one of texts.flatMap((text) => readConnections(text ?? ''))) {
    const key = portsKey(one.localPort, one.remotePort);
    const known = connections.get(key);
    if (known === undefined) connections.set(key, [one]);
    else known.push(one);
  }
  return connections;
}

function portsKey(localPort: number, remotePort: number): string {
  return `${localPort} ${remotePort}`;
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
