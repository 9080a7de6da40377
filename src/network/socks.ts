// SOCKS 5, and 4 and 4a, without passwords: whoever reaches the port is in the box. Only connections outwards.

import type { Connections } from "./connections.ts";
import { parseRemoteHost } from "./host-name.ts";
import { endWith, passOn } from "./pass-on.ts";
import type { PiecewiseReader } from "./piecewise.ts";
import { resetSocket } from "./reset.ts";
import type { Traffic } from "./traffic.ts";

const CONNECT = 1;
const NAME_BYTES = 255;

interface SocksRequest {
  /** Null: neither a name nor an address. */
  readonly host: string | null;
  readonly port: number;
  readonly isConnect: boolean;
  readonly answers: {
    readonly yes: Buffer;
    readonly no: Buffer;
    readonly unreachable: Buffer;
    readonly unknown: Buffer;
  };
}

const answers5 = { yes: answer5(0), no: answer5(2), unreachable: answer5(4), unknown: answer5(7) };
const answers4 = { yes: answer4(90), no: answer4(91), unreachable: answer4(91), unknown: answer4(91) };

export async function serveSocks(reader: PiecewiseReader, connections: Connections, traffic: Traffic): Promise<void> {
  const box = reader.socket;
  const request = await readRequest(reader);
  if (request === null) return box.writableEnded ? undefined : resetSocket(box);
  const { host, port, isConnect, answers } = request;
  if (!isConnect) return endWith(box, answers.unknown);
  const allowed = host === null || port === 0 ? null : await connections.judge(host, port);
  if (allowed === null) return endWith(box, answers.no);
  const wasReached = await passOn(box, allowed, connections, traffic, { answer: answers.yes, first: reader.rest });
  if (!wasReached) endWith(box, allowed.use.decision === "deny" ? answers.no : answers.unreachable);
}

/** Null: the bytes are no request. */
async function readRequest(reader: PiecewiseReader): Promise<SocksRequest | null> {
  const version = await reader.take(1);
  return version?.[0] === 4 ? readVersion4(reader) : readVersion5(reader);
}

async function readVersion5(reader: PiecewiseReader): Promise<SocksRequest | null> {
  const methods = await takeCounted(reader);
  if (methods === null) return null;
  if (!methods.includes(0)) {
    endWith(reader.socket, Buffer.from([5, 0xff]));
    return null;
  }
  reader.socket.write(Buffer.from([5, 0]));
  const head = await reader.take(4);
  if (head === null || head[0] !== 5) return null;
  const host = await readHost5(reader, head[3] ?? 0);
  const port = await reader.take(2);
  if (host === null || port === null) return null;
  return { host: parseRemoteHost(host), port: port.readUInt16BE(), isConnect: head[1] === CONNECT, answers: answers5 };
}

/** As text that `parseRemoteHost` reads. */
async function readHost5(reader: PiecewiseReader, type: number): Promise<string | null> {
  if (type === 1) return dotted(await reader.take(4));
  if (type === 3) return (await takeCounted(reader))?.toString("latin1") ?? null;
  const bytes = type === 4 ? await reader.take(16) : null;
  return bytes?.toString("hex").replace(/(.{4})(?!$)/g, "$1:") ?? null;
}

async function readVersion4(reader: PiecewiseReader): Promise<SocksRequest | null> {
  const head = await reader.take(7);
  if (head === null || (await takeText(reader)) === null) return null; // the name of a user
  // 4a: an address of 0.0.0.x says that the name of the host follows.
  const isNamed = head.readUIntBE(3, 3) === 0 && head[6] !== 0;
  const host = isNamed ? await takeText(reader) : dotted(head.subarray(3));
  if (host === null) return null;
  return { host: parseRemoteHost(host), port: head.readUInt16BE(1), isConnect: head[0] === CONNECT, answers: answers4 };
}

const dotted = (bytes: Buffer | null): string | null => (bytes === null ? null : [...bytes].join("."));

async function takeCounted(reader: PiecewiseReader): Promise<Buffer | null> {
  const count = (await reader.take(1))?.[0] ?? 0;
  return count === 0 ? null : reader.take(count);
}

/** Up to a NUL. */
async function takeText(reader: PiecewiseReader): Promise<string | null> {
  let text = "";
  while (text.length <= NAME_BYTES) {
    const byte = (await reader.take(1))?.[0];
    if (byte === undefined) return null;
    if (byte === 0) return text;
    text += String.fromCharCode(byte);
  }
  return null;
}

function answer5(code: number): Buffer {
  return Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]);
}

function answer4(code: number): Buffer {
  return Buffer.from([0, code, 0, 0, 0, 0, 0, 0]);
}
