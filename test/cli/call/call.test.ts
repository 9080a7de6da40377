import assert from "node:assert/strict";
import { once } from "node:events";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import test from "node:test";
import { countProcesses, type Done, newCliUser } from "../../fixtures/cli.ts";

interface Answer {
  readonly ok: boolean;
  readonly error?: string;
  readonly result?: { readonly stdout: string; readonly exit_code: number | null; readonly signal: string | null };
}

/** Exactly one line, and all of it JSON. */
function replyOf(done: Done): Answer {
  assert.match(done.out, /^[^\n]+\n$/, done.err);
  return JSON.parse(done.out) as Answer;
}

const exec = (...argv: string[]) => JSON.stringify({ argv });

test("a call prints one JSON reply on one line and ends with 0, whatever the program answered", (t) => {
  const person = newCliUser(t);
  const done = person.run(["call", "Exec", exec("/bin/sh", "-c", "echo hi; exit 3")]);
  assert.deepEqual([done.code, done.err], [0, ""]);
  assert.deepEqual([replyOf(done).result?.stdout, replyOf(done).result?.exit_code], ["hi\n", 3]);
});

test("a refused call prints its reply and ends with 1", (t) => {
  const person = newCliUser(t);
  const cases: [string[], string][] = [
    [["call", "Nope"], "tool_not_found"],
    [["call", "Exec"], "invalid_args"],
    [["call", "Exec", "[]"], "invalid_args"],
    [["call", "Exec", '{"argv":["/bin/true"],"shell":true}'], "invalid_args"],
    [["call", "Exec", JSON.stringify({ argv: ["/bin/true"], cwd: person.home })], "fs_denied"],
  ];
  for (const [args, error] of cases) {
    const done = person.run(args);
    assert.deepEqual([done.code, replyOf(done).error], [1, error]);
  }
  const bare = newCliUser(t, null);
  const done = bare.run(["call", "Exec", exec("/bin/true")]);
  assert.deepEqual([done.code, replyOf(done).error], [1, "permission_denied"]);
});

test("- reads the JSON from standard input, within a bound", (t) => {
  const person = newCliUser(t);
  const text = "ä\u0000".repeat(100_000);
  const done = person.run(["call", "Exec", "-"], {
    input: JSON.stringify({ argv: ["/usr/bin/wc", "-c"], stdin: text }),
  });
  assert.deepEqual([done.code, replyOf(done).result?.stdout], [0, "300000\n"]);
  const long = person.run(["call", "Exec", "-"], { input: Buffer.alloc(9 * 1024 * 1024, " ") });
  assert.deepEqual([long.code, long.out], [2, ""]);
  assert.match(long.err, /longer than 8388608 bytes/);
  const bytes = person.run(["call", "Exec", "-"], { input: Buffer.from([0x22, 0xff, 0x22]) });
  assert.deepEqual([bytes.code, bytes.out], [2, ""]);
});

test("malformed JSON ends with 2, shows where, and is not recorded", (t) => {
  const person = newCliUser(t, undefined, { hasState: false });
  const done = person.run(["call", "Exec", '{"argv": [/bin/ls]}']);
  assert.deepEqual([done.code, done.out], [2, ""]);
  assert.match(done.err, /line 1, column 11: expected a value or \]\n {2}\{"argv": \[\/bin\/ls\]\}\n {12}\^\nhint: /);
  assert.equal(existsSync(person.state), false);
});

test("nothing in a reply acts on a terminal, and parsing gives it back as it was", (t) => {
  const hostile = "\u001b[2J\u009b31m\u202e\u2028\u007f";
  const done = newCliUser(t).run(["call", "Exec", exec("/bin/echo", "-n", hostile)]);
  assert.equal(replyOf(done).result?.stdout, hostile);
  assert.doesNotMatch(done.out.trimEnd(), /[^\u0020-\u007e]/);
});

