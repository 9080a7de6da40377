// The types of results against the schemas that the tools have at run time, and what a program's compiler says about them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createRegistry, type Gate, registerBuiltinTools, type ToolResults } from "../../src/index.ts";
import {
  registerBashTool,
  registerExecTool,
  registerGitTool,
  registerPythonTool,
  registerShellTool,
} from "../../src/index.ts";
import { describeTool } from "../../src/tools/tool-schema.ts";

/** Every field of every type: the compiler stops where one is missing or too many. */
type Fields = {
  readonly [Name in keyof ToolResults]: Readonly<Record<keyof Required<ToolResults[Name]>, "always" | "sometimes">>;
};

const execution = {
  exit_code: "always", signal: "always", stdout: "always", stderr: "always", stdout_truncated: "always", stderr_truncated: "always",
  stdout_bytes: "always", stderr_bytes: "always", duration_s: "always", timed_out: "always", limit_hit: "always", cwd: "always",
  artifacts: "always", enforced: "always", hint: "sometimes", network: "sometimes", not_kept: "sometimes",
  ignored: "sometimes",
  more_artifacts: "sometimes",
  more_not_kept: "sometimes",
  notes: "sometimes", requirements: "sometimes",
} as const; // prettier-ignore

const staged = {
  id: "always",
  message: "always",
  files: "always",
  createdAt: "always",
  commits: "sometimes",
  moreCommits: "sometimes",
  moreFiles: "sometimes",
} as const;

const fields: Fields = {
  Exec: execution,
  Bash: execution,
  Python: execution,
  Git: { ...execution, op: "always", cmd: "always" },
  Shell: { success: "always", results: "always" },
  read_file: { content: "always", encoding: "always", size: "always", total_lines: "sometimes" },
  write_file: { path: "always", operation: "always", size: "always" },
  edit_file: { path: "always", size: "always" },
  delete_file: { path: "always" },
  list_files: { files: "always", more: "always" },
  search_files: { matches: "always", more: "always", stopped: "sometimes", ignored: "sometimes" },
  git_status: {
    staged: "always",
    unstaged: "always",
    more: "sometimes",
    moreStaged: "sometimes",
    commits: "sometimes",
    moreCommits: "sometimes",
    inProject: "sometimes",
    moreInProject: "sometimes",
    ignored: "sometimes",
  },
  git_stage: staged,
  git_diff: { diff: "always", more: "sometimes", leftOut: "sometimes", hint: "sometimes", ignored: "sometimes" },
  git_push: {
    commitSha: "always",
    branch: "always",
    createdBranch: "always",
    previousSha: "always",
    target: "always",
    filesChanged: "always",
    commits: "sometimes",
    notes: "sometimes",
  },
  git_discard: {},
};

test("the types of results are those of the tools' schemas", () => {
  const registry = createRegistry();
  registerBuiltinTools(registry);
  for (const register of [registerBashTool, registerExecTool, registerGitTool, registerPythonTool, registerShellTool])
    register(registry);
  assert.deepEqual(
    registry.names.filter((name) => !Object.hasOwn(fields, name)),
    ["git_pull"],
  );
  for (const [name, wanted] of Object.entries(fields)) {
    const tool = registry.find(name);
    assert.ok(tool !== undefined, name);
    const { properties = {}, required = [] } = describeTool(tool).result;
    const is = Object.fromEntries(
      Object.keys(properties).map((key) => [key, required.includes(key) ? "always" : "sometimes"]),
    );
    assert.deepEqual(is, wanted, name);
  }
});

/** Never called: the compiler reads it. */
export async function typed(gate: Gate, name: string): Promise<void> {
  const run = await gate.call({ tool: "Bash", args: { script: "true" } });
  if (run.ok) {
    const code: number | null = run.result.exit_code;
    // @ts-expect-error: there is no such field
    void [code, run.result.exitcode];
  }
  const read = await gate.call({ tool: "read_file", args: { path: "a" } });
  // @ts-expect-error: that is of another tool
  if (read.ok) void [read.result.content, read.result.stdout];
  const other = await gate.call({ tool: name });
  // @ts-expect-error: nobody knows what it has
  if (other.ok) void (other.result["x"] satisfies number);
}
