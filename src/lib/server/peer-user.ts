import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';

/** Whose process holds the other end of a connection within this machine. */
export type PeerUser =
  | { readonly kind: 'user'; readonly uid: number }
  /** The process is gone, or is not on this machine. */
  | { readonly kind: 'nobody' }
  /** Unknown: only Linux provides this. */
  | { readonly kind: 'unknown' };

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
 * Says which user is at the other end of a TCP connection over loopback. Where several connections have these two
 * ports (there are many loopback addresses) one of another user decides: an allowed connection must not hide another.
 */
export async function peerUser(
  { localPort, remotePort }: Pick<Socket, 'localPort' | 'remotePort'>,
  own: number,
): Promise<PeerUser> {
  const texts = await Promise.all(tables.map((file) => readFile(file, 'latin1').catch(() => null)));
  if (texts.every((text) => text === null)) return { kind: 'unknown' };
  const ends = texts
    .flatMap((text) => readConnections(text ?? ''))
    .filter((one) => one.localPort === remotePort && one.remotePort === localPort);
  if (ends.length === 0 || ends.some(({ isHeld }) => !isHeld)) return { kind: 'nobody' };
  const uid = ends.find((one) => one.uid !== own)?.uid ?? own;
  return { kind: 'user', uid };
}

/** Says whether a peer may see and do what the process's own user may: that user and root; anybody where the system cannot say. */
export function isTrustedPeer(peer: PeerUser, own: number): boolean {
  return peer.kind === 'unknown' || (peer.kind === 'user' && (peer.uid === own || peer.uid === 0));
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
