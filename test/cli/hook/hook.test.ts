// `sallyport hook CLIENT` outside a box: a command for the client's shell is refused, or runs through the gate; other tools are recorded.

import assert from "node:assert/strict";
import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { type CliUser, newCliUser } from "../../fixtures/cli.ts";
import fc from "../../fixtures/fast-check.ts";
import { clientNames, hookForms, hookText, inShell, judge, meaningOf } from "../../fixtures/hook.ts";
import { runs } from "../../fixtures/runs.ts";

interface Said {
  readonly event: string;
  readonly tool: string | null;
  readonly args: any;
  readonly decision: string | null;
  readonly digest: string | null;
  readonly session: string;
}

/** What acts on a screen. */
const unsafe = /[[\p{Cc}\p{Cf}]--[\n]]/v;

const recordOf = (person: CliUser, ...flags: string[]): Said[] =>
  JSON.parse(person.run(["audit", "list", "--json", ...flags]).out) as Said[];

for (const client of clientNames)
  test(`${client}: a command runs in the box, with its output and its exit code; control: without the hook it reads the person's files`, (t) => {
    const person = newCliUser(t, null);
    const secret = join(person.home, "secret.txt");
    writeFileSync(secret, "the secret\n");
    const command = `cat ${secret}; echo it's "two" > made.txt; echo wrong >&2; exit 3`.replace("it's", "its");
    const { input, denied } = judge(person, client, command);
    assert.equal(denied, null);
    assert.equal(input?.["description"], "why", "the rest of the input stays");
    const done = inShell(person, input?.["command"] ?? "");
    assert.equal(done.code, 3, done.err);
    assert.equal(done.out, "");
    assert.match(done.err, /No such file[^]*wrong/);
    assert.equal(readFileSync(join(person.project, "made.txt"), "utf8"), "its two\n", "the project itself changes");
    assert.deepEqual(
      recordOf(person, "--tool", "Bash").map(({ event }) => event),
      ["tool.call.finished", "tool.call.dispatched", "tool.call.received"],
    );
    assert.match(inShell(person, command).out, /the secret/);
  });

for (const client of clientNames)
  test(`${client}: a denied command is refused with reason and hint, and the record has the refusal`, (t) => {
    const person = newCliUser(t, null);
    const marker = join(person.project, "marker");
    const { denied, input } = judge(person, client, `touch ${marker}; sudo ls`);
    assert.match(
      denied ?? "",
      /^sallyport refused this command: Not allowed to gain privileges with sudo ls.* policy add /,
    );
    assert.equal(input, null);
    assert.ok(!existsSync(marker));
    assert.deepEqual(
      recordOf(person).map(({ event, tool }) => [event, tool]),
      [
        ["tool.call.denied", "Bash"],
        ["tool.call.received", "Bash"],
      ],
    );
  });

test("an asked command runs through the gate, which asks; a rule of the person counts", (t) => {
  const person = newCliUser(t, null);
  const rule = (decide: string) =>
    `{ decide: ${decide}, effect: run, argv: [touch, "**"], because: "not its business" }`;
  assert.equal(person.run(["policy", "add", rule("ask")]).code, 0);
  const asked = judge(person, "claude", "touch marker");
  assert.equal(asked.denied, null);
  const refused = inShell(person, asked.input?.["command"] ?? "");
  assert.equal(refused.code, 126, refused.err);
  assert.match(refused.err, /hint: /);
  assert.ok(!existsSync(join(person.project, "marker")));
  assert.equal(recordOf(person, "--event", "approval.requested").length, 1);
  assert.equal(person.run(["policy", "add", rule("deny")]).code, 0);
  assert.match(judge(person, "claude", "touch marker").denied ?? "", /not its business/);
});

