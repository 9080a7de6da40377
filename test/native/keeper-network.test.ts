// `keeper net`: every address of a box is its own, what a program connects to reaches the gate, and nothing else is there.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import type { Socket as DatagramSocket } from "node:dgram";
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import type { Server } from "node:net";
import { arch, tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import type { BoxListener, ListeningSocket } from "../../src/process/box-network.ts";
import type { BoxCommand } from "../../src/process/box-process.ts";
import { Forker } from "../../src/process/forker.ts";
import { receiveSockets } from "../../src/process/receive-sockets.ts";
import { networkArguments, plainArguments } from "../../src/sandbox/keeper-program.ts";
import { nativeProgramPath } from "../../src/sandbox/native-program.ts";
import { until } from "../fixtures/run.ts";
import { noBinary } from "./built.ts";

const skip = noBinary;
const keeper = nativeProgramPath("keeper", arch());
const directory = mkdtempSync(join(tmpdir(), "sallyport-keeper-network-"));
test.after(() => rmSync(directory, { recursive: true, force: true }));

const listeners: readonly BoxListener[] = [
  { kind: "tcp", address: null, port: 443 },
  { kind: "tcp", address: "198.18.0.5", port: 5432 },
  { kind: "tcp", address: "::1", port: 5432 },
  { kind: "dns", address: "0.0.0.0", port: 53 },
];

function openNetworkForker(t: TestContext): Forker {
  const forker = new Forker(() =>
    spawn(nativeProgramPath("forker", arch()), [], {
      stdio: ["pipe", "pipe", "ignore", "ipc"],
      env: {},
      detached: true,
    }),
  );
  t.after(() => forker.close());
  return forker;
}

interface Network {
  /** Where programs connected to, in order. */
  readonly reached: string[];
  readonly listening: ListeningSocket[];
  readonly asked: string[];
}

/** Answers each connection with the address that it was for, and each question about a name with the same bytes. */
function answering(): Network & { take(index: number, socket: ListeningSocket): void } {
  const network: Network = { reached: [], listening: [], asked: [] };
  return {
    ...network,
    take(index, socket) {
      network.listening.push(socket);
      if (listeners[index]?.kind === "dns")
        (socket as DatagramSocket).on("message", (bytes, from) => {
          network.asked.push(bytes.toString("latin1"));
          (socket as DatagramSocket).send(bytes, from.port, from.address);
        });
      else
        (socket as Server).on("connection", (connection) => {
          network.reached.push(`${connection.localAddress}:${connection.localPort}`);
          connection.end(`${connection.localAddress}\n`);
        });
    },
  };
}

let runs = 0;

async function run(
  forker: Forker,
  script: string,
  network: ReturnType<typeof answering>,
  directly?: (command: BoxCommand) => Promise<void>,
): Promise<string> {
  const path = join(directory, `said-${(runs += 1)}`);
  const said = openSync(path, "w");
  const key = `k${runs}`;
  const words = networkArguments({ channelFd: 3, key, listeners }, plainArguments("/bin/bash", ["-c", script]));
  const command: BoxCommand = {
    file: keeper,
    args: words,
    cwd: "/",
    descriptors: [
      { fd: openSync("/dev/null", "r"), access: "read" },
      { fd: said, access: "write" },
      { fd: said, access: "write" },
      { fd: null, access: "channel" },
    ],
    receiver: { key, take: (index, socket) => network.take(index, socket) },
  };
  if (directly !== undefined) await directly(command);
  else {
    const box = forker.start(command, () => assert.fail("it was started directly"));
    await box.started;
    assert.equal(await box.ended, null);
  }
  closeSync(said);
  for (const socket of network.listening) socket.close();
  return readFileSync(path, "utf8");
}

/** The directory itself is closed again by the time its descriptor is looked at. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

const connect = (address: string, port: number) => `cat 2>&1 < /dev/tcp/${address}/${port}`;

test("what a program connects to reaches the gate, under the address that it used", { skip }, async (t) => {
  const network = answering();
  const script = [
    connect("198.18.7.7", 443),
    connect("203.0.113.9", 443),
    connect("2001:db8::5", 443),
    connect("198.18.0.5", 5432),
    connect("::1", 5432),
  ].join("; ");
  const said = await run(openNetworkForker(t), script, network);
  const addresses = ["::ffff:198.18.7.7", "::ffff:203.0.113.9", "2001:db8::5", "198.18.0.5", "::1"];
  assert.deepEqual(said.split("\n").slice(0, -1), addresses);
  assert.deepEqual(network.reached, [
    "::ffff:198.18.7.7:443",
    "::ffff:203.0.113.9:443",
    "2001:db8::5:443",
    "198.18.0.5:5432",
    "::1:5432",
  ]);
});

test("a question about a name reaches the gate, whichever server is asked", { skip }, async (t) => {
  const network = answering();
  const ask = (server: string) =>
    `exec 3<>/dev/udp/${server}/53; echo -n "for ${server}" >&3; head -c ${4 + server.length} <&3; echo`;
  const said = await run(openNetworkForker(t), `${ask("127.0.0.1")}; ${ask("192.0.2.53")}`, network);
  assert.equal(said, "for 127.0.0.1\nfor 192.0.2.53\n");
  assert.deepEqual(network.asked, ["for 127.0.0.1", "for 192.0.2.53"]);
});

test("where nobody listens, a program is refused at once; its own servers are free", { skip }, async (t) => {
  const network = answering();
  const script = [
    connect("198.18.0.6", 5432),
    connect("127.0.0.1", 5432),
    `python3 -c 'import socket
s = socket.create_server(("127.0.0.1", 5432)); c = socket.create_connection(("127.0.0.1", 5432)); s.accept()[0].send(b"own"); print(c.recv(3).decode())'`,
  ].join("; ");
  const said = await run(openNetworkForker(t), script, network);
  assert.equal(said.match(/Connection refused/g)?.length, 2 * 2, said);
  assert.match(said, /^own$/m);
  assert.deepEqual(network.reached, []);
});

test("two boxes of one forker do not mix, and neither reaches the other's listeners", { skip }, async (t) => {
  const forker = openNetworkForker(t);
  const [one, two] = [answering(), answering()];
  const said = await Promise.all([
    run(forker, `${connect("198.18.0.1", 443)}; sleep 0.2; ${connect("198.18.0.1", 443)}`, one),
    run(forker, `${connect("198.18.0.2", 443)}; sleep 0.2; ${connect("198.18.0.2", 443)}`, two),
  ]);
  assert.deepEqual(said, ["::ffff:198.18.0.1\n".repeat(2), "::ffff:198.18.0.2\n".repeat(2)]);
  assert.deepEqual(new Set(one.reached), new Set(["::ffff:198.18.0.1:443"]));
  assert.deepEqual(new Set(two.reached), new Set(["::ffff:198.18.0.2:443"]));
});

test("the program has neither the channel nor a listener, and afterwards the gate has none", { skip }, async (t) => {
  const sockets = () =>
    readdirSync("/proc/self/fd")
      .map((fd) => linkOf(`/proc/self/fd/${fd}`))
      .filter((link) => link.startsWith("socket:"));
  const network = answering();
  const forker = openNetworkForker(t);
  await run(forker, "true", answering());
  const before = new Set(sockets()); // some may be of earlier tests, and end while this one runs
  const said = await run(forker, "for fd in /proc/self/fd/*; do readlink $fd; done | grep -c socket", network);
  assert.equal(said, "0\n");
  assert.equal(network.listening.length, listeners.length);
  await until("the gate has closed them", () => sockets().every((socket) => before.has(socket)));
});

test("the same without the forker", { skip }, async (t) => {
  const network = answering();
  const said = await run(openNetworkForker(t), connect("198.18.7.7", 443), network, async (command) => {
    const { file, args, descriptors, cwd, receiver } = command;
    const stdio = descriptors.map(({ fd, access }) => (access === "channel" ? ("ipc" as const) : fd));
    const child = spawn(file, args, { stdio, env: {}, cwd });
    receiveSockets(child, () => receiver);
    await new Promise((resolve) => child.once("exit", resolve));
  });
  assert.equal(said, "::ffff:198.18.7.7\n");
});
