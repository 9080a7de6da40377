// Hosts that take a connection and then say nothing, and programs that do not want to end: a call ends all the same.

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { createGithubApi } from "../../../../src/git/target/github/github-api.ts";
import { remoteTarget } from "../../../../src/git/target/remote/remote.ts";
import type { TargetAccess } from "../../../../src/git/target/target.ts";
import { parseRemoteUrl } from "../../../../src/git/target/url.ts";
import { sendRequest } from "../../../../src/process/network.ts";
import { createGate, createRegistry, registerBuiltinTools } from "../../../../src/index.ts";
import { until } from "../../../fixtures/run.ts";
import { answerTo } from "../../../fixtures/approver.ts";
import { makeTestDirectories } from "../../../fixtures/gate.ts";
import { personGit, runCommand, serveHttp } from "../../../fixtures/git-servers.ts";
import { landingOf, report } from "../../../fixtures/git-landing.ts";
import { git } from "../../publish/real-git.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-silent-")));
const sockets = new Set<Socket>();
const server = createServer((socket) => {
  sockets.add(socket.on("error", () => undefined));
  told.shift()?.();
});
const told: (() => void)[] = [];
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const { port } = server.address() as AddressInfo;
after(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
  rmSync(root, { recursive: true, force: true });
});

/** A little while, for a test; the total is never reached. */
const timeAllowed = { silentMs: 900, totalMs: 600_000 };
const connected = () => new Promise<void>((resolve) => told.push(resolve));

function target(url: string, signal?: AbortSignal, how = timeAllowed): TargetAccess {
  const parsed = parseRemoteUrl(url);
  assert.ok(parsed.ok);
  const person = personGit(join(root, "home"), "", {}, [], how);
  const made = remoteTarget({
    url: parsed.value,
    branch: "main",
    git: person,
    directory: mkdtempSync(join(root, "room-")),
    signal,
  });
  return { readState: () => made.readState(), land: (landing, progress) => made.land(landing, person, progress) };
}

const addresses = [`http://127.0.0.1:${port}/x.git`, `ssh://someone@127.0.0.1:${port}/x.git`];

describe("a host that says nothing", () => {
  for (const url of addresses) {
    it(`is left: ${url.split(":")[0]}`, async () => {
      const seen = await target(url).readState();
      assert.ok(!seen.ok);
      assert.equal(seen.failure.error, "tool_failed");
      assert.match(seen.failure.message, /said nothing for too long/);
    });

    it(`is left when the caller cancels, who is told that: ${url.split(":")[0]}`, async () => {
      const stop = new AbortController();
      const asked = connected();
      const seen = target(url, stop.signal, { silentMs: 600_000, totalMs: 600_000 }).readState();
      await asked;
      stop.abort();
      const result = await seen;
      assert.ok(!result.ok);
      assert.match(result.failure.message, /was cancelled by the caller/);
      assert.doesNotMatch(JSON.stringify(result.failure), /reachable/);
    });
  }

  it("is left by the API of GitHub too, and a try in vain counts as a wait", async () => {
    const api = createGithubApi({
      baseUrl: `http://127.0.0.1:${port}`,
      token: null,
      requestMs: 300,
      waitMs: 700,
      send: sendRequest,
    });
    const answer = await api.request("GET", "/repos/a/b");
    assert.ok(!answer.ok);
    assert.match(answer.failure.message, /cannot be reached: it said nothing for too long/);
  });

  it("a call through the gate says that it was cancelled", async (t) => {
    const directories = makeTestDirectories();
    const registry = createRegistry();
    registerBuiltinTools(registry);
    const gate = createGate({
      registry,
      statePath: directories.state,
      project: directories.project,
      configText: JSON.stringify({ version: 1, agents: { default: { tool_grants: ["git_*"] } } }),
      approvers: [{ name: "person", ask: async (question) => answerTo(question) }],
    });
    t.after(() => (gate.close(), directories.remove()));
    const stop = new AbortController();
    const asked = connected();
    const call = gate.call(
      { tool: "git_pull", args: { source: { type: "remote", url: addresses[0] }, paths: ["."] } },
      { signal: stop.signal },
    );
    await asked;
    stop.abort();
    const reply = await call;
    assert.ok(!reply.ok);
    assert.match(reply.message, /was cancelled by the caller/);
  });
});

