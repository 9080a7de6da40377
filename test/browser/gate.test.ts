// The gate of `sallyport/browser` in a worker of Chromium, with SQLite in the private file system: what it does there, and what
// it says to the scripts of the corpus that need no machine.

import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import test, { before, type TestContext } from "node:test";
import { rolldown } from "rolldown";
import { noNetwork } from "../../extension/browser-gate/draft.ts";
import type { Approver, CallRequest, Gate, Reply, RuleText } from "../../src/browser.ts";
import { createGithubApi } from "../../src/git/target/github/github-api.ts";
import { githubTarget } from "../../src/git/target/github/github.ts";
import { parseGithubRepo } from "../../src/git/target/url.ts";
import { sendRequest } from "../../src/process/network.ts";
import { registerBashTool } from "../../src/tools/bash.ts";
import { registerBuiltinTools } from "../../src/tools/builtin.ts";
import { registerPythonTool } from "../../src/tools/python.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { landingOf } from "../fixtures/git-landing.ts";
import { listenOn, startGithubEmulator } from "../fixtures/github-emulator.ts";
import { type GithubFront, openGithubFront } from "../fixtures/github-front.ts";
import { hashes } from "../git/publish/real-git.ts";
import { loadCases } from "../corpus/cases.ts";
import { configText, makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { newPage, noBrowser } from "../ui/fixture.ts";
import type { GateDone, GateTask } from "./gate-worker.ts";
import {
  type CaseContext,
  casePerson,
  caseSequences,
  echoing,
  runCaseSequence,
  type StepWords,
} from "./case-sequences.ts";
import { type Judged, judgedWords } from "./judged-words.ts";
import { shownWords } from "./shown-words.ts";

const root = join(import.meta.dirname, "../..");
const wasm = join(root, "node_modules/@sqlite.org/sqlite-wasm/dist/sqlite3.wasm");

let script: Promise<string>;
before(() => {
  script = bundleWorker();
});

async function bundleWorker(input = join(import.meta.dirname, "gate-worker.ts")): Promise<string> {
  const bundle = await rolldown({
    cwd: root,
    input,
    platform: "browser",
    resolve: {
      alias: {
        "sallyport/browser": join(root, "src/browser.ts"),
        "@sqlite.org/sqlite-wasm": join(root, "node_modules/@sqlite.org/sqlite-wasm"),
      },
    },
  });
  const { output } = await bundle.generate({ format: "es", codeSplitting: false });
  await bundle.close();
  return output[0].code;
}

async function inGate(t: TestContext, task: GateTask): Promise<GateDone> {
  return (await inWorker(t, script, task)) as GateDone;
}

/** True where it has answered: a page, the worker that it starts, and what this loads. */
function servePage(script: Promise<string>, { url }: IncomingMessage, response: ServerResponse): boolean {
  const files: Readonly<Record<string, readonly [type: string, body: Promise<string | Buffer>]>> = {
    "/": ["text/html", Promise.resolve("<!doctype html><title>A page</title>")],
    "/favicon.ico": ["image/png", Promise.resolve("")],
    "/worker.js": ["text/javascript", script],
    "/sqlite3.wasm": ["application/wasm", readFile(wasm)],
  };
  const found = files[url ?? ""];
  if (found === undefined) return false;
  void found[1].then((bytes) => response.setHeader("content-type", found[0]).end(bytes));
  return true;
}

/** What the worker answers to the message. */
async function inWorker(t: TestContext, script: Promise<string>, message: unknown): Promise<unknown> {
  const server = createServer((request, response) => {
    if (!servePage(script, request, response)) response.writeHead(404).end();
  });
  const origin = `http://127.0.0.1:${await listenOn(server)}`;
  t.after(() => server.close().closeAllConnections());
  return await inWorkerOf(t, origin, message);
}

async function inWorkerOf(t: TestContext, origin: string, message: unknown): Promise<unknown> {
  const page = await newPage(t);
  await page.goto(origin);
  const { done, error } = await page.evaluate(
    (message) =>
      new Promise<{ done?: unknown; error?: string }>((resolve) => {
        const worker = new Worker("/worker.js", { type: "module" });
        worker.addEventListener("message", ({ data }) => resolve(data as { done?: unknown }));
        worker.addEventListener("error", (event) => resolve({ error: event.message }));
        worker.postMessage(message);
      }),
    message as never,
  );
  assert.equal(error, undefined);
  return done;
}

test("calls are judged, asked about, run in the box and recorded", { skip: noBrowser }, async (t) => {
  const script = "grep -c return a.py";
  const { replies, tasks, record } = await inGate(t, {
    kind: "call",
    rules: [{ decide: "ask", effect: "write", path: "/workspace/release/**", because: "it is released" }],
    calls: [
      { tool: "write_file", args: { path: "a.py", content: "return\n" } },
      { tool: "write_file", args: { path: "release/a", content: "x" } },
      { tool: "Bash", args: { script } },
      { tool: "Python", args: { code: "print(1)" } },
      { tool: "read_file", args: { path: "made.txt" } },
      { tool: "read_file", args: { path: "/etc/passwd" } },
      { tool: "Bash", args: { script: "true", needs: { network: true } } },
      { tool: "Bash", args: { script: "true", cwd: "/etc" } },
      { tool: "git_pull", args: { source: { type: "local", path: "/project" }, paths: ["."] } },
      { tool: "Shell", args: { command: "ls" } },
    ],
  });
  const said = replies.map((reply) => (reply.ok ? "done" : reply.error));
  assert.deepEqual(said, [
    "done",
    "fs_denied",
    "done",
    "done",
    "done",
    "invalid_args",
    "net_denied",
    "fs_denied",
    "invalid_args",
    "tool_not_found",
  ]);
  const [bash] = replies.slice(2);
  assert.ok(bash?.ok === true);
  assert.deepEqual(bash.result["artifacts"], [{ path: "/workspace/made.txt", operation: "create", size: 5 }]);
  assert.deepEqual(tasks, [
    { program: "bash", text: script, files: ["/workspace/a.py"] },
    { program: "python", text: "print(1)", files: ["/workspace/a.py", "/workspace/made.txt"] },
  ]);
  assert.ok(record.ok && record.entries > 15, JSON.stringify(record));
});

test("an answer opens neither a network nor a directory that the box lacks", { skip: noBrowser }, async (t) => {
  const rules = [
    { decide: "allow", effect: "network", host: "*" },
    { decide: "allow", effect: "read", path: "/etc" },
  ] as const;
  const { replies, tasks } = await inGate(t, {
    kind: "call",
    rules,
    calls: [
      { tool: "Bash", args: { script: "true", needs: { network: true } } },
      { tool: "Bash", args: { script: "true", cwd: "/etc" } },
      { tool: "Bash", args: { script: "true" } },
    ],
  });
  const said = replies.map((reply) => (reply.ok ? "done" : `${reply.error}: ${reply.message}`));
  assert.match(said[0] ?? "", /^sandbox_unavailable: .*no network/);
  assert.notEqual(said[1], "done");
  assert.equal(said[2], "done", "the control");
  assert.equal(tasks.length, 1);
});

test("the example of docs/library.md opens a gate", { skip: noBrowser }, async (t) => {
  const document = await readFile(join(root, "docs/library.md"), "utf8");
  const blocks = [...document.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, body]) => body ?? "");
  const example = blocks.find((block) => block.includes("openBrowserGate({"));
  assert.ok(example !== undefined);
  const directory = mkdtempSync(join(tmpdir(), "sallyport-example-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, "example.ts");
  writeFileSync(file, `${example}\npostMessage({ done: [reply, stores.journal.verify().ok] });\n`);
  const [reply, isWhole] = (await inWorker(t, bundleWorker(file), {})) as [Reply, boolean];
  assert.deepEqual(reply, {
    ...reply,
    ok: true,
    result: { path: "/workspace/notes.md", operation: "create", size: 8 },
  });
  assert.equal(isWhole, true);
});

/** The scripts of the corpus, as calls that both gates can judge: nothing of a machine is named in them. */
function corpusCalls(): { readonly ids: readonly string[]; readonly calls: readonly CallRequest[] } {
  const ids: string[] = [];
  const calls: CallRequest[] = [];
  for (const { id, input } of loadCases(["bash", "shell", "sandbox", "python"])) {
    const { command, code } = input as { command?: unknown; code?: unknown };
    const text = typeof command === "string" ? command : typeof code === "string" ? code : null;
    if (text === null) continue;
    const filled = text.replaceAll(/@@(?:REPO|ROOT|WORK)@@/g, "/workspace").replaceAll(/@@[A-Z_]+@@/g, "/workspace/x");
    ids.push(id);
    calls.push({
      tool: typeof command === "string" ? "Bash" : "Python",
      args: { ...(typeof command === "string" ? { script: filled } : { code: filled }), cwd: "/workspace" },
    });
  }
  return { ids, calls };
}

interface MachineOptions {
  readonly rules?: readonly RuleText[];
  readonly approvers?: readonly Approver[];
  /** Of GitHub's API. */
  readonly githubUrl?: string;
}

/** A gate of this machine with what a browser's has, for comparing. */
function openMachineGate(t: TestContext, { rules = [], ...more }: MachineOptions = {}): Gate {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const registry = createRegistry();
  registerBuiltinTools(registry);
  registerBashTool(registry);
  registerPythonTool(registry);
  const { HOME } = process.env;
  process.env["HOME"] = "/home/user"; // what `~` means in a browser
  t.after(() => void (process.env["HOME"] = HOME));
  const tools = ["Bash", "Python", "git_*", "*_file", "*_files"];
  const grants = { tools, paths: [{ path: "/usr", mode: "r" }], policy: { rules } } as const;
  const { approvers = [], githubUrl } = more;
  const config = {
    ...(JSON.parse(configText(directories, grants)) as object),
    git: {
      author: { name: "Ana", email: "ana@example.com" },
      ...(githubUrl === undefined ? {} : { github_url: githubUrl }),
    },
  };
  const gate = openGate(directories, grants, { registry, approvers, configText: JSON.stringify(config) });
  t.after(() => gate.close());
  return gate;
}

/** Programs that are links on this machine, and how the person is told to start this one. */
const machineNames = new Map([
  [`node ${root}/bin/sallyport.js`, "sallyport"],
  ...["python3", "sh"].map((name) => [realpathSync(`/usr/bin/${name}`), `/usr/bin/${name}`] as const),
]);

/** What an agent reads. Taken out: ids and times, and in the person's own command the directories, which a browser does not have. */
function repliedWords(reply: Reply, names: ReadonlyMap<string, string> = new Map()): string {
  const text = [...names].reduce((said, [own, other]) => said.replaceAll(own, other), JSON.stringify(reply));
  return text
    .replaceAll(/\b[qc]-[0-9a-f]{8}\b/g, "ID")
    .replaceAll(/"createdAt":"[^"]+"/g, '"createdAt":"TIME"')
    .replaceAll(/ --state \/[\w/-]+\/state --project \/[\w/-]+\/project/g, "");
}

function assertSame(ids: readonly string[], calls: readonly CallRequest[], here: unknown[], there: readonly unknown[]) {
  const different = ids.flatMap((id, at) => {
    const [one, other] = [here[at], there[at]];
    return JSON.stringify(one) === JSON.stringify(other) ? [] : [{ id, call: calls[at], here: one, there: other }];
  });
  assert.deepEqual(different.slice(0, 5), [], `${different.length} differ`);
}

test("the corpus's scripts get the same verdicts and words from both gates", { skip: noBrowser }, async (t) => {
  const { ids, calls } = corpusCalls();
  const there = await inGate(t, { kind: "judge", rules: [], calls });
  const gate = openMachineGate(t);
  const here: Judged[] = [];
  for (const call of calls) here.push(judgedWords(await gate.plan(call), machineNames));
  t.diagnostic(`${ids.length} scripts`);
  assertSame(ids, calls, here, there.judged);

  await t.test("with the extension's own rule as well", async (t) => {
    const rules = [noNetwork];
    const there = await inGate(t, { kind: "judge", rules, calls });
    const gate = openMachineGate(t, { rules });
    const denied: Judged[] = [];
    for (const call of calls) denied.push(judgedWords(await gate.plan(call), machineNames));
    const byRule = denied.filter(({ words }) => words.some((word) => word.includes(noNetwork.because ?? "")));
    t.diagnostic(`${byRule.length} scripts meet the rule`);
    assert.ok(byRule.length > 10 && byRule.every(({ decision }) => decision === "deny"));
    // Where the rule is written is not the same.
    const unplaced = ({ decision, words }: Judged) => ({
      decision,
      words: words.map((word) => word.replace(/ \(rule r-\w+, [^()]+\)$/, " (rule)")),
    });
    assertSame(ids, calls, denied.map(unplaced), there.judged.map(unplaced));
  });

  await t.test("and who may not run one reads the same words", async (t) => {
    // What is allowed would run, and the box of this test runs nothing.
    const refused = ids.flatMap((id, at) =>
      here[at]?.decision === "allow" ? [] : [{ id, call: calls[at] as CallRequest }],
    );
    const asked = refused.map(({ call }) => call);
    const { replies } = await inGate(t, { kind: "call", rules: [], calls: asked });
    const own: string[] = [];
    for (const call of asked) own.push(repliedWords(await gate.call(call), machineNames));
    t.diagnostic(`${refused.length} refusals`);
    assert.ok(replies.every(({ ok }) => !ok));
    assertSame(
      refused.map(({ id }) => id),
      asked,
      own,
      replies.map((reply) => repliedWords(reply)),
    );
  });
});

/** The calls of git's tools in the corpus that name nothing of a machine, and the files that they are about. */
function corpusGitCalls(): { readonly ids: readonly string[]; readonly calls: readonly CallRequest[] } {
  const written = new Set<string>();
  const found = loadCases(["push"]).flatMap(({ id, input, setup }) => {
    const { tool, args } = input as Partial<CallRequest> & { args?: Record<string, unknown> };
    if (tool === undefined || args === undefined || setup !== undefined) return [];
    if (/"(?:local|local-bare)"|@@OTHER/.test(JSON.stringify(args))) return [];
    const files = tool === "git_stage" ? (args["files"] as unknown[]) : [];
    for (const file of files) if (typeof file === "string") written.add(file);
    return [{ id, call: { tool, args } }];
  });
  const writes = [...written].map((path) => ({ tool: "write_file", args: { path, content: `${path}\n` } }));
  return {
    ids: [...writes.map(({ args }) => `write ${args.path}`), ...found.map(({ id }) => id)],
    calls: [...writes, ...found.map(({ call }) => call)],
  };
}

test("the corpus's calls of git's tools get the same replies from both gates", { skip: noBrowser }, async (t) => {
  const { ids, calls } = corpusGitCalls();
  const { replies } = await inGate(t, { kind: "call", rules: [], calls });
  const gate = openMachineGate(t);
  const own: string[] = [];
  for (const call of calls) own.push(repliedWords(await gate.call(call), machineNames));
  t.diagnostic(`${ids.length} calls, ${replies.filter(({ ok }) => !ok).length} refused`);
  assert.ok(replies.some(({ ok }) => ok) && replies.some(({ ok }) => !ok));
  assertSame(
    ids,
    calls,
    own,
    replies.map((reply) => repliedWords(reply)),
  );
});

/** Of the corpus's cases of approval: the texts that a person is shown. The others need a terminal, a policy on a disk or Exec. */
function corpusTexts(): { readonly ids: readonly string[]; readonly texts: readonly string[] } {
  const ids: string[] = [];
  const texts: string[] = [];
  const collect = (id: string, value: unknown): void => {
    if (typeof value === "string") {
      ids.push(id);
      texts.push(value);
    } else
      for (const [name, inner] of Object.entries(value as object)) {
        if (typeof value === "object" && !Array.isArray(value) && typeof inner === "string") collect(id, name);
        collect(id, inner);
      }
  };
  for (const { id, input } of loadCases(["approval"]))
    if (typeof input === "object" && input !== null && "render" in input) collect(id, input.render);
  return { ids, texts };
}

test("the corpus's texts are shown the same by both gates", { skip: noBrowser }, async (t) => {
  const { ids, texts } = corpusTexts();
  const all = loadCases(["approval"]).length;
  const cases = new Set(ids).size;
  // Left out: answers and their scopes, at a terminal, with policies on a disk, about programs that a browser does not have.
  assert.deepEqual([all, cases, all - cases], [64, 44, 20]);
  const { shown } = await inGate(t, { kind: "show", texts });
  const own = texts.map(shownWords);
  assert.ok(own.some(([text], at) => text !== texts[at]) && own.some(([text], at) => text === texts[at]));
  const calls = texts.map((text) => ({ tool: "shown", args: { text } }));
  assertSame(ids, calls, own, shown);
});

/** Left out of the corpus's cases of the record, and why. */
const recordLeftOut = {
  "audit-flood": "it is about how many",
  "audit-dispatched-logged": "it runs a program of this machine",
  "audit-log-in-root": "its file is on a disk",
  "audit-cyclic": "no message carries it",
  "audit-invalid-utf8": "bytes of this machine",
  "audit-result-link": "it runs a program of this machine",
  "audit-approval-logged": "it runs a program of this machine",
} as const;

function corpusRecords(): { readonly ids: readonly string[]; readonly calls: readonly CallRequest[] } {
  const found = loadCases(["audit"]).flatMap(({ id, input }) => {
    if (id in recordLeftOut) return [];
    if (id === "audit-bigint") return [{ id, args: { argv: ["/bin/true"], timeout_s: Number.POSITIVE_INFINITY } }];
    return [{ id, args: (input as { event: object }).event }];
  });
  const calls = found.flatMap(({ args }) => [
    { tool: "Exec", args },
    { tool: "git_stage", args: { files: ["not-there"], ...args } },
  ]);
  return { ids: found.flatMap(({ id }) => [id, `${id}, of a tool that is there`]), calls };
}

/** What an entry says, without what is different each time: ids, times, and hashes over them. */
function recordedWords(line: string): unknown {
  const named = [...machineNames].reduce((said, [own, other]) => said.replaceAll(own, other), line);
  const { seq, event, tool, args, decision, because, outcome } = JSON.parse(named) as Record<string, unknown>;
  return { seq, event, tool, args, decision, because, outcome };
}

test("the corpus's calls stand in the record in the same words at both gates", { skip: noBrowser }, async (t) => {
  const { ids, calls } = corpusRecords();
  assert.equal(calls.length / 2 + Object.keys(recordLeftOut).length, 17);
  const { record } = await inGate(t, { kind: "call", rules: [], calls });
  const gate = openMachineGate(t);
  for (const call of calls) assert.ok(!(await gate.call(call)).ok);
  const lines = [...gate.journal.exportLines()];
  assert.deepEqual([lines.length, record.lines.length], [2 * calls.length, 2 * calls.length]);
  for (const line of [...lines, ...record.lines]) {
    assert.doesNotMatch(line, /canary|[\p{Cc}\u2028\u2029]/u);
    assert.doesNotThrow(() => JSON.parse(line));
  }
  t.diagnostic(`${calls.length} calls, ${Object.keys(recordLeftOut).length} cases left out`);
  const each = <One>(list: readonly One[]): One[] => list.flatMap((one) => [one, one]);
  assertSame(each(ids), each(calls), lines.map(recordedWords), record.lines.map(recordedWords));
});

const casesToken = "a-token-of-the-corpus-that-nobody-may-see";

/** Left out of the corpus's push-toctou cases: both change files of the state directory, which a browser does not have. */
const pushLeftOut = ["push-toctou-edit-after-approve", "push-toctou-symlink-swap-staging"];

async function landMeanwhile(url: string, { repository, files }: { repository: string; files: object }): Promise<void> {
  const repo = parseGithubRepo(repository);
  assert.ok(repo.ok);
  const api = createGithubApi({ baseUrl: url, token: casesToken, send: sendRequest });
  const access = githubTarget({ repo: repo.value, branch: "main", api, hash: hashes.sha1 });
  const seen = await access.readState();
  assert.ok(seen.ok);
  const landed = await access.land(await landingOf(seen.value, files as Record<string, string>), () => undefined);
  assert.ok(landed.ok, JSON.stringify(landed));
}

/** `emulate`, with a page, somebody else who lands commits, and a repository that answers with what it was told in secret. */
async function openGithubOfCases(t: TestContext, repositories: readonly string[]): Promise<GithubFront | null> {
  const emulator = await startGithubEmulator({ owner: "octo", token: casesToken, repositories });
  if (typeof emulator === "string") {
    t.skip(emulator);
    return null;
  }
  t.after(() => emulator.close());
  const front = await openGithubFront(emulator.url, {
    play(request, response) {
      const { url = "", method, headers } = request;
      if (url.startsWith(`/repos/${echoing}`)) {
        const { authorization = "" } = headers;
        const message = `Bad credentials: Authorization: ${authorization}`;
        response.writeHead(403, { "content-type": "application/json", "x-said": authorization });
        response.end(JSON.stringify({ message, documentation_url: authorization }));
        return true;
      }
      if (url !== "/meanwhile" || method !== "POST") return servePage(script, request, response);
      void json(request).then(async (body) => {
        await landMeanwhile(emulator.url, body as never);
        response.end();
      });
      return true;
    },
  });
  t.after(() => front.close());
  return front;
}

/** Without what is different each time or at each gate. */
function sequenceWords({ tool, reply, asked }: StepWords, names: ReadonlyMap<string, string>): string {
  const said = [repliedWords(reply, names), ...asked.map(({ severity, text }) => `${severity}: ${text}`)].join("\n");
  return `${tool}: ${[...names].reduce((all, [own, other]) => all.replaceAll(own, other), said)}`
    .replaceAll(/\b[0-9a-f]{40}\b/g, "COMMIT")
    .replaceAll(/\b[qc]-[0-9a-f]{8}\b/g, "ID");
}

test("the corpus's pushes get the same questions and replies from both gates", { skip: noBrowser }, async (t) => {
  const cases = loadCases(["push"]).filter(({ category }) => category === "push-toctou");
  const covered = Object.keys(caseSequences).filter((id) => id.startsWith("push-toctou"));
  assert.deepEqual([...covered, ...pushLeftOut].sort(), cases.map(({ id }) => id).sort());
  const front = await openGithubOfCases(t, ["one", "two"]);
  if (front === null) return;
  const github = { url: front.url, token: casesToken, repository: "octo/two" };
  const there = (await inWorkerOf(t, front.url, { kind: "push", github } satisfies GateTask)) as GateDone;
  process.env["GH_ENTERPRISE_TOKEN"] = casesToken; // for any server that is not github.com
  t.after(() => void delete process.env["GH_ENTERPRISE_TOKEN"]);
  const person = casePerson();
  const gate = openMachineGate(t, { approvers: [person], githubUrl: front.url });
  const context: CaseContext = { gate, person, githubUrl: front.url, repository: "octo/one" };
  const names = new Map([...machineNames, ["octo/one", "octo/two"]]);
  let questions = 0;
  for (const [id, steps] of Object.entries(caseSequences)) {
    const own = await runCaseSequence(steps, context);
    questions += own.flatMap(({ asked }) => asked).length;
    const other = there.pushed[id] ?? [];
    assert.deepEqual(
      own.map((step) => sequenceWords(step, names)),
      other.map((step) => sequenceWords(step, names)),
      id,
    );
  }
  t.diagnostic(`${Object.keys(caseSequences).length} cases, ${questions} questions`);
  assert.ok(questions > 20);
  const lastOf = (id: string) => there.pushed[id]?.at(-1)?.reply;
  const landed = lastOf("push-toctou-edit-after-stage");
  assert.ok(landed?.ok === true && landed.result["content"] === "staged\n", JSON.stringify(landed));
  assert.equal(lastOf("push-write-delete-op")?.ok, true);
  const heard = front.asked.filter(
    ({ line, authorization }) => line.includes(echoing) && authorization?.includes(casesToken),
  );
  assert.ok(heard.length >= 2, "the server never got the token: the fixture is broken");
  const all = JSON.stringify([there, [...gate.journal.exportLines()]]);
  assert.ok(!all.includes(casesToken));
});
