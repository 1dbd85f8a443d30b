import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';

/** A service manager's end of the notify protocol: a real datagram socket, held by Python, which Node cannot. */
export interface NotifyReceiver {
  /** For `$NOTIFY_SOCKET`. */
  readonly socket: string;
  /** Every message so far, one string a datagram, without the barriers of the sender. */
  readonly messages: readonly string[];
  readonly close: () => Promise<void>;
}

const program = `
import json, socket, sys
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind(sys.argv[1])
print(json.dumps(None), flush=True)
while True:
    # A plain recv drops the descriptor of a barrier, which is what its sender waits for.
    print(json.dumps(receiver.recv(65536).decode()), flush=True)
`;

/** Says what is missing for a test over a real notify socket, or null. */
export function missingForNotify(): string | null {
  const missing = [
    ['systemd-notify', '--version'],
    ['python3', '--version'],
  ].filter(([name, flag]) => spawnSync(name ?? '', [flag ?? '']).status !== 0);
  return missing.length === 0 ? null : missing.map(([name]) => name).join(', ');
}

/** Listens on a socket of its own in `folder`. */
export async function startNotifyReceiver(folder: string): Promise<NotifyReceiver> {
  const socket = join(folder, 'notify.sock');
  const child = spawn('python3', ['-c', program, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const lines = createInterface({ input: child.stdout });
  const messages: string[] = [];
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    lines.on('line', (line) => {
      const message: unknown = JSON.parse(line);
      if (typeof message !== 'string') resolve();
      else if (!message.startsWith('BARRIER=')) messages.push(message);
    });
  });
  return {
    socket,
    messages,
    close: async () => {
      child.kill();
      await ended;
    },
  };
}
