// What a model gets of a reply: short where nothing happened, the beginning and the end of a long output, and a way to the rest.

import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { modelReply } from "../../src/runtime/model-reply.ts";
import type { Reply } from "../../src/runtime/reply.ts";
import { answeredResult } from "../../src/tools/programs/execution-result.ts";
import { limits } from "../../src/shared/limits.ts";
import { makeTestDirectories } from "../fixtures/gate.ts";
import { openScriptGate, type ScriptGate } from "../fixtures/script-gate.ts";

function open(t: TestContext): ScriptGate {
  const directories = makeTestDirectories();
  const opened = openScriptGate(directories);
  t.after(() => {
    opened.close();
    directories.remove();
  });
  return opened;
}

function resultOf(reply: Reply): Record<string, unknown> {
  assert.ok(reply.ok, JSON.stringify(reply));
  return reply.result;
}

test("a call that went well is its output, and little else", async (t) => {
  const { gate } = open(t);
  const whole = await gate.call({ tool: "Bash", args: { script: "echo 42" } });
  const { structured, text } = modelReply(whole, { script: "echo 42" }, "elsewhere");
  const result = resultOf(structured);
  // A machine without control groups holds less, and says so.
  const held = Object.entries(resultOf(whole)["enforced"] as Record<string, string>);
  const isWeak = held.some(([name, by]) => name !== "wall_clock" && by !== "kernel");
  const enforced = isWeak ? ["enforced"] : [];
  assert.deepEqual(Object.keys(result), ["exit_code", "stdout", "stdout_bytes", "duration_s", "cwd", ...enforced]);
  assert.deepEqual([result["exit_code"], result["stdout"]], [0, "42\n"]);
  assert.match(text, /^exit code 0 after [\d.]+ s\n42$/);
  assert.equal(Object.keys(resultOf(whole)).length, 14, "the control: a program that calls the gate gets every field");
});

test("what went wrong stays: the exit code, a signal, the time, files, and what was not enforced", async (t) => {
  const { gate } = open(t);
  const reply = async (args: { script: string; timeout_s?: number }) =>
    resultOf(modelReply(await gate.call({ tool: "Bash", args }), args, "").structured);
  const failed = await reply({ script: "echo no >&2; echo x > a.txt; exit 3" });
  assert.deepEqual([failed["exit_code"], failed["stdout"], failed["stderr"]], [3, "", "no\n"]);
  assert.deepEqual(failed["artifacts"], [{ path: "/workspace/a.txt", operation: "create", size: 2 }]);
  const killed = await reply({ script: "kill -9 $$" });
  assert.deepEqual([killed["exit_code"], killed["signal"]], [null, "SIGKILL"]);
  assert.equal((await reply({ script: "sleep 9", timeout_s: 1 }))["timed_out"], true);
  const weak = answeredResult(0, "", "", "/workspace");
  const { enforced } = resultOf(modelReply({ ok: true, result: weak }, {}, "").structured);
  assert.deepEqual(enforced, weak.enforced);
});

test("a long output is its beginning and its end, and the rest is read with tools of the gate", async (t) => {
  const { gate, done } = open(t);
  const args = { script: "seq 1 40000 | tee all.txt" };
  const whole = await gate.call({ tool: "Bash", args });
  const printed = String(resultOf(whole)["stdout"]);
  assert.equal(printed.split("\n").length, 40_001, "the control: the gate has kept all of it");
  const { structured, text } = modelReply(whole, args, "");
  const { stdout, stdout_truncated: isCut, hint } = resultOf(structured);
  assert.ok(typeof stdout === "string" && Buffer.byteLength(stdout) <= limits.modelOutputBytes);
  const [, head, left, tail] =
    /^(1\n2\n[^[]+)\n\[\.\.\. (\d+) bytes left out \.\.\.\]\n([^[]+\n40000\n)$/.exec(stdout) ?? [];
  assert.ok(head !== undefined && tail !== undefined && left !== undefined, stdout);
  assert.equal(Buffer.byteLength(head) + Number(left) + Buffer.byteLength(tail), printed.length);
  assert.equal(isCut, true);
  assert.match(String(hint), new RegExp(`the end of stdout \\(${printed.length} bytes\\) are here.*read_file`));
  assert.ok(text.includes(tail.trim()) && text.length < stdout.length + 1_000, "the text is as short");
  assert.equal(
    (await done("read_file", { path: "all.txt", start_line: 20_000, end_line: 20_000 }))["content"],
    "20000\n",
  );

  const named = { script: "seq 1 40000", max_output_bytes: 300_000 };
  const asked = modelReply(await gate.call({ tool: "Bash", args: named }), named, "").structured;
  assert.equal(resultOf(asked)["stdout"], printed, "who names a size gets as much");
});

test("an output that was cut already says how much is missing in all", async (t) => {
  const { gate } = open(t);
  const args = { script: "seq 1 200000; seq 1 200000 >&2" };
  const bytes = Buffer.byteLength(Array.from({ length: 200_000 }, (_, at) => `${at + 1}\n`).join(""));
  const result = resultOf(modelReply(await gate.call({ tool: "Bash", args }), args, "").structured);
  for (const stream of ["stdout", "stderr"]) {
    const text = String(result[stream]);
    const notices = [...text.matchAll(/\n\[\.\.\. (\d+) bytes left out \.\.\.\]\n/g)];
    assert.equal(notices.length, 1, stream);
    const [notice, left] = notices[0] ?? [];
    assert.equal(Buffer.byteLength(text) - String(notice).length + Number(left), bytes, stream);
  }
  assert.match(String(result["hint"]), /stdout \(\d+ bytes\) and stderr \(\d+ bytes\)/);
});

test("each command of a list is shortened by itself; a refusal and a file stay as they are", () => {
  const one = { command: "x", ...answeredResult(0, "y".repeat(50_000), "", "/workspace") };
  const refused = { command: "curl", error: "permission_denied", message: "No." };
  const list = resultOf(
    modelReply({ ok: true, result: { success: false, results: [one, refused] } }, {}, "").structured,
  );
  const [first, second] = list["results"] as [Record<string, unknown>, unknown];
  assert.equal(list["success"], false);
  assert.deepEqual(Object.keys(first), [
    "command",
    "exit_code",
    "stdout",
    "stdout_truncated",
    "stdout_bytes",
    "cwd",
    "enforced",
    "hint",
  ]);
  assert.deepEqual(second, refused);
  for (const reply of [
    { ok: false, error: "fs_denied", message: "No.", because: [] },
    { ok: true, result: { content: "z".repeat(90_000), encoding: "utf8", size: 90_000 } },
    { ok: true, result: { exit_code: 0, stdout: "of a custom tool", stderr: "" } },
    { ok: true, result: { pulled: [], conflicts: [], commitSha: "a" } },
  ] as const)
    assert.deepEqual(modelReply(reply, {}, "").structured, reply);
});
