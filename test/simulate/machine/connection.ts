import { EventEmitter } from 'node:events';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { Duplex } from 'node:stream';

import type { Scheduler } from './scheduler.ts';

/** What the service's side of a connection does with what comes. */
export interface Peer {
  /** Bytes left the client; resolves when the connection takes more. */
  readonly receive: (bytes: Buffer) => Promise<void>;
  /** The client ended or dropped the connection. */
  readonly dropped: () => void;
}

/** A network that leads to one service, whatever the address. */
export interface Network {
  /** Resolves when a connection stands; rejects with the error of a connection that fails. */
  readonly connect: () => Promise<void>;
  /** The same of one over which nothing is sent. */
  readonly probe: () => Promise<void>;
  readonly accept: (connection: ServiceConnection) => Peer;
}

/** The service's hold on a connection. */
export interface ServiceConnection {
  readonly answer: (bytes: Buffer) => void;
  /** As the service's RST does. */
  readonly reset: () => void;
}

/** A socket of the client, with what ingestd, got and Node's HTTP client use of one. */
class Connection extends Duplex {
  connecting = true;
  readonly remoteAddress = '127.0.0.1';
  readonly #scheduler: Scheduler;
  readonly #connected: Promise<void>;
  readonly #peer: Peer;
  readonly #life: number | null;
  #idleMs = 0;
  #cancelIdle = () => {};
  #isDropped = false;

  constructor(network: Network, scheduler: Scheduler) {
    // Each piece is taken before the next one is asked for.
    super({ allowHalfOpen: false, writableHighWaterMark: 1 });
    this.#scheduler = scheduler;
    this.#life = scheduler.life();
    this.#peer = network.accept({
      answer: (bytes) => this.#arrive(() => this.push(bytes)),
      reset: () =>
        this.#arrive(() => this.destroy(Object.assign(new Error('reset'), { code: 'ECONNRESET' }))),
    });
    this.#connected = this.#connect(network);
  }

  override _write(bytes: Buffer, _: BufferEncoding, done: (error?: Error) => void): void {
    this.#send(bytes).then(
      () => process.nextTick(done),
      (error: Error) => process.nextTick(done, error),
    );
  }

  override _read(): void {}

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#cancelIdle();
    if (!this.#isDropped) this.#peer.dropped();
    this.#isDropped = true;
    done(error);
  }

  setTimeout(ms: number, call?: () => void): this {
    this.#idleMs = ms;
    if (call !== undefined && ms > 0) this.once('timeout', call);
    this.#restartIdle();
    return this;
  }

  setNoDelay = () => this;
  setKeepAlive = () => this;
  ref = () => this;
  unref = () => this;
  resetAndDestroy = () => this.destroy();
  destroySoon = () => this.destroy();

  #restartIdle(): void {
    this.#cancelIdle();
    if (this.#idleMs > 0) this.#cancelIdle = this.#scheduler.after(this.#idleMs, () => this.emit('timeout'));
  }

  async #connect(network: Network): Promise<void> {
    try {
      await network.connect();
      this.connecting = false;
      this.emit('connect');
    } catch (error) {
      this.destroy(error as Error);
    }
  }

  async #send(bytes: Buffer): Promise<void> {
    await this.#connected;
    if (this.destroyed) return;
    this.#restartIdle();
    await this.#peer.receive(bytes);
  }

  /** What the service does reaches the process that opened the connection, if it still runs. */
  #arrive(act: () => void): void {
    if (this.#life !== this.#scheduler.life()) return;
    this.#scheduler.later(0, () => {
      if (this.destroyed) return;
      this.#restartIdle();
      act();
    });
  }
}

/** A socket by which it is only tried whether a connection comes about. */
class Probe extends EventEmitter {
  destroy = () => this;

  constructor(network: Network, scheduler: Scheduler) {
    super();
    // Whoever asks listens before the next event.
    scheduler.after(0, () => void this.#try(network));
  }

  async #try(network: Network): Promise<void> {
    try {
      await network.probe();
      this.emit('connect');
    } catch (error) {
      this.emit('error', error);
    }
  }
}

/** Lets every connection of Node's HTTP agents lead to the network in memory. */
export function replaceConnections(
  current: () => { readonly network: Network; readonly scheduler: Scheduler },
): void {
  const createConnection = () => {
    const { network, scheduler } = current();
    return new Connection(network, scheduler);
  };
  Object.assign(http.Agent.prototype, { createConnection });
  Object.assign(net, {
    connect: () => {
      const { network, scheduler } = current();
      return new Probe(network, scheduler);
    },
  });
  syncBuiltinESMExports();
}
