// S2: a workspace in a directory keeps every promise about files: hidden files, deny rules, and what others execute later hold in the
// file tools as they hold in Bash.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import test, { type TestContext } from "node:test";
import {
  createGate,
  createRegistry,
  type Gate,
  registerBashTool,
  registerBuiltinTools,
  type Reply,
} from "../../src/index.ts";
import { readEnvironment } from "../../src/config/environment.ts";
import { loadConfig } from "../../src/config/load.ts";
import { makeTestDirectories, type TestDirectories } from "../fixtures/gate.ts";
import { ran, refused } from "../fixtures/run.ts";

function setUp(
  t: TestContext,
  options: { hide?: boolean; rules?: (project: string) => object[] } = {},
): { directories: TestDirectories; project: string; gate: Gate } {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const { project } = directories;
  for (const [path, text] of [
    [".env", "API_KEY=hunter2\n"],
    ["a.txt", "plain\n"],
    ["private/notes.txt", "API_KEY of the notes\n"],
  ] as const) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }
  const fs = [
    { path: "/usr", mode: "r" },
    { path: project, mode: "rw", hide: [".env*"] },
  ];
  const registry = createRegistry();
  registerBuiltinTools(registry);
  registerBashTool(registry);
  const configText = JSON.stringify({
    version: 1,
    agents: { default: { tool_grants: ["*"], fs_grants: fs } },
    workspace: { kind: "directory", path: project },
    policy: { rules: options.rules?.(project) ?? [] },
  });
  const gate = createGate({ registry, configText, statePath: directories.state, project });
  t.after(() => gate.close());
  return { directories, project, gate };
}

const errorOf = (reply: Reply) => (reply.ok ? `ok ${JSON.stringify(reply.result)}` : reply.error);

test("the built-in defaults with --workspace DIR hide .env and refuse an agent's settings", async (t) => {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  writeFileSync(join(directories.project, ".env"), "API_KEY=hunter2\n");
  const loaded = loadConfig({
    statePath: directories.state,
    project: directories.project,
    workspace: directories.project,
    environment: readEnvironment(),
  });
  assert.ok(loaded.ok);
  const registry = createRegistry();
  registerBuiltinTools(registry);
  registerBashTool(registry);
  const gate = createGate({ registry, config: loaded.config });
  t.after(() => gate.close());
  assert.equal(errorOf(await gate.call({ tool: "read_file", args: { path: ".env" } })), "fs_denied");
  const { stdout, stderr } = ran(
    await gate.call({ tool: "Bash", args: { script: `cat .env; cat ${directories.project}/.env` } }),
  );
  assert.doesNotMatch(stdout + stderr, /hunter2/);
  const settings = await gate.call({ tool: "write_file", args: { path: ".claude/settings.json", content: "{}" } });
  assert.equal(errorOf(settings), "fs_denied");
  assert.equal(existsSync(join(directories.project, ".claude")), false);
  assert.ok(
    (await gate.call({ tool: "write_file", args: { path: "notes.md", content: "x" } })).ok,
    "control: it is the workspace",
  );
});

test("a hidden file is not read, searched, staged, changed or removed by any file tool", async (t) => {
  const { project, gate } = setUp(t);
  symlinkSync(".env", join(project, "config.txt"));
  const calls: [string, Record<string, unknown>][] = [
    ["read_file", { path: ".env" }],
    ["read_file", { path: "config.txt" }],
    ["edit_file", { path: ".env", old_text: "hunter2", new_text: "x" }],
    ["write_file", { path: ".env", content: "x" }],
    ["write_file", { path: "config.txt", content: "x" }],
    ["delete_file", { path: ".env" }],
    ["git_stage", { files: [".env"], message: "m" }],
  ];
  for (const [tool, args] of calls) {
    const reply = await gate.call({ tool, args });
    assert.equal(errorOf(reply), "fs_denied", `${tool} ${JSON.stringify(args)}`);
    assert.doesNotMatch(JSON.stringify(reply), /hunter2/);
  }
  for (const [tool, args] of [
    ["search_files", { pattern: "API_KEY" }],
    ["list_files", {}],
    ["git_status", {}],
    ["git_diff", {}],
  ] as const) {
    const reply = await gate.call({ tool, args });
    assert.ok(reply.ok, tool);
    assert.doesNotMatch(JSON.stringify(reply), /hunter2/, tool);
  }
  const found = await gate.call({ tool: "search_files", args: { pattern: "API_KEY" } });
  assert.match(JSON.stringify(found), /private\/notes\.txt/, "control: other files are searched");
  assert.equal(readFileSync(join(project, ".env"), "utf8"), "API_KEY=hunter2\n");
});

