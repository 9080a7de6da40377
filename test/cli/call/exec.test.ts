import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import test from "node:test";
import { countProcesses, newCliUser, noTerminal, onTerminal, type CliUser, runner } from "../../fixtures/cli.ts";

const sh = (script: string) => ["exec", "--", "sh", "-c", script];

/** `command` in bash, where $SALLYPORT is the command line. */
function inBash(person: CliUser, command: string): { code: number | null; out: string } {
  const env = { ...person.env, SALLYPORT: `${process.execPath} ${runner}` };
  const done = spawnSync("bash", ["-c", command], { cwd: person.project, env, encoding: "utf8" });
  return { code: done.status, out: done.stdout };
}

test("the two streams stay apart and the exit code is the program's", (t) => {
  assert.deepEqual(newCliUser(t).run(sh("echo out; echo err >&2; exit 7")), { code: 7, out: "out\n", err: "err\n" });
});

test("--script runs one text in bash, as the Bash tool does", (t) => {
  const person = newCliUser(t, null);
  const done = person.run(["exec", "--script", "--", "a=(one two); echo ${a[1]}; echo err >&2; exit 4"]);
  assert.deepEqual([done.code, done.out, done.err], [4, "two\n", "err\n"]);
  assert.match(person.run(["audit", "list"]).out, / Bash /);
  const two = person.run(["exec", "--script", "--", "echo", "two"]);
  assert.deepEqual([two.code, two.out], [2, ""]);
  assert.match(two.err, /more than one text/);
});

test("a signal is 128 and its number, a time-out is 124, and both say what happened", (t) => {
  const person = newCliUser(t);
  assert.equal(person.run(sh("kill -KILL $$")).code, 137);
  const late = person.run(["exec", "--timeout", "1", "--", "sleep", "30"]);
  assert.equal(late.code, 124);
  assert.match(late.err, /^sallyport: its time was up/);
});

test("what is refused ends with 126 and its hint, a missing program with 127; nothing is on stdout", (t) => {
  const person = newCliUser(t);
  writeFileSync(`${person.home}/tool`, "#!/bin/sh\necho ran\n", { mode: 0o755 });
  const refused = person.run(["exec", "--", `${person.home}/tool`]);
  assert.deepEqual([refused.code, refused.out], [126, ""]);
  assert.match(refused.err, /^sallyport: refused \(fs_denied\): .*\nhint: .*fs_grants/);
  for (const name of ["no-such-program", "/usr/bin/no-such-program", "./no-such-program"]) {
    const missing = person.run(["exec", "--", name]);
    assert.deepEqual([missing.code, missing.out], [127, ""], name);
    assert.match(missing.err, /no-such-program/);
  }
});

test("without a configuration the refusal shows a first one, and that one works", (t) => {
  const person = newCliUser(t, null);
  const refused = person.run(["exec", "--", "pwd"]);
  assert.equal(refused.code, 126);
  const yaml = refused.err.slice(refused.err.indexOf("  version: 1")).replaceAll(/^ {2}/gm, "");
  writeFileSync(person.configFile, yaml);
  assert.deepEqual(person.run(["exec", "--", "pwd"]), { code: 0, out: `${person.project}\n`, err: "" });
});

test("a bare name is found where the box looks, ./name from where the program starts, and options need no --", (t) => {
  const person = newCliUser(t);
  writeFileSync(`${person.project}/tool.sh`, '#!/bin/sh\necho "tool $1"\n', { mode: 0o755 });
  assert.equal(person.run(["exec", "./tool.sh", "--json"]).out, "tool --json\n");
  assert.equal(
    person.run(["exec", "--cwd", ".", "--", "tool.sh"]).code,
    127,
    "a bare name is never the current directory's",
  );
  assert.equal(
    person.run(["exec", "--project", person.project, "--", "./tool.sh", "-x"], { cwd: "/" }).out,
    "tool -x\n",
  );
  writeFileSync(`${person.home}/ls`, "#!/bin/sh\necho not this one\n", { mode: 0o755 });
  assert.doesNotMatch(person.run(["exec", "--", "ls"], { env: { PATH: person.home } }).out, /not this one/);
});

test("--env, --cwd and --stdin reach the program; nothing else does", (t) => {
  const person = newCliUser(t);
  const env = person.run(["exec", "--env", "A=1=2", "--env", "B=", "--", "env"], { env: { SECRET_TOKEN: "s3cret" } });
  assert.match(env.out, /^A=1=2$/m);
  assert.match(env.out, /^B=$/m);
  assert.doesNotMatch(env.out, /SECRET_TOKEN|SALLYPORT/);
  assert.equal(person.run(["exec", "--cwd", "/usr", "--", "pwd"]).out, "/usr\n");
  assert.equal(person.run(["exec", "--stdin", "--", "cat"], { input: "grüße\n" }).out, "grüße\n");
  assert.equal(person.run(["exec", "--", "cat"], { input: "not asked for" }).out, "");
  assert.equal(person.run(["exec", "--stdin", "--", "cat"], { input: Buffer.from([0xff, 0xfe]) }).code, 2);
});

