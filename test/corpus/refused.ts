// Calls that must be refused: with which word, naming what, and under which grants. Nothing of them may start.

import { strict as assert } from "node:assert";
import type { FailureSlug, Gate, Reply } from "../../src/index.ts";
import { assertNoMarker, type Grants, usualGrants } from "./bench.ts";
import type { CorpusCase } from "./cases.ts";
import { fillIn, type World } from "./world.ts";

export interface Refusal {
  readonly error: FailureSlug;
  /** What the message must name. */
  readonly names?: string;
  /** What the message must not name. */
  readonly namesNot?: string;
  readonly grants?: (world: World) => Grants;
  /** The arguments, where the corpus describes them instead of holding them. */
  readonly args?: (world: World, input: unknown) => unknown;
}

const invalid = (names?: string): Refusal => ({ error: "invalid_args", ...(names === undefined ? {} : { names }) });
const grepOnly = (world: World): Grants => ({
  tools: ["Exec"],
  paths: [
    { path: "/usr/bin/grep", mode: "r" },
    { path: world.root, mode: "rw" },
  ],
});
const noProgram = { argv: ["/bin/echo"] };

export const refusals: Readonly<Record<string, Refusal>> = {
  "exec-argv-string": invalid("argv"),
  "exec-argv-empty": invalid("argv"),
  "exec-argv-nonstring": invalid("argv[1]"),
  "exec-argv-object": invalid("argv"),
  "exec-argv-relative": invalid("argv[0]"),
  "exec-argv-dot-relative": invalid("argv[0]"),
  "exec-argv-directory": invalid("argv[0]"),
  "exec-argv-nonexec-file": invalid("argv[0]"),
  "exec-argv-lone-surrogate": { ...invalid("argv[1]"), args: () => ({ argv: ["/bin/echo", "x\ud800y"] }) },
  "exec-argv-huge-one": { ...invalid("argv[1]"), args: () => ({ argv: ["/bin/echo", "x".repeat(200_000)] }) },
  "exec-argv-huge-all": {
    ...invalid("argv"),
    args: () => ({ argv: [...noProgram.argv, ...Array<string>(200_000).fill("y".repeat(20))] }),
  },
  "exec-timeout-zero": invalid("timeout_s"),
  "exec-timeout-float-overflow": invalid("timeout_s"),
  "exec-maxout-low": invalid("max_output_bytes"),
  "exec-maxout-high": invalid("max_output_bytes"),
  "exec-cwd-missing": { error: "fs_denied", names: "/nonexistent-dir", namesNot: "/bin/pwd" },
  "exec-cwd-file": { error: "fs_denied", names: "/etc/hostname", namesNot: "/bin/pwd" },
  "exec-unknown-field-uid": invalid('"uid", "stdio", "detached"'),
  "exec-no-capability": {
    error: "permission_denied",
    names: "Exec",
    grants: (world) => ({ ...usualGrants(world), tools: [] }),
  },
  "exec-fs-denied-argv0": { error: "fs_denied", grants: grepOnly },
  "exec-dotdot-argv0": {
    error: "fs_denied",
    grants: () => ({ tools: ["Exec"], paths: [{ path: "/usr/bin/grep", mode: "r" }] }),
  },
  "exec-proc-self-root": { error: "fs_denied", names: "/proc/self/root/bin/sh" },
  "exec-bat-file-windows": invalid("argv[0]"),
  "exec-env-ld_library_path": invalid("LD_LIBRARY_PATH"),
  "exec-env-ld_audit": invalid("LD_AUDIT"),
  "exec-env-node_options": invalid("NODE_OPTIONS"),
  "exec-env-bash_env": invalid("BASH_ENV"),
  "exec-env-env": invalid('"ENV"'),
  "exec-env-pythonpath": invalid("PYTHONPATH"),
  "exec-env-rubyopt": invalid("RUBYOPT"),
  "exec-env-java_tool_options": invalid("JAVA_TOOL_OPTIONS"),
  "exec-env-git_external_diff": invalid("GIT_EXTERNAL_DIFF"),
  "exec-env-git_ssh_command": invalid("GIT_SSH_COMMAND"),
  "exec-env-git_config_count": invalid("GIT_CONFIG_COUNT"),
  "exec-env-git_exec_path": invalid("GIT_EXEC_PATH"),
  "exec-env-git_trace": invalid("GIT_TRACE"),
  "exec-env-lessopen": invalid("LESSOPEN"),
  "exec-env-ssh_askpass": invalid("SSH_ASKPASS"),
  "exec-env-reserved-underscore": invalid("_X"),
  "exec-env-proto-smuggle": { ...invalid("__proto__"), args: rawJson },
  "exec-env-key-equals": invalid("A=LD_PRELOAD"),
  "exec-env-key-empty": invalid("env"),
  "exec-env-value-nonstring": invalid("env.A"),
  "exec-env-bash-func": invalid("BASH_FUNC_ls%%"),
};

/** More of the same, where one call does not say all that the case means. */
export const furtherRefusals: Readonly<Record<string, Refusal>> = {
  // Inside a grant a missing directory, and one that is a file, are told as such.
  "exec-cwd-missing": {
    ...invalid("cwd"),
    namesNot: "/bin/pwd",
    args: (world) => ({ argv: ["/bin/pwd"], cwd: `${world.root}/none` }),
  },
  "exec-cwd-file": {
    ...invalid("cwd"),
    namesNot: "/bin/pwd",
    args: (world) => ({ argv: ["/bin/pwd"], cwd: `${world.root}/a.txt` }),
  },
  "exec-timeout-float-overflow": {
    ...invalid("timeout_s"),
    args: () => ({ argv: ["/bin/true"], timeout_s: Number.NaN }),
  },
  // As own keys of env, and not only as a prototype.
  "exec-env-proto-smuggle": {
    ...invalid("LD_PRELOAD"),
    args: () => ({ argv: ["/usr/bin/env"], env: Object.assign(Object.create(null), { LD_PRELOAD: "/x.so" }) }),
  },
};

export async function checkRefusal(
  one: CorpusCase,
  refusal: Refusal,
  world: World,
  gate: Gate,
  tool = "Exec",
): Promise<void> {
  const args = refusal.args === undefined ? fillIn(one.input, world) : refusal.args(world, one.input);
  const already = [...gate.journal.list({ session: gate.session })].length;
  const reply = await gate.call({ tool, args });
  assertRefused(reply, refusal);
  // Nothing started: it is on the record as received and denied, and never as dispatched.
  const events = [...gate.journal.list({ session: gate.session, order: "oldest" })]
    .slice(already)
    .map(({ event }) => event);
  assert.deepEqual(events, ["tool.call.received", "tool.call.denied"]);
  assertNoMarker(world);
}

function assertRefused(reply: Reply, { error, names, namesNot }: Refusal): void {
  assert.ok(!reply.ok, `it was not refused: ${JSON.stringify(reply)}`);
  assert.equal(reply.error, error, reply.message);
  assert.ok(!reply.message.includes("\n"), "a message is one line");
  if (names !== undefined)
    assert.ok(reply.message.includes(names), `${JSON.stringify(reply.message)} does not name ${names}`);
  if (namesNot !== undefined)
    assert.ok(!reply.message.includes(namesNot), `${JSON.stringify(reply.message)} names ${namesNot}`);
}

function rawJson(world: World, input: unknown): unknown {
  return JSON.parse(String(fillIn(input, world)).replace("raw JSON: ", ""));
}