test("deny rules about the real path hold in the file tools as in Bash", async (t) => {
  const { project, gate } = setUp(t, {
    rules: (root) => [
      { decide: "deny", effect: "write", path: `${root}/a.txt` },
      { decide: "deny", effect: "read", path: `${root}/private` },
    ],
  });
  for (const [tool, args] of [
    ["write_file", { path: "a.txt", content: "changed" }],
    ["edit_file", { path: "/workspace/a.txt", old_text: "plain", new_text: "changed" }],
    ["delete_file", { path: "a.txt" }],
    ["read_file", { path: "private/notes.txt" }],
    ["git_stage", { files: ["private/notes.txt"], message: "m" }],
  ] as const)
    assert.equal(errorOf(await gate.call({ tool, args })), "fs_denied", `${tool} ${JSON.stringify(args)}`);
  const searched = await gate.call({ tool: "search_files", args: { pattern: "API_KEY" } });
  assert.doesNotMatch(JSON.stringify(searched), /notes/);
  const script = 'f=a.t; p=priv; for d in . "$OLD"; do echo changed > "$d/${f}xt"; cat "$d/${p}ate/notes.txt"; done; :';
  const { stdout } = ran(await gate.call({ tool: "Bash", args: { script, env: { OLD: project } } }));
  assert.doesNotMatch(stdout, /API_KEY/);
  assert.equal(readFileSync(join(project, "a.txt"), "utf8"), "plain\n");
});

test("what others execute later is asked about by the file tools, and nobody's yes is no yes", async (t) => {
  const { project, gate } = setUp(t);
  mkdirSync(join(project, "tools"));
  symlinkSync("tools/vscode", join(project, ".vscode"));
  mkdirSync(join(project, "env"));
  symlinkSync("env/rc", join(project, ".envrc"));
  const paths = [
    ".vscode/tasks.json",
    "tools/vscode/tasks.json",
    ".envrc",
    "env/rc",
    ".mcp.json",
    ".claude/settings.json",
    ".husky/pre-commit",
    ".bashrc",
    ".gitmodules",
    "deep/.vscode/tasks.json",
    ".zed/tasks.json",
    "opencode.json",
    ".npmrc",
  ];
  for (const path of paths) {
    const reply = refused(await gate.call({ tool: "write_file", args: { path, content: "{}" } }));
    assert.equal(reply.error, "fs_denied", path);
  }
  for (const path of paths) assert.equal(existsSync(join(project, path)), false, path);
  assert.ok((await gate.call({ tool: "write_file", args: { path: "tools/other.json", content: "{}" } })).ok, "control");
});

test("a rule that allows such a file opens that one", async (t) => {
  const { project, gate } = setUp(t, {
    rules: (root) => [{ decide: "allow", effect: "write", path: `${root}/.mcp.json` }],
  });
  const opened = await gate.call({ tool: "write_file", args: { path: ".mcp.json", content: "x" } });
  assert.ok(opened.ok, JSON.stringify(opened));
  assert.equal(readFileSync(join(project, ".mcp.json"), "utf8"), "x");
  assert.equal(errorOf(await gate.call({ tool: "write_file", args: { path: ".bashrc", content: "x" } })), "fs_denied");
});

test("the plan names the file on the disk, so that policy explain shows what was judged", async (t) => {
  const { project, gate } = setUp(t);
  const planned = await gate.plan({ tool: "read_file", args: { path: ".env" } });
  assert.ok(planned.ok);
  assert.deepEqual(
    planned.value.action.effects.filter((effect) => effect.kind === "read"),
    [{ kind: "read", path: join(project, ".env") }],
  );
  assert.equal(planned.value.verdict.decision, "deny");
});
