// Programs that reach a server of this machine: through the gate's listeners, directly, and through two socats and a proxy, which is how
// other sandboxes do it. And what a call costs that may reach hosts.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import type { Approver, Gate } from "../src/index.ts";
import { bareSpawn } from "./bare-spawn.ts";
import { enterRoom, type Room } from "./box-room.ts";
import { makeRepository } from "./git-repositories.ts";
import { type Candidate, ratioOf, sample, type Summary } from "./measure.ts";
import type { Topic, TopicReport } from "./topic.ts";

const MEGABYTES = 256;
const CONNECTIONS = 100;

// Prints the milliseconds that it took, without the start of the interpreter. argv: port, bytes, connections, proxy port or 0.
const client = `
import socket, sys, time
port, size, count, proxy = map(int, sys.argv[1:5])
buffer = bytearray(1 << 20)
began = time.perf_counter()
for _ in range(count):
    s = socket.create_connection(("127.0.0.1", proxy or port))
    if proxy:
        s.sendall(b"CONNECT 127.0.0.1:%d HTTP/1.1\\r\\nHost: 127.0.0.1:%d\\r\\n\\r\\n" % (port, port))
        assert b" 200 " in s.recv(4096)
    s.sendall(b"%d\\n" % size)
    left = size
    while left:
        n = s.recv_into(buffer)
        assert n > 0
        left -= n
    s.close()
print((time.perf_counter() - began) * 1000)
`;

// Prints when it began to connect, in seconds since 1970, and when the first byte came or the connection was refused. argv: host, port.
const connecting = `
import socket, sys, time
began = time.time()
try:
    s = socket.create_connection((sys.argv[1], int(sys.argv[2])))
    s.sendall(b"1\\n")
    s.recv(1)
except OSError: pass
print(began, time.time())
`;

