// The gate's side of native/forker.c, a small process that starts the commands of boxes. Forking gets slower as the parent's
// memory grows, and a gate can be large.
// Invariant: a command is started at most once. The gate starts it directly only if the forker certainly did not.

import type { ChildProcess } from "node:child_process";
import { constants } from "node:fs";
import type { Socket } from "node:net";
import { getSystemErrorName } from "node:util";
import {
  type BoxCommand,
  type BoxProcess,
  type Descriptor,
  endOfProcess,
  LostProcess,
  type SocketReceiver,
} from "./box-process.ts";
import { receiveSockets } from "./receive-sockets.ts";

const START = 1;
const SIGNAL = 2;
const HEAD_BYTES = 16;
const DESCRIPTOR_BYTES = 8;

const STARTED = 1;
const NOT_STARTED = 2;
const NOT_OPENED = 3;
const ENDED = 4;
const ANSWER_BYTES = 12;

/** The forker's exit code if it cannot begin. It has then read no request. */
const NOT_BEGUN = 3;

const SIGKILL = 9;
const O_PATH = 0o10000000;
const flagsOf: Readonly<Record<Descriptor["access"], number>> = {
  read: constants.O_RDONLY,
  write: constants.O_WRONLY,
  both: constants.O_RDWR,
  path: O_PATH,
  channel: 1 << 30,
};

/** Starts the same command from this process. */
export type StartDirectly = () => BoxProcess;

export class Forker {
  readonly #open: () => ChildProcess;
  readonly #boxes = new Map<number, ForkedBox>();
  readonly #receivers = new Map<string, SocketReceiver>();
  #child: ChildProcess | null = null;
  #isUsable = true;
  #hasAnswered = false;
  #isClosed = false;
  #nextId = 1;

  /**
   * `open` starts native/forker with pipes for 0 and 1, and a channel for 3 if commands are to send sockets. Called when there is
   * something to start, and again if the forker is gone.
   */
  constructor(open: () => ChildProcess) {
    this.#open = open;
  }

