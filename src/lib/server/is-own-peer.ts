import { readFile } from 'node:fs/promises';
import { isIPv6, SocketAddress } from 'node:net';
import type { Socket } from 'node:net';
import { endianness } from 'node:os';
import { setImmediate as turn } from 'node:timers/promises';

import { createGathered } from '../queue/gathered.ts';

/** One line of the kernel's table that is of use here. */
interface Connection {
  /** Address and port, as the table writes them. */
  readonly local: string;
  readonly remote: string;
  readonly uid: number;
  /** False once its process has closed it: the user then stands as 0. */
  readonly isHeld: boolean;
}

/** Where Linux lists the connections of both families. */
const tables = ['/proc/net/tcp', '/proc/net/tcp6'] as const;

/**
 * Says whether the other end of a TCP connection over loopback may see and do what the process's own user may: that
 * user and root; anybody where the system cannot say, as only Linux can. It is known by both addresses and both ports: there
 * are many loopback addresses, and another connection may have the same ports. A connection that has ended is nobody's, also
 * where its bytes are still to be read: its addresses and ports may be another user's by now.
 */
export async function isOwnPeer(
  socket: Pick<Socket, 'localAddress' | 'localPort' | 'remoteAddress' | 'remotePort' | 'destroyed'>,
): Promise<boolean> {
  const own = process.getuid?.();
  const connections = own === undefined ? null : await listConnections();
  if (connections === null) return true;
  const { localAddress, localPort, remoteAddress, remotePort } = socket;
  if (localAddress === undefined || remoteAddress === undefined) return false;
  const ends = connections.filter(
    ({ local, remote }) =>
      portOf(local) === remotePort &&
      portOf(remote) === localPort &&
      addressOf(local) === plainAddress(remoteAddress) &&
      addressOf(remote) === plainAddress(localAddress),
  );
  // What the system knew of its end before the list was made is known here a turn later.
  await turn();
  if (socket.destroyed) return false;
  return ends.length > 0 && ends.every(({ uid, isHeld }) => isHeld && (uid === own || uid === 0));
}

/** The connections as they are after the call; null: this system has no such tables. They are long where there are many. */
const listConnections = createGathered<void, readonly Connection[] | null>(async () => {
  const texts = await Promise.all(tables.map((file) => readFile(file, 'latin1').catch(() => null)));
  if (texts.every((text) => text === null)) return null;
  return texts.flatMap((text) => readConnections(text ?? ''));
});

/** Columns of proc_net_tcp(5): number, local, remote, state, queues, timer, retransmits, uid, timeout, inode. */
function readConnections(table: string): readonly Connection[] {
  return table
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, local = '', remote = '', , , , , uid, , inode] = line.trim().split(/\s+/);
      if (uid === undefined) return [];
      return [{ local, remote, uid: Number(uid), isHeld: inode !== '0' }];
    });
}

function portOf(end: string): number {
  return Number.parseInt(end.slice(end.indexOf(':') + 1), 16);
}

/** The tables write each 32 bits of an address in the order of the machine's bytes. */
function addressOf(end: string): string {
  const bytes = Buffer.from(end.slice(0, end.indexOf(':')), 'hex');
  if (endianness() === 'LE') bytes.swap32();
  return bytes.length === 4
    ? bytes.join('.')
    : plainAddress((bytes.toString('hex').match(/.{4}/g) ?? []).join(':'));
}

/** One text for each address. An IPv4 address that is written as an IPv6 one is the IPv4 address. */
function plainAddress(text: string): string {
  const { address } = new SocketAddress({ address: text, family: isIPv6(text) ? 'ipv6' : 'ipv4' });
  return address.replace(/^::ffff:(?=\d+\.)/, '');
}
