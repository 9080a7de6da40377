// A network namespace as boxes have it, made by the real keeper, with a broker that holds its listeners.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { arch } from "node:os";
import { receiveSockets } from "../../src/process/receive-sockets.ts";
import type { BoxListener, BoxNetwork } from "../../src/process/box-network.ts";
import { networkArguments, plainArguments } from "../../src/sandbox/keeper-program.ts";
import { nativeProgramPath } from "../../src/sandbox/native-program.ts";

let boxes = 0;

/** Starts a program in a new namespace. Settles with what it printed when it has ended; the broker stays open. */
async function runInBox(network: BoxNetwork, program: string, args: readonly string[]): Promise<string> {
  const key = `b${(boxes += 1)}`;
  const listeners = network.listeners;
  const words = networkArguments({ channelFd: 3, key, listeners }, plainArguments(program, args));
  const child = spawn(nativeProgramPath("keeper", arch()), words, {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: { PATH: process.env["PATH"] },
  });
  const take = (index: number, socket: Parameters<BoxNetwork["attach"]>[1]): void =>
    network.attach(listeners[index] as BoxListener, socket);
  receiveSockets(child, () => ({ key, take }));
  let said = "";
  let problems = "";
  child.stdout?.on("data", (chunk: Buffer) => (said += chunk.toString("latin1")));
  child.stderr?.on("data", (chunk: Buffer) => (problems += chunk.toString("latin1")));
  const code = await new Promise((resolve) => child.once("close", resolve));
  assert.equal(code, 0, problems);
  return said;
}

/**
 * Runs the body of an async function in a box, and returns what it returned. It has `lookUp(name)`, which gives the addresses or the
 * code of the error, and `talk(address, port, bytes)`, which gives what came back until the end, or the code of the error.
 */
export async function inBox<T>(network: BoxNetwork, body: string): Promise<T> {
  const script = `${preamble}\n(async () => {${body}})().then(tell)`;
  return JSON.parse(await runInBox(network, process.execPath, ["--eval", script])) as T;
}

const preamble = String.raw`
const net = require("node:net"), dns = require("node:dns").promises, tls = require("node:tls"), http = require("node:http");
const tell = (value) => process.stdout.write(JSON.stringify(value ?? null), () => process.exit());
const resolver = new dns.Resolver({ timeout: 3000, tries: 2 });
resolver.setServers(["127.0.0.1"]);
const lookUp = (name) => resolver.resolve4(name).catch((error) => error.code);
const talk = (host, port, bytes = "") => new Promise((resolve) => {
  let said = "";
  const socket = net.connect({ host, port, allowHalfOpen: true }, () => socket.end(bytes));
  socket.on("data", (chunk) => (said += chunk.toString("latin1")));
  socket.on("error", (error) => resolve(error.code));
  socket.on("end", () => resolve(said));
});
`;
