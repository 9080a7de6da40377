// What a program of `sallyport run` can reach, in a test's own internet: hosts that are granted; no port of the machine, no socket and no
// pipe of the project, and no more from a second terminal that joins.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createSocket } from "node:dgram";
import { createServer } from "node:net";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { type AgentPerson, newAgentPerson } from "../../fixtures/agent-person.ts";
import { serveWeb } from "../../fixtures/internet-servers.ts";
import { until } from "../../fixtures/run.ts";

const granted = await serveWeb("203.0.113.80", 80, null);
const others = await Promise.all(
  (
    [
      ["203.0.113.81", 80],
      ["10.1.2.3", 80],
      ["169.254.169.254", 80],
      ["127.0.0.1", 8_123],
    ] as const
  ).map(([address, port]) => serveWeb(address, port, null)),
);
/** Hosts in the arguments of the program would be asked about before it starts. */
const names = ["other.test", "10.1.2.3", "169.254.169.254", "127.0.0.1:8123", "loopback.test:8123"];

const script = `${["web.test", ...names].map((name) => `curl -sS --max-time 5 http://${name}/from-box &`).join(" ")} wait`;

function personWith(t: TestContext): AgentPerson {
  const person = newAgentPerson(t, { "notes.txt": "one\n", ".gitignore": "cache\n", "try.sh": script });
  writeFileSync(
    person.configFile,
    `version: 1
workspace: { kind: draft }
agents:
  default:
    net_grants: ["web.test:80"]
    fs_grants: [{ path: /usr, mode: r }, { path: "${person.project}", mode: rw }]
`,
  );
  return person;
}

test("a host that is granted is reached, and nothing else is; control: outside all are", async (t) => {
  const person = personWith(t);
  const before = others.map(({ accepts }) => accepts);
  const { out, err } = await person.runBeside(["run", "--", "bash", "try.sh"]);
  assert.equal(out, "web.test GET /from-box\n", err);
  assert.deepEqual([granted.accepts, others.map(({ accepts }) => accepts)], [1, before]);
  const control = spawn("bash", ["-c", script], { stdio: "ignore" });
  await new Promise((resolve) => control.once("close", resolve));
  assert.ok(others.every(({ accepts }, index) => accepts > Number(before[index])));
});

/** Sends a datagram, connects by IPv6, and opens a socket below both: says what went out. */
const otherWays = `import socket
def tries(name, work):
  try:
    work()
    print("out", name)
  except OSError as error: print("not", name, error.strerror)
def datagram(): socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"from the box", ("203.0.113.81", 5353))
def six():
  with socket.socket(socket.AF_INET6) as one:
    one.settimeout(5)
    one.connect(("::1", 8124))
def raw(): socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
def packet(): socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
for work in (datagram, six, raw, packet): tries(work.__name__, work)
`;

test("neither a datagram nor IPv6 nor a raw socket gets out of the box; control: outside each does", async (t) => {
  const person = personWith(t);
  let datagrams = 0;
  const listener = createSocket("udp4", () => (datagrams += 1));
  await new Promise<void>((resolve) => listener.bind(5353, "203.0.113.81", resolve));
  t.after(() => listener.close());
  let sixes = 0;
  const server = createServer((socket) => (sixes++, socket.on("error", () => undefined).end()));
  await new Promise<void>((resolve) => server.listen(8_124, "::1", resolve));
  t.after(() => server.close());
  const { code, out, err } = await person.runBeside(["run", "--", "python3", "-c", otherWays]);
  assert.equal(code, 0, err);
  assert.doesNotMatch(out, /^out (?:six|raw|packet)$/m);
  const control = spawn("python3", ["-c", otherWays], { stdio: ["ignore", "pipe", "ignore"] });
  let said = "";
  control.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  await new Promise((resolve) => control.once("close", resolve));
  if (process.getuid?.() === 0) assert.equal(said, "out datagram\nout six\nout raw\nout packet\n");
  await until("the control has arrived", () => datagrams > 0 && sixes > 0);
  // A datagram that the box had sent would have come before that of the control.
  assert.deepEqual([datagrams, sixes], [1, 1]);
});

/** Says which of these files could be connected to, or written to without waiting. */
const tries = `import os, socket, sys
for path in sys.argv[1:]:
  try:
    if path.endswith(".sock"): socket.socket(socket.AF_UNIX).connect(path)
    else: os.write(os.open(path, os.O_WRONLY | os.O_NONBLOCK), b"from the box\\n")
    print("reached", path)
  except OSError as error: print("not", path, error.strerror)
`;

test("sockets and pipes of the project are not reached, also not those in ignored directories; control: outside they are", async (t) => {
  const person = personWith(t);
  const at = (name: string) => join(person.project, name);
  mkdirSync(at("cache"));
  const paths = ["dev.sock", "cache/dev.sock", "pipe", "cache/pipe"];
  let reached = 0;
  let read = "";
  for (const path of paths.map(at)) {
    if (path.endsWith(".sock")) {
      const server = createServer((socket) => (reached++, socket.on("error", () => undefined).end()));
      await new Promise<void>((resolve) => server.listen(path, resolve));
      t.after(() => server.close());
    } else {
      assert.equal(spawnSync("mkfifo", [path]).status, 0);
      const reader = spawn("/usr/bin/tail", ["-f", path], { stdio: ["ignore", "pipe", "ignore"] });
      reader.stdout.setEncoding("utf8").on("data", (text: string) => (read += text));
      t.after(() => reader.kill("SIGKILL"));
    }
  }
  const argv = ["python3", "-c", tries, ...paths];
  const { out, err } = await person.runBeside(["run", "--", ...argv]);
  assert.equal(out.match(/^not /gm)?.length, paths.length, out + err);
  assert.deepEqual([reached, read], [0, ""]);
  const control = await new Promise<string>((resolve) => {
    const child = spawn(argv[0] as string, argv.slice(1), { cwd: person.project, stdio: ["ignore", "pipe", "ignore"] });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    child.once("close", () => resolve(text));
  });
  assert.equal(control.match(/^reached /gm)?.length, paths.length, control);
  await until("the control has arrived", () => reached === 2 && read.match(/from the box/g)?.length === 2);
});

test("a shell that joins a running session has the filter, no capabilities, and the same files", async (t) => {
  const person = personWith(t);
  const session = ["run", "--session", "shared", "--"];
  const script = "echo joined > mark; for i in $(seq 300); do [ -e leave ] && break; sleep 0.1; done";
  const first = person.runBeside([...session, "bash", "-c", script]);
  const look = "for i in $(seq 300); do [ -e mark ] && break; sleep 0.1; done; cat /proc/self/status; touch leave";
  const joined = await person.runBeside([...session, "bash", "-c", look]);
  assert.equal((await first).code, 0);
  const status = new Map(joined.out.split("\n").map((line) => line.split(/:\s+/) as [string, string]));
  const capabilities = ["CapEff", "CapPrm", "CapInh", "CapBnd", "CapAmb"].map((name) => [name, "0000000000000000"]);
  const expected: Record<string, string> = { Seccomp: "2", NoNewPrivs: "1", ...Object.fromEntries(capabilities) };
  for (const [name, value] of Object.entries(expected))
    assert.equal(status.get(name), value, `${name}\n${joined.out}${joined.err}`);
  assert.notEqual(
    /^Seccomp:\s+(\d)/m.exec(spawnSync("cat", ["/proc/self/status"], { encoding: "utf8" }).stdout)?.[1],
    "2",
    "control: outside there is none",
  );
});