describe("what goes on is not cut", () => {
  it("a program that says something now and then, for longer than it may be silent", async () => {
    const script = "for i in 1 2 3 4 5 6 7 8; do echo $i; sleep 0.3; done";
    const ended = await runCommand({ ...sh(script), timeAllowed });
    assert.deepEqual([ended.exitCode, ended.cut, String(ended.stdout).length], [0, null, 16]);
  });

  it("a server that is slow in its answers, each within the time", async (t) => {
    const served = join(root, "served");
    const path = join(served, "slow.git");
    git(root, ["init", "-q", "--bare", "-b", "main", path]);
    git(path, ["config", "http.receivepack", "true"]);
    const http = await serveHttp(served, null);
    t.after(() => http.close());
    // In between, each piece waits for a moment in both directions.
    const slow = createServer((near) => {
      const far = connect(http.port, "127.0.0.1");
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const)
        from
          .on("error", () => undefined)
          .on("data", (piece) => setTimeout(() => to.write(piece), 100))
          .on("close", () => setTimeout(() => to.destroy(), 100));
    });
    await new Promise<void>((resolve) => slow.listen(0, "127.0.0.1", resolve));
    t.after(() => slow.close());
    const begun = performance.now();
    const access = target(`http://127.0.0.1:${(slow.address() as AddressInfo).port}/slow.git`);
    const seen = await access.readState();
    assert.ok(seen.ok, JSON.stringify(seen));
    const landed = await access.land(await landingOf(seen.value, report), () => undefined);
    assert.ok(performance.now() - begun > timeAllowed.silentMs, "control: slower than one may be silent");
    assert.ok(landed.ok, JSON.stringify(landed));
    assert.match(git(path, ["ls-tree", "--name-only", "main"]), /report\.md/);
  });
});

describe("what is ended is gone", () => {
  it("with all that it started, also what does not listen to SIGTERM", async () => {
    const started = await runCommand({ ...sh(`trap "" TERM; sleep 1000 & echo $! $$; wait; wait`), timeAllowed });
    assert.equal(started.cut, "silent");
    const [child, own] = String(started.stdout).trim().split(" ");
    assert.ok(Number(child) > 1 && Number(own) > 1);
    // A killed process takes a moment to go; after that at most a zombie is left, which its parent has not waited for yet.
    for (const pid of [child, own]) await until(`the end of ${pid}`, () => !isRunning(pid as string));
  });

  it("also where one that fled holds the pipes", async () => {
    const script = `setsid sh -c 'echo $$; exec sleep 30' & wait`;
    const ended = await runCommand({ ...sh(script), timeAllowed });
    assert.equal(ended.cut, "silent");
    process.kill(Number(String(ended.stdout)));
  });

  it("and the whole has an end, however lively it is", async () => {
    const script = "while :; do echo x; sleep 0.1; done";
    const ended = await runCommand({ ...sh(script), timeAllowed: { silentMs: 60_000, totalMs: 700 } });
    assert.equal(ended.cut, "late");
  });

  it("nothing is started for a caller who is gone already", async () => {
    const mark = join(root, "mark");
    const ended = await runCommand({ ...sh(`touch ${mark}`), signal: AbortSignal.abort() });
    assert.deepEqual([ended.cut, existsSync(mark)], ["cancelled", false]);
    await runCommand(sh(`touch ${mark}`));
    assert.ok(existsSync(mark), "control");
  });
});

function sh(script: string) {
  return {
    file: "/bin/sh",
    args: ["-c", script],
    environment: { PATH: "/usr/bin:/bin" },
    cwd: root,
    stdin: null,
  } as const;
}

function isRunning(pid: string): boolean {
  return existsSync(`/proc/${pid}`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
}