test("every byte goes into a pipe as it is, also when the reader is slow", (t) => {
  const person = newCliUser(t);
  const bytes = inBash(person, `$SALLYPORT exec -- printf '\\000\\033[31m\\377\\r\\n' | od -An -tx1`);
  assert.equal(bytes.out.trim(), "00 1b 5b 33 31 6d ff 0d 0a");
  const script = "head -c 20000000 /dev/zero | tr '\\000' x";
  const slow = inBash(person, `set -o pipefail; $SALLYPORT exec -- sh -c "${script}" | (sleep 0.5; sha256sum)`);
  const whole = createHash("sha256").update(Buffer.alloc(20_000_000, "x")).digest("hex");
  assert.deepEqual([slow.code, slow.out.slice(0, 64)], [0, whole]);
});

test("a reader that goes away ends the program, quietly, with 141", (t) => {
  const person = newCliUser(t);
  const done = inBash(
    person,
    `$SALLYPORT exec --timeout 60 -- yes word-${process.pid} 2>err | head -n 1; echo \${PIPESTATUS[0]}; cat err`,
  );
  assert.equal(done.out, `word-${process.pid}\n141\n`);
  assert.equal(countProcesses(`yes word-${process.pid}`), 0);
});

test("a reader that stands still does not keep the program alive beyond its time", (t) => {
  const person = newCliUser(t);
  const word = `still-${process.pid}`;
  const runs = `ps -eo args | grep -q '^/usr/bin/yes ${word}'`;
  // The reader reads nothing before the program has been seen, and been seen gone. On a busy machine nobody may see it in its second.
  const reader = `until ${runs} || [ -e code ]; do sleep 0.02; done; while ${runs}; do sleep 0.02; done; cat > /dev/null`;
  const done = inBash(
    person,
    `($SALLYPORT exec --timeout 1 -- yes ${word} 2>/dev/null; echo $? > code) | (${reader}); cat code`,
  );
  assert.equal(done.out, "124\n");
});

test(
  "output comes while the program still runs, in the order in which it was printed",
  { skip: noTerminal },
  async (t) => {
    const script =
      "for i in 1 2 3; do echo out $i; sleep 0.1; echo err $i >&2; sleep 0.1; done; echo waiting; while :; do sleep 0.1; done";
    const { screen, code } = await onTerminal(newCliUser(t), sh(script), {
      type: { after: "waiting", keys: "\u0003" },
    });
    assert.match(screen, /^out 1\r\nerr 1\r\nout 2\r\nerr 2\r\nout 3\r\nerr 3\r\nwaiting\r\n/);
    assert.equal(code, 130, "it was still running when its output had come");
  },
);

test(
  "on a terminal nothing that a program prints acts on the screen; --raw lets it",
  { skip: noTerminal },
  async (t) => {
    const person = newCliUser(t);
    const hostile = String.raw`printf '\033[2J\033]0;title\007\233m\302\233\342\200\256ok\rover\ttab\r\n'; printf 'err\033c\n' >&2`;
    const { screen } = await onTerminal(person, sh(hostile));
    assert.doesNotMatch(screen, /[[\p{Cc}\u202e]--[\r\n\t]]|\r(?!\n)/v);
    assert.match(screen, /\\x1b\[2J.*\\u\{202e\}ok\\rover\ttab\r\n/);
    assert.match(screen, /err\\x1bc/);
    const raw = await onTerminal(person, ["exec", "--raw", "--", "printf", String.raw`\033[1mbold\n`]);
    assert.ok(raw.screen.includes("\u001b[1mbold"));
  },
);

test("on a terminal a character that arrives in two pieces is whole", { skip: noTerminal }, async (t) => {
  const { screen } = await onTerminal(
    newCliUser(t),
    sh(String.raw`printf 'a\346'; sleep 0.1; printf '\274'; sleep 0.1; printf '\242z\n'`),
  );
  assert.equal(screen, "a漢z\r\n");
});

test("Ctrl-C gives the program its SIGTERM and its last words, and ends with 130", { skip: noTerminal }, async (t) => {
  const person = newCliUser(t);
  const script = "trap 'echo last words; exit 5' TERM; echo ready; while :; do sleep 0.05; done";
  const { code, screen } = await onTerminal(person, sh(script), { type: { after: "ready", keys: "\u0003" } });
  assert.equal(code, 130);
  assert.match(screen, /last words/);
});

const noScript = existsSync("/usr/bin/script") ? false : "script(1) is not installed";

test("on a terminal it says that standard input was left out", { skip: noScript }, (t) => {
  const person = newCliUser(t);
  writeFileSync(`${person.project}/input`, "something\n");
  const told = (command: string) =>
    /standard input is not passed on/.test(inBash(person, `script -qec "${command}" /dev/null`).out);
  assert.equal(told("$SALLYPORT exec -- cat < input"), true);
  assert.equal(told("$SALLYPORT exec --stdin -- cat < input"), false);
  assert.equal(told("$SALLYPORT exec -- cat < /dev/null"), false);
});