test("--dry-run tells what would happen and runs nothing", (t) => {
  const person = newCliUser(t);
  const touch = exec("/usr/bin/touch", `${person.project}/made`);
  const shown = person.run(["call", "Exec", touch, "--dry-run"]);
  assert.deepEqual([shown.code, shown.err], [0, ""]);
  assert.match(shown.out, /run +\/usr\/bin\/touch .*\/project\/made\n/);
  assert.match(
    shown.out,
    /verdict: allow .*\n[\s\S]*allow +run \/usr\/bin\/touch: fs_grants: r \/usr\n[\s\S]*Nothing was run\.\n$/,
  );
  const json = JSON.parse(person.run(["call", "Exec", touch, "--dry-run", "--json"]).out) as {
    ok: boolean;
    verdict: { decision: string };
    action: { digest: string };
  };
  assert.deepEqual([json.ok, json.verdict.decision], [true, "allow"]);
  assert.match(json.action.digest, /^[0-9a-f]{64}$/);
  assert.equal(existsSync(`${person.project}/made`), false);
  assert.equal(person.run(["audit", "list", "--json"]).out, "[]\n");

  const asked = person.run(["call", "Exec", JSON.stringify({ argv: ["/bin/true"], cwd: "/var/lib" }), "--dry-run"]);
  assert.equal(asked.code, 1);
  assert.match(asked.out, /verdict: ask .*\n[\s\S]*ask +read \/var\/lib: no grant covers it/);
  const refused = person.run(["call", "Exec", exec("ls"), "--dry-run"]);
  assert.equal(refused.code, 1);
  assert.match(refused.out, /would be refused \(invalid_args\).*absolute path/);

  person.run(["call", "Exec", touch]);
  assert.equal(existsSync(`${person.project}/made`), true, "the control: without --dry-run it runs");
});

test("help about a tool comes from its schema, and its examples work", (t) => {
  const person = newCliUser(t);
  const help = person.run(["call", "Exec", "--help"]);
  assert.equal(help.code, 0);
  assert.deepEqual(person.run(["call", "--help", "Exec"]), help);
  for (const name of ["argv", "cwd", "env", "stdin", "timeout_s", "max_output_bytes"])
    assert.match(help.out, new RegExp(`^  ${name} `, "m"));
  const schema = JSON.parse(person.run(["call", "Exec", "--help", "--json"]).out) as { examples: unknown[] };
  assert.ok(schema.examples.length > 1);
  for (const example of schema.examples) {
    assert.ok(help.out.includes(JSON.stringify(example)));
    assert.equal(person.run(["call", "Exec", JSON.stringify(example)]).code, 0);
  }
  assert.equal(person.run(["call", "Nope", "--help"]).code, 2);
});

test("calls without --session share one that belongs to the project and the agent", (t) => {
  const person = newCliUser(t);
  const sessionOf = (flags: string[], cwd = person.project) => {
    person.run(["call", "Exec", exec("/bin/true"), ...flags], { cwd });
    return (JSON.parse(person.run(["audit", "list", "--json", "--limit", "1"]).out) as { session: string }[])[0]
      ?.session;
  };
  const first = sessionOf([]);
  assert.match(first ?? "", /^default-[0-9a-f]{8}$/);
  assert.equal(sessionOf([]), first);
  assert.notEqual(sessionOf([], person.home), first);
  assert.equal(sessionOf(["--session", "mine"]), "mine");
});

test("what the configuration leaves out by itself is said on stderr, and stdout stays one reply", (t) => {
  const person = newCliUser(t, null);
  const done = person.run(["call", "Exec", exec("/bin/true")], { cwd: person.home });
  assert.match(done.err, /^note: Not granted by default: /);
  assert.equal(replyOf(done).error, "permission_denied");
});

/** Whether a process has exactly this command line. */
function isRunning(...argv: string[]): boolean {
  const listed = spawnSync("ps", ["-eo", "args"], { encoding: "utf8" }).stdout;
  return listed.split("\n").includes(argv.join(" "));
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  test(`${signal} cancels the call: a reply is still printed, and nothing of it is left alive`, async (t) => {
    const person = newCliUser(t);
    const marker = `${signal === "SIGINT" ? 77_001 : 77_002}.${process.pid}`;
    const script = `trap 'exit 5' TERM; setsid sleep ${marker} & while :; do sleep 0.05; done`;
    const child = person.start(["call", "Exec", exec("/bin/bash", "-c", script)]);
    let out = "";
    child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString()));
    // What it writes lands when it ends, so it is known by its process alone. The script is in other command lines too.
    while (!isRunning("sleep", marker)) await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill(signal);
    const [code] = (await once(child, "close")) as [number];
    assert.equal(code, signal === "SIGINT" ? 130 : 143);
    assert.equal((JSON.parse(out) as Answer).result?.exit_code, 5, "the program got its SIGTERM");
    assert.equal(countProcesses(`sleep ${marker}`), 0);
    assert.match(person.run(["audit", "list", "--limit", "1"]).out, /finished .*cancelled/);
  });
}
