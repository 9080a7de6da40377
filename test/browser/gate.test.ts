// The gate of `sallyport/browser` in a worker of Chromium, with SQLite in the private file system: what it does there, and what
// it says to the scripts of the corpus that need no machine.

import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { before, type TestContext } from "node:test";
import { rolldown } from "rolldown";
import type { CallRequest, Gate, Reply } from "../../src/browser.ts";
import { registerBashTool } from "../../src/tools/bash.ts";
import { registerBuiltinTools } from "../../src/tools/builtin.ts";
import { registerPythonTool } from "../../src/tools/python.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { listenOn } from "../fixtures/github-emulator.ts";
import { loadCases } from "../corpus/cases.ts";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { newPage, noBrowser } from "../ui/fixture.ts";
import type { GateDone, GateTask } from "./gate-worker.ts";
import { type Judged, judgedWords } from "./judged-words.ts";

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

/** What the worker answers to the message. */
async function inWorker(t: TestContext, script: Promise<string>, message: unknown): Promise<unknown> {
  const server = createServer(({ url }, response) => {
    const send = (type: string, body: Promise<string | Buffer>) =>
      void body.then((bytes) => response.setHeader("content-type", type).end(bytes));
    if (url === "/worker.js") return send("text/javascript", script);
    if (url === "/sqlite3.wasm") return send("application/wasm", readFile(wasm));
    return send("text/html", Promise.resolve("<!doctype html><title>A page</title>"));
  });
  const origin = `http://127.0.0.1:${await listenOn(server)}`;
  t.after(() => server.close().closeAllConnections());
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

/** A gate of this machine with what a browser's has, for comparing. */
function openMachineGate(t: TestContext): Gate {
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
  const grants = { tools, paths: [{ path: "/usr", mode: "r" }], policy: {} } as const;
  const gate = openGate(directories, grants, { registry, approvers: [] });
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
