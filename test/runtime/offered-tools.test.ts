// What an agent is offered: only what it is granted, with schemas that real replies fit and annotations that are true.

import assert from "node:assert/strict";
import test from "node:test";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import {
  createGate,
  createRegistry,
  type Gate,
  registerBashTool,
  registerBuiltinTools,
  registerExecTool,
  registerGitTool,
  registerPythonTool,
  registerShellTool,
  type Reply,
} from "../../src/index.ts";
import { type OfferedTool, offeredTools } from "../../src/runtime/offered-tools.ts";
import { makeTestDirectories, type TestDirectories } from "../fixtures/gate.ts";
import { makeRepository } from "../fixtures/git.ts";

function allTools() {
  const registry = createRegistry();
  registerBuiltinTools(registry);
  registerExecTool(registry);
  registerGitTool(registry);
  registerShellTool(registry);
  registerBashTool(registry);
  registerPythonTool(registry);
  return registry;
}

interface Parts {
  readonly tools?: readonly string[];
  readonly network?: readonly string[];
  readonly approvals?: "ask" | "deny";
  readonly rules?: readonly object[];
}

function open(directories: TestDirectories, parts: Parts = {}): Gate {
  const agent = {
    tool_grants: parts.tools ?? ["*"],
    fs_grants: [
      { path: "/usr", mode: "r" },
      { path: directories.root, mode: "r" },
    ],
    net_grants: parts.network ?? [],
  };
  const configText = JSON.stringify({
    version: 1,
    agents: { default: agent },
    approvals: { mode: parts.approvals ?? "ask" },
    policy: { rules: parts.rules ?? [] },
  });
  return createGate({ registry: allTools(), statePath: directories.state, project: directories.project, configText });
}

function offers(t: { after(work: () => void): void }, parts: Parts = {}): readonly OfferedTool[] {
  const directories = makeTestDirectories();
  const gate = open(directories, parts);
  t.after(() => {
    gate.close();
    directories.remove();
  });
  return offeredTools(gate);
}

const namesWhere = (tools: readonly OfferedTool[], hint: keyof OfferedTool["annotations"]) =>
  tools.filter(({ annotations }) => annotations[hint]).map(({ name }) => name);

test("only what is granted is offered", (t) => {
  const names = offers(t, { tools: ["*_file", "Git", "nothing"] }).map(({ name }) => name);
  assert.deepEqual(names, ["read_file", "write_file", "edit_file", "delete_file", "Git"]);
  assert.deepEqual(offers(t, { tools: [] }), []);
});

test("the annotations say what each tool can do", (t) => {
  const tools = offers(t, { approvals: "deny" });
  const reading = ["read_file", "list_files", "search_files", "git_status", "git_diff", "Git"];
  assert.deepEqual(namesWhere(tools, "readOnlyHint"), reading);
  const destructive = ["write_file", "edit_file", "delete_file", "git_push", "git_discard", "git_pull"];
  assert.deepEqual(namesWhere(tools, "destructiveHint"), [...destructive, "Exec", "Shell", "Bash", "Python"]);
  assert.deepEqual(
    namesWhere(tools, "idempotentHint").filter((name) => !reading.includes(name)),
    ["write_file", "delete_file", "git_push", "git_discard"],
  );
});

test("an open world is one that can be reached", (t) => {
  const open = (parts: Parts) => namesWhere(offers(t, parts), "openWorldHint");
  const git = ["git_push", "git_pull"];
  assert.deepEqual(open({ approvals: "deny" }), git);
  assert.deepEqual(open({ network: ["*"], approvals: "deny" }), [...git, "Exec", "Shell", "Bash", "Python"]);
  // A script may ask for the network, and a person or a rule may give it.
  assert.deepEqual(open({ approvals: "ask" }), [...git, "Bash", "Python"]);
  const rules = [{ decide: "allow", effect: "network", because: "builds fetch packages" }];
  assert.deepEqual(open({ approvals: "deny", rules }), [...git, "Bash", "Python"]);
});

test("a tool that is annotated as reading plans nothing but reading", async (t) => {
  const directories = makeTestDirectories();
  const repo = makeRepository(`${directories.root}/repo`);
  const gate = open(directories);
  t.after(() => {
    gate.close();
    directories.remove();
  });
  const calls: Record<string, unknown> = {
    read_file: { path: "a" },
    list_files: {},
    search_files: { pattern: "a" },
    git_status: {},
    git_diff: {},
    Git: { op: "status", repo },
    write_file: { path: "a", content: "" },
  };
  const isReading = async (tool: string) => {
    const planned = await gate.plan({ tool, args: calls[tool] });
    assert.ok(planned.ok, JSON.stringify(planned));
    const { effects, view, operation } = planned.value.action;
    const hasOnlyReads = view.paths.every(({ mode }) => mode === "r");
    return (
      hasOnlyReads && effects.every(({ kind }) => kind !== "write" && kind !== "network") && operation?.mode !== "rw"
    );
  };
  for (const name of namesWhere(offeredTools(gate), "readOnlyHint")) assert.ok(await isReading(name), name);
  assert.equal(await isReading("write_file"), false, "control: another one does");
});

test("real replies fit the output schema of their tool, also refusals, with a validator of 2025 clients", async (t) => {
  const directories = makeTestDirectories();
  const repo = makeRepository(`${directories.root}/repo`);
  const gate = open(directories);
  t.after(() => {
    gate.close();
    directories.remove();
  });
  const tools = new Map(offeredTools(gate).map((tool) => [tool.name, tool]));
  const validator = new AjvJsonSchemaValidator();
  const check = (name: string, reply: unknown) => {
    const schema = tools.get(name)?.outputSchema;
    assert.ok(schema !== undefined, name);
    return validator.getValidator<Reply>(schema as Parameters<typeof validator.getValidator>[0])(reply);
  };
  const calls: readonly (readonly [string, unknown])[] = [
    ["write_file", { path: "a.txt", content: "one\ntwo\n" }],
    ["read_file", { path: "a.txt" }],
    ["edit_file", { path: "a.txt", old_text: "one", new_text: "1" }],
    ["Bash", { script: "ln -s a.txt link; echo hello", expect: { files: ["a.txt"] } }],
    ["list_files", {}],
    ["search_files", { pattern: "two" }],
    ["Python", { code: "print(1)" }],
    ["Exec", { argv: ["/usr/bin/true"] }],
    ["Shell", { command: ["ls", "curl x"], ignore_errors: true }],
    ["Git", { op: "log", repo }],
    ["git_stage", { files: ["a.txt"], message: "a" }],
    ["git_status", {}],
    ["git_diff", {}],
    ["delete_file", { path: "a.txt" }],
  ];
  for (const [tool, args] of calls) {
    const reply = await gate.call({ tool, args });
    assert.ok(reply.ok, `${tool}: ${JSON.stringify(reply)}`);
    const fits = check(tool, reply);
    assert.ok(fits.valid, `${tool}: ${fits.errorMessage}`);
  }
  for (const name of tools.keys()) {
    const refused = await gate.call({ tool: name, args: { no: "such argument" } });
    assert.equal(refused.ok, false);
    assert.ok(check(name, refused).valid, name);
  }
  assert.equal(check("Exec", { ok: true, result: { exit_code: "zero" } }).valid, false, "control: others do not fit");
  assert.equal(check("Exec", { result: {} }).valid, false);
});