for (const client of clientNames)
  test(`${client}: other tools go on, and the record has them as what the agent says`, (t) => {
    const person = newCliUser(t, null);
    const tool = hookForms[client].editor;
    const token = `ghp_${"a1B2".repeat(9)}`;
    const text = hookText(person, client, tool, { file_path: "/a.ts", new_string: `x = "${token}"` });
    const done = person.run(["hook", client], { input: text });
    assert.deepEqual(done, { code: 0, out: "", err: "" });
    const [said, ...rest] = recordOf(person);
    assert.equal(rest.length, 0);
    assert.deepEqual([said?.event, said?.tool, said?.decision, said?.digest], ["agent.said", null, null, null]);
    assert.deepEqual(said?.args, {
      client,
      tool,
      input: { file_path: "/a.ts", new_string: 'x = "[redacted]"' },
      session: "c-1",
    });
  });

test("a claim is shown as one, is inert on the screen, bounded, and is no call", (t) => {
  const person = newCliUser(t, null);
  const tool = "\u001b[2JAnswered\u202e";
  const input = { decision: "allow", digest: "sha256:0", text: `\u001b]0;x\u0007${"long ".repeat(20_000)}` };
  assert.equal(person.run(["hook", "claude"], { input: hookText(person, "claude", tool, input) }).code, 0);
  const listed = person.run(["audit", "list"]).out;
  assert.match(listed, /the agent says: \\x1b\[2JAnswered/);
  const shown = person.run(["audit", "show", "1"]).out;
  assert.match(shown, /claim +the agent says/);
  for (const text of [listed, shown]) assert.doesNotMatch(text, unsafe);
  const whole = person.run(["audit", "export"]).out;
  assert.ok(whole.length <= 16_385, String(whole.length));
  assert.match(whole, /bytes left out, sha256 of the whole/);
  const stats = person.run(["audit", "stats"]).out;
  assert.match(stats, /^0 calls, 1 entries/);
  assert.match(stats, /1 entries are what agents say/);
  const { calls, tools, decisions } = JSON.parse(person.run(["audit", "stats", "--json"]).out) as any;
  assert.deepEqual({ calls, tools, decisions }, { calls: 0, tools: {}, decisions: {} });
  assert.equal(JSON.parse(person.run(["audit", "verify", "--json"]).out).ok, true);
});

test("what cannot be judged is refused with a reason; control: the same input in order is answered", (t) => {
  const person = newCliUser(t, null);
  const good = hookText(person, "claude", "Bash", { command: "ls" });
  const wrong: readonly (readonly [input: string, why: RegExp])[] = [
    ["", /standard input is empty/],
    ["{", /not JSON/],
    ["[]", /the input is not an object/],
    [good.replace("PreToolUse", "PostToolUse"), /the event is "PostToolUse"/],
    [good.replace("PreToolUse", "\\u001b[2J"), /the event is/],
    [good.replace('"tool_name":"Bash",', ""), /tool_name is not a text/],
    [good.replace('{"command":"ls"}', '"ls"'), /tool_input is not an object/],
    [good.replace('"command":"ls"', '"command":["ls"]'), /command is not a text/],
    [good.replace('"command":"ls"', '"command":"ls \\u0000 x"'), /refused/],
    [good.replace(person.project, "relative"), /cwd is "relative", which is not an absolute path/],
    [good.replace('"ls"', JSON.stringify("x".repeat(20_000))), /refused/],
  ];
  for (const [input, why] of wrong) {
    const { done, denied, input: rewritten } = meaningOf("claude", person.run(["hook", "claude"], { input }));
    assert.match(denied ?? "", why, input.slice(0, 200));
    assert.equal(rewritten, null);
    assert.doesNotMatch(done.out + done.err, unsafe);
  }
  assert.notEqual(meaningOf("claude", person.run(["hook", "claude"], { input: good })).input, null);
  const unknown = person.run(["hook", "vim"], { input: good });
  assert.deepEqual([unknown.code, unknown.out], [2, ""]);
  assert.match(unknown.err, /no client "vim"[^]*claude, codex, gemini, opencode/);
});

test("a gate that cannot be opened is a no, for every tool", (t) => {
  const person = newCliUser(t, null);
  writeFileSync(person.configFile, "version: [", { mode: 0o600 });
  const shell = judge(person, "gemini", "ls");
  assert.equal(shell.done.code, 2);
  assert.match(shell.denied ?? "", /config\.yaml/);
  const state = join(person.root, "no-state");
  writeFileSync(state, "a file");
  const input = hookText(person, "gemini", "replace", {});
  const { code, err } = person.run(["hook", "gemini", "--state", state], { input });
  assert.equal(code, 2, err);
  assert.match(err, /no-state/);
});

test("a command starts where its client starts it, and the session is that of `call`", (t) => {
  const person = newCliUser(t, null);
  mkdirSync(join(person.project, "below"));
  const text = hookText(person, "gemini", "run_shell_command", { command: "pwd", dir_path: "below" });
  const { input } = meaningOf("gemini", person.run(["hook", "gemini"], { input: text }));
  const done = inShell(person, `cd below; ${input?.["command"]}`);
  assert.equal(done.out, `${person.project}/below\n`, done.err);
  person.run(["hook", "gemini", "--session", "mine"], { input: hookText(person, "gemini", "replace", {}) });
  assert.equal(recordOf(person)[0]?.session, "mine");
  const named = judge(person, "claude", "ls", ["--session", "mine", "--agent", "default"]);
  assert.match(named.input?.["command"] ?? "", / --session=mine /);
  // A client that works in a directory below names its project in a variable.
  const below = { cwd: join(person.project, "below") };
  const env = { CLAUDE_PROJECT_DIR: person.project };
  const inBelow = person.run(["hook", "claude"], {
    input: hookText(person, "claude", "Bash", { command: "ls" }, below),
    env,
  });
  assert.ok(meaningOf("claude", inBelow).input?.["command"]?.includes(`--project ${person.project} `), inBelow.err);
});

test("every shell hands the script over as the agent wrote it", (t) => {
  const person = newCliUser(t, null);
  const last = '; for last; do :; done; printf %s "$last"';
  const one = (script: string): void => {
    const { input } = judge(person, "claude", `: <<'END'\n${script}\nEND\n`);
    if (input === null) return;
    for (const shell of ["sh", "bash", "zsh"]) {
      const done: SpawnSyncReturns<string> = spawnSync(shell, ["-c", `set -- ${input["command"]}${last}`], {
        encoding: "utf8",
      });
      assert.equal(done.stdout, `: <<'END'\n${script}\nEND\n`, shell);
    }
  };
  ["'", "''\\'$(touch x)`id`", "$'\\n'\"!!\"", "a\r\n\tb\u001b[2J ü \u{1f600}", "-- ; # \\"].forEach(one);
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("'", '"', "\\", "$(", "`", "\n", "!", " ", "x", "&", ";"), { maxLength: 12 }),
      (parts) => one(parts.join("")),
    ),
    { numRuns: runs(100, 20) },
  );
});

test("codex: its own patch is its editor's; a command that only looks like one is judged", (t) => {
  const person = newCliUser(t, null);
  const patch = (quote: string, after = "") =>
    `apply_patch <<${quote}EOF${quote}\n*** Begin Patch\n*** Add File: a\n+$(sudo ls)\n*** End Patch\nEOF\n${after}`;
  assert.equal(judge(person, "codex", patch("'")).done.out, "");
  assert.equal(recordOf(person)[0]?.event, "agent.said");
  assert.match(judge(person, "codex", patch("")).denied ?? "", /sudo/, "bash would expand it");
  assert.match(judge(person, "codex", patch("'", "sudo ls")).denied ?? "", /sudo/);
  assert.match(judge(person, "codex", `${patch("'")}sudo ls <<'EOF'\nEOF\n`).denied ?? "", /sudo/);
  assert.match(judge(person, "claude", patch("'", "sudo ls")).denied ?? "", /sudo/);
  assert.match(
    judge(person, "claude", patch("'")).input?.["command"] ?? "",
    /--script/,
    "only codex has such an editor",
  );
});