  start(command: BoxCommand, directly: StartDirectly): BoxProcess {
    if (!this.#isUsable || this.#isClosed) return directly();
    const request = startRequest(command);
    const child = (this.#child ??= this.#begin());
    const id = this.#nextId++;
    const box = new ForkedBox(directly, (signal) => child.stdin?.write(head(SIGNAL, id, signal, 0)));
    this.#boxes.set(id, box);
    const { receiver } = command;
    if (receiver !== undefined) {
      this.#receivers.set(receiver.key, receiver);
      void box.ended.then(() => this.#receivers.delete(receiver.key));
    }
    // While a box runs, the gate's event loop must stay alive: also between the end of a forker's output and its own.
    child.ref();
    (child.stdout as Socket).ref();
    request.writeUInt32LE(id, 4);
    child.stdin?.write(request);
    return box;
  }

  /** Running commands continue to their end. */
  close(): void {
    this.#isClosed = true;
    this.#rest();
  }

  #begin(): ChildProcess {
    const child = this.#open();
    child.unref();
    (child.stdin as Socket).unref();
    (child.stdout as Socket).unref();
    if (child.channel != null) {
      receiveSockets(child, (key) => this.#receivers.get(key));
      child.channel.unref();
    }
    child.stdin?.on("error", () => undefined); // "close" below reports the end
    let rest: Buffer = Buffer.alloc(0);
    child.stdout?.on("data", (bytes: Buffer) => {
      const all = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      let at = 0;
      for (; at + ANSWER_BYTES <= all.length; at += ANSWER_BYTES)
        this.#answered(all.readUInt32LE(at), all.readUInt32LE(at + 4), all.readInt32LE(at + 8));
      rest = all.subarray(at);
    });
    child.once("error", () => this.#gone(child, true));
    child.once("close", (code) => this.#gone(child, code === NOT_BEGUN));
    return child;
  }

  #answered(kind: number, id: number, value: number): void {
    this.#hasAnswered = true;
    const box = this.#boxes.get(id);
    if (box === undefined) return;
    if (kind === STARTED) box.begin(value);
    else this.#boxes.delete(id);
    if (kind === ENDED) box.end(endOfProcess((value & 0x7f) === 0 ? (value >> 8) & 0xff : null));
    if (kind === NOT_STARTED) box.end(new Error(getSystemErrorName(-value)));
    if (kind === NOT_OPENED) {
      // On this machine, another process cannot open the gate's descriptors.
      this.#isUsable = false;
      box.startDirectly();
    }
    this.#rest();
  }

  #rest(): void {
    if (this.#boxes.size > 0 || this.#child === null) return;
    this.#child.unref();
    (this.#child.stdout as Socket).unref();
    if (this.#isClosed || !this.#isUsable) this.#child.stdin?.end();
  }

  #gone(child: ChildProcess, isUntouched: boolean): void {
    if (this.#child !== child) return;
    this.#child = null;
    // A forker that has never answered would not answer the next time either.
    if (isUntouched || !this.#hasAnswered) this.#isUsable = false;
    const boxes = [...this.#boxes.values()];
    this.#boxes.clear();
    for (const box of boxes)
      if (isUntouched) box.startDirectly();
      else box.end(new LostProcess("the process that starts the boxes is gone"));
  }
}

class ForkedBox implements BoxProcess {
  readonly #started = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<Error | null>();
  readonly #directly: StartDirectly;
  readonly #signal: (signal: number) => void;
  #direct: BoxProcess | null = null;
  #pid: number | null = null;
  #isOver = false;

  constructor(directly: StartDirectly, signal: (signal: number) => void) {
    this.#directly = directly;
    this.#signal = signal;
  }

  get pid(): number | null {
    return this.#direct?.pid ?? this.#pid;
  }

  get isOver(): boolean {
    return this.#direct?.isOver ?? this.#isOver;
  }

  get started(): Promise<void> {
    return this.#started.promise;
  }

  get ended(): Promise<Error | null> {
    return this.#ended.promise;
  }

  kill(): void {
    if (this.#direct !== null) this.#direct.kill();
    else if (!this.#isOver) this.#signal(SIGKILL);
  }

  begin(pid: number): void {
    this.#pid = pid;
    this.#started.resolve();
  }

  end(why: Error | null): void {
    this.#isOver = !(why instanceof LostProcess);
    this.#started.resolve();
    this.#ended.resolve(why);
  }

  startDirectly(): void {
    this.#direct = this.#directly();
    this.#started.resolve(this.#direct.started);
    this.#ended.resolve(this.#direct.ended);
  }
}

function head(kind: number, id: number, value: number, count: number): Buffer {
  const bytes = Buffer.alloc(HEAD_BYTES);
  for (const [index, number] of [kind, id, value, count].entries()) bytes.writeUInt32LE(number, 4 * index);
  return bytes;
}

/** The request without its id, which the caller fills in. */
function startRequest({ file, args, descriptors, cwd }: BoxCommand): Buffer {
  const all = [cwd, file, ...args];
  // SECURITY(T06): a NUL would end one word and begin the next.
  if (all.some((word) => word.includes("\0"))) throw new TypeError("a word of a command has a NUL in it");
  const words = Buffer.from(`${all.join("\0")}\0`, "utf8");
  const numbers = Buffer.alloc(descriptors.length * DESCRIPTOR_BYTES);
  for (const [index, { fd, access }] of descriptors.entries()) {
    numbers.writeUInt32LE(fd ?? 0, index * DESCRIPTOR_BYTES);
    numbers.writeUInt32LE(flagsOf[access], index * DESCRIPTOR_BYTES + 4);
  }
  return Buffer.concat([head(START, 0, words.length, descriptors.length), numbers, words]);
}