export const networkTopic: Topic = {
  name: "network",
  async measure() {
    const room = enterRoom();
    const server = spawn(process.execPath, [join(import.meta.dirname, "network-server.ts")], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const [line] = (await once(server.stdout, "data")) as [Buffer];
    const port = Number(line.toString());
    const peer = existsSync("/usr/bin/socat") ? await openPeer(room.directory) : null;
    try {
      const repository = makeRepository(`${room.directory}/repository`, { commits: 2, files: 2 });
      const ofThis = [{ path: repository, mode: "r" }] as const;
      const gate = room.openGate(room.directory, ofThis, "hosts", { netGrants: [`localhost:${port}`] });
      const offline = room.openGate(room.directory, ofThis, "offline");
      const direct = "direct, on loopback";
      const ours = "through the gate";
      const theirs = "through socat, a UNIX socket, socat and a proxy";
      const ways = (size: number, count: number): Candidate[] => [
        { name: direct, run: () => runDirectly([port, size, count, 0]) },
        { name: ours, run: () => runInBox(gate, [port, size, count, 0]) },
        ...(peer === null ? [] : [{ name: theirs, run: () => runDirectly([port, size, count, peer.port]) }]),
      ];
      const bytes = await sample(ways(MEGABYTES << 20, 1), { rounds: 10, warmUpRounds: 1, budgetMs: 60_000 });
      const connections = await sample(ways(1, CONNECTIONS), { rounds: 10, warmUpRounds: 1, budgetMs: 30_000 });
      const [none, hosts] = ["Exec /bin/true without a network", "the same, with hosts granted"];
      const calls = await sample(
        [
          { name: none, run: () => callTrue(offline) },
          { name: hosts, run: () => callTrue(gate) },
        ],
        { rounds: 100, budgetMs: 30_000 },
      );
      const question = await measureQuestion(room, port);
      const closed = await measureWithoutNetwork(gate, offline, repository);
      return {
        tables: [
          ...question.tables,
          ...closed.tables,
          { title: `${MEGABYTES} MB over one connection`, base: direct, rows: bytes },
          { title: `${CONNECTIONS} connections, one after another, a byte each`, base: direct, rows: connections },
          { title: "one call", base: none, rows: calls },
        ],
        goals: [
          {
            what: "throughput through the gate, of a direct connection",
            measured: 1 / ratioOf(bytes, ours, direct),
            bound: 0.25,
            direction: "at least",
            unit: "×",
          },
          {
            what: "a connection through the gate, of a direct one",
            measured: ratioOf(connections, ours, direct),
            bound: 5,
            direction: "at most",
            unit: "×",
          },
          {
            what: "a call with hosts, of one without a network",
            measured: ratioOf(calls, hosts, none),
            bound: 1.3,
            direction: "at most",
            unit: "×",
          },
          ...question.goals,
          ...closed.goals,
        ],
        remarks:
          peer === null
            ? ["the way of other sandboxes is left out: it needs socat (apt-get install socat)"]
            : peerRemarks(bytes, connections, theirs, direct),
      };
    } finally {
      server.stdin.end();
      peer?.close();
      room.leave();
    }
  },
};

type Part = Pick<TopicReport, "tables" | "goals">;

/** From the moment in which a program begins to connect until a person is asked about its host, by the clock of the machine. */
async function measureQuestion(room: Room, port: number): Promise<Part> {
  const [reached, asked] = ["a granted host, until its first byte", "another host, until a person is asked"];
  const granted = room.openGate(room.directory, [], "granted", { netGrants: [`localhost:${port}`] });
  const asking = room.openGate(room.directory, [], "asking", { netGrants: ["ask"] });
  let number = 0;
  const rows = await sample(
    [
      {
        name: reached,
        async run() {
          const [began = NaN, ended = NaN] = await connectOnce(granted, ["localhost", String(port)]);
          return (ended - began) * 1000;
        },
      },
      {
        name: asked,
        async run() {
          let askedMs = NaN;
          const person: Approver = {
            name: "bench",
            ask({ action: { digest } }) {
              askedMs = performance.timeOrigin + performance.now();
              return Promise.resolve({ decision: "deny", digest, scope: "once", who: "bench", reason: null });
            },
          };
          const [began = NaN] = await connectOnce(asking, [`host-${(number += 1)}.example`, "443"], person);
          return askedMs - began * 1000;
        },
      },
    ],
    { rounds: 40, warmUpRounds: 2, budgetMs: 30_000 },
  );
  const took = rows.find(({ name }) => name === asked)?.medianMs ?? NaN;
  return {
    tables: [{ title: "a connection of a program", base: reached, rows }],
    goals: [
      {
        what: "the question about a host, after a program began to connect",
        measured: took,
        bound: 100,
        direction: "at most",
        unit: "ms",
      },
      {
        what: "the same, of a granted connection until its first byte",
        measured: ratioOf(rows, asked, reached),
        bound: 5,
        direction: "at most",
        unit: "×",
      },
    ],
  };
}

async function connectOnce(gate: Gate, words: readonly string[], person?: Approver): Promise<number[]> {
  const argv = ["/usr/bin/python3", "-c", connecting, ...words];
  const reply = await gate.call({ tool: "Exec", args: { argv } }, person === undefined ? {} : { approvers: [person] });
  if (!reply.ok || reply.result["exit_code"] !== 0) throw new Error(JSON.stringify(reply).slice(0, 2_000));
  return String(reply.result["stdout"]).trim().split(" ").map(Number);
}

/** A call that reaches nothing costs the same, whatever hosts its agent has. */
async function measureWithoutNetwork(withHosts: Gate, without: Gate, repository: string): Promise<Part> {
  const [none, hosts] = ["git rev-parse HEAD, no hosts granted", "git rev-parse HEAD, hosts granted"];
  const rows = await sample(
    [
      { name: none, run: () => callGit(without, repository) },
      { name: hosts, run: () => callGit(withHosts, repository) },
    ],
    { rounds: 100, budgetMs: 30_000 },
  );
  return {
    tables: [{ title: "a call without a network", base: none, rows }],
    goals: [
      {
        what: "a call without a network, with hosts granted to its agent",
        measured: ratioOf(rows, hosts, none),
        bound: 1.1,
        direction: "at most",
        unit: "×",
      },
    ],
  };
}

function peerRemarks(
  bytes: readonly Summary[],
  connections: readonly Summary[],
  theirs: string,
  direct: string,
): string[] {
  const share = (1 / ratioOf(bytes, theirs, direct)).toFixed(2);
  return [
    `${theirs}: ${share} of the direct throughput, ${ratioOf(connections, theirs, direct).toFixed(1)} × the time of a connection; without a box`,
  ];
}

async function runDirectly(args: readonly number[]): Promise<number> {
  const { printed } = await bareSpawn("/usr/bin/python3", ["-c", client, ...args.map(String)]);
  return Number(printed);
}

async function runInBox(gate: Gate, args: readonly number[]): Promise<number> {
  const reply = await gate.call({
    tool: "Exec",
    args: { argv: ["/usr/bin/python3", "-c", client, ...args.map(String)], timeout_s: 120 },
  });
  if (!reply.ok || reply.result["exit_code"] !== 0) throw new Error(JSON.stringify(reply).slice(0, 2_000));
  return Number(reply.result["stdout"]);
}

async function callGit(gate: Gate, repository: string): Promise<void> {
  const reply = await gate.call({ tool: "Git", args: { op: "rev_parse", repo: repository, ref: "HEAD" } });
  if (!reply.ok || reply.result["exit_code"] !== 0) throw new Error(JSON.stringify(reply).slice(0, 2_000));
}

async function callTrue(gate: Gate): Promise<void> {
  const reply = await gate.call({ tool: "Exec", args: { argv: ["/usr/bin/true"] } });
  if (!reply.ok || reply.result["exit_code"] !== 0) throw new Error(JSON.stringify(reply).slice(0, 2_000));
}

/** The proxy listens on a UNIX socket through one socat, and programs reach that through another. */
async function openPeer(directory: string): Promise<{ readonly port: number; close(): void }> {
  const proxy = createServer().on("connect", (request, socket, head) => {
    const [host = "", port = ""] = (request.url ?? "").split(":");
    const onward = connect(Number(port), host, () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      onward.write(head);
      onward.pipe(socket).on("error", () => onward.destroy());
      socket.pipe(onward).on("error", () => socket.destroy());
    });
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  const at = (proxy.address() as { port: number }).port;
  const free = createServer();
  await once(free.listen(0, "127.0.0.1"), "listening");
  const { port } = free.address() as { port: number };
  free.close();
  const path = join(directory, "proxy.sock");
  const children: ChildProcess[] = [
    spawn("socat", [`UNIX-LISTEN:${path},fork`, `TCP:127.0.0.1:${at}`], { stdio: "ignore" }),
    spawn("socat", [`TCP-LISTEN:${port},fork,reuseaddr,bind=127.0.0.1`, `UNIX-CONNECT:${path}`], { stdio: "ignore" }),
  ];
  await new Promise((resolve) => setTimeout(resolve, 500));
  return {
    port,
    close() {
      for (const child of children) child.kill();
      proxy.close();
    },
  };
}
