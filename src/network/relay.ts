// Copies between a program in a box and a host, in both directions, until both have ended.
// Each side is held back while the other one does not read. Half-closed connections stay open in the other direction.

import type { OnReadOpts, Socket } from "node:net";
import { type ClientHello, readClientHello } from "./client-hello.ts";
import { parseRemoteHost } from "./host-name.ts";
import { resetSocket } from "./reset.ts";
import { Silence } from "./silence.ts";
import type { Meter } from "./traffic.ts";

/** Of one read. Larger reads cost fewer turns: with 64 KiB, a quarter less passes in the same time. */
const READ_BYTES = 256 * 1024;

/** Buffers are reused, because fresh memory costs a page fault for each 4 KiB. */
const freeBuffers: Buffer[] = [];
const KEPT_BUFFERS = 16;

/** Reads what a host sends, into one buffer. It exists before the connection, which is made with `onread`. */
export class Receiver {
  readonly #buffer = freeBuffers.pop() ?? Buffer.allocUnsafeSlow(READ_BYTES);
  #take: ((chunk: Buffer) => boolean) | null = null;
  #early: Buffer | null = null;

  readonly onread: OnReadOpts = {
    buffer: this.#buffer,
    callback: (count, filled) => {
      const chunk = Buffer.from(filled.buffer, filled.byteOffset, count);
      if (this.#take !== null) return this.#take(chunk);
      this.#early = Buffer.from(chunk);
      return false; // `from` resumes
    },
  };

  /** `take` returns false to pause. Until the buffer may be filled again, the chunk is its own. */
  from(host: Socket, take: (chunk: Buffer) => boolean): void {
    this.#take = take;
    if (this.#early === null || take(this.#early)) host.resume();
  }

  /** Once both sockets are closed: nothing reads from the buffer or writes to it. */
  release(): void {
    if (freeBuffers.length < KEPT_BUFFERS) freeBuffers.push(this.#buffer);
  }
}

export interface RelayOptions {
  readonly box: Socket;
  readonly host: Socket;
  /** `host` was connected with its `onread`. */
  readonly receiver: Receiver;
  readonly meter: Meter;
  readonly idleMs: number;
  /** What was read of `box` already, and is meant for the host. */
  readonly first: Buffer;
  /** The name that TLS must ask for. Null: any, because the grant names an address. */
  readonly tlsName: string | null;
  /** TLS asked for another name. Nothing has been sent to the host. */
  readonly onOtherName: (why: string) => void;
  /** Nothing was sent in either direction for too long. The connection has been ended. */
  readonly onSilent: (why: string) => void;
}

/** Settles when both sockets are closed. */
export async function relay(options: RelayOptions): Promise<void> {
  const { box, host, receiver, idleMs, onSilent } = options;
  const closed = Promise.all([box, host].map(whenClosed));
  const silence = new Silence(box, idleMs, (why) => {
    onSilent(why);
    cut(options);
  });
  passEnd(box, host);
  passEnd(host, box);
  copyToBox(options, silence);
  copyToHost(options, silence);
  if (box.destroyed) resetSocket(host);
  else if (box.readableEnded) host.end(); // it ended while it waited
  await closed;
  receiver.release();
}

async function whenClosed(socket: Socket): Promise<void> {
  if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve));
}

function cut({ box, host }: RelayOptions): void {
  resetSocket(box);
  resetSocket(host);
}

/** The end of one direction, and a connection that breaks. */
function passEnd(from: Socket, to: Socket): void {
  from.once("end", () => to.end());
  from.on("error", () => resetSocket(to));
  from.once("close", () => (from.readableEnded && from.writableFinished) || resetSocket(to));
}

function copyToBox({ box, host, receiver, meter }: RelayOptions, silence: Silence): void {
  receiver.from(host, (chunk) => {
    if (!meter.in(chunk.length)) return false;
    silence.answered();
    let isWritten = false;
    let isWaiting = false;
    box.write(chunk, () => {
      isWritten = true;
      if (isWaiting) host.resume();
    });
    // The kernel usually takes it at once. Otherwise the buffer is in use until it has.
    if (isWritten || box.writableLength === 0) return true;
    isWaiting = true;
    return false;
  });
}

function copyToHost(options: RelayOptions, silence: Silence): void {
  const { box, host, meter, first, tlsName, onOtherName } = options;
  let held: Buffer | null = tlsName === null ? null : Buffer.alloc(0);
  const send = (chunk: Buffer): void => {
    silence.sent();
    if (!meter.out(chunk.length) || host.write(chunk)) return;
    box.pause();
    host.once("drain", () => box.resume());
  };
  const take = (chunk: Buffer): void => {
    if (held === null || tlsName === null) return send(chunk);
    held = Buffer.concat([held, chunk]);
    const hello = readClientHello(held);
    if (hello.kind === "incomplete") return;
    const problem = tlsProblem(hello, tlsName);
    if (problem === null) {
      send(held);
      held = null;
      return;
    }
    onOtherName(problem);
    cut(options);
  };
  if (first.length > 0) take(first);
  box.on("data", take);
  box.resume(); // whoever read the beginning of the stream may have stopped it
}

/** SECURITY(T61): a server for many names would answer for another one than the one that was judged. */
function tlsProblem(hello: ClientHello, name: string): string | null {
  if (hello.kind === "other") return null;
  if (hello.kind !== "tls") return "the beginning of TLS cannot be read";
  if (hello.name === null) return "TLS names no host";
  return parseRemoteHost(hello.name) === name ? null : `TLS asks for another host than ${name}`;
}
