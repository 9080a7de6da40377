// Bash: a script in the box. What it takes, how it runs, how it ends, and what it has to ask for.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import test, { after } from "node:test";
import { displayText } from "../../src/shared/display.ts";
import { limits } from "../../src/shared/limits.ts";
import { scripted } from "../fixtures/approver.ts";
import { makeTestDirectories } from "../fixtures/gate.ts";
import { bare, ran, refused } from "../fixtures/run.ts";
import { openScriptGate } from "../fixtures/script-gate.ts";

process.env["TMPDIR"] = "/var/tmp"; // a box has a /tmp of its own
const directories = makeTestDirectories();
const shared = openScriptGate(directories);
after(() => {
  shared.close();
  directories.remove();
});
const { bash, ranBash } = shared;

test("arguments that do not fit are named", async () => {
  const wrong: [Record<string, unknown>, RegExp][] = [
    [{}, /script/],
    [{ script: "" }, /script/],
    [{ script: 1 }, /script/],
    [{ script: "true", command: "x" }, /"command": no such argument/],
    [{ script: "true", shell: "zsh" }, /"shell": no such argument/],
    [{ script: "true", timeout_s: 0 }, /timeout_s/],
    [{ script: "true", timeout_s: 3601 }, /timeout_s/],
    [{ script: "true", max_output_bytes: 1023 }, /max_output_bytes/],
    [{ script: "true", max_output_bytes: 4_194_305 }, /max_output_bytes/],
    [{ script: "true", cwd: "relative" }, /cwd: "relative" is not an absolute path/],
    [{ script: "true", env: { "A=B": "x" } }, /A=B/],
    [{ script: "true", env: { LD_PRELOAD: "x" } }, /LD_PRELOAD/],
    [{ script: "true", env: { BASH_ENV: "x" } }, /BASH_ENV/],
    [{ script: "true", needs: { net: true } }, /"net": no such argument/],
    [{ script: "true", needs: { read: ["a"] } }, /needs\.read: "a" is not an absolute path/],
    [{ script: "true", needs: { write: ["~/a"] } }, /needs\.write: "~\/a" is not an absolute path/],
    [{ script: "true", expect: { file: [] } }, /"file": no such argument/],
    [{ script: "a\0b" }, /script: holds a NUL/],
    [{ script: "a\ud800" }, /script: holds .*half of a character/],
  ];
  for (const [args, message] of wrong) {
    const reply = refused(await shared.call("Bash", args));
    assert.equal(reply.error, "invalid_args", JSON.stringify([args, reply]));
    assert.match(reply.message, message);
  }
});

test("a script has two minutes, and may ask for an hour; a program of Exec has one, and may ask for ten", async () => {
  const seconds = async (tool: string, args: object) => {
    const planned = await shared.gate.plan({ tool, args });
    assert.ok(planned.ok, JSON.stringify(planned));
    return (planned.value.action.steps[0]?.timeoutMs ?? 0) / 1000;
  };
  for (const [tool, text] of [
    ["Bash", { script: "true" }],
    ["Python", { code: "1" }],
  ] as const)
    assert.deepEqual([await seconds(tool, text), await seconds(tool, { ...text, timeout_s: 3600 })], [120, 3600]);
  const argv = ["/usr/bin/true"];
  assert.deepEqual([await seconds("Exec", { argv }), await seconds("Exec", { argv, timeout_s: 600 })], [60, 600]);
  assert.equal(refused(await shared.call("Exec", { argv, timeout_s: 601 })).error, "invalid_args");
});

test("without Bash among the tools it is permission_denied, unasked", async () => {
  const none = openScriptGate(directories, { tools: ["Exec"] });
  assert.equal(refused(await none.bash("true")).error, "permission_denied");
  none.close();
});

test("a pager prints, and an editor is refused", async () => {
  assert.equal((await ranBash("printf 'a\\nb\\n' | more")).stdout, "a\nb\n");
  assert.equal(refused(await bash("printf a | vi -")).error, "permission_denied");
});

test("it is real bash, without profile and rc, pipefail off, and the script is its own file", async () => {
  const script = `
    echo "$0 $#"; shopt -q login_shell || echo no login
    [[ $- == *i* ]] || echo not interactive
    false | true; echo $?
    echo {1..3} $((6 * 7)) "\${BASH_VERSINFO[0]}"
    set -o | grep -E '^(pipefail|errexit)' | tr -s ' \\t' ' '`;
  const { stdout, exit_code } = await ranBash(script);
  assert.equal(exit_code, 0);
  assert.match(
    stdout,
    /^\/dev\/sallyport-script 0\nno login\nnot interactive\n0\n1 2 3 42 [45]\nerrexit off\npipefail off\n$/,
  );
  assert.equal((await ranBash("set -o pipefail; false | true")).exit_code, 1, "asked for, it is on");
});

test("the directory it starts in: /workspace, or one that is granted", async () => {
  assert.deepEqual((await ranBash("pwd")).stdout, "/workspace\n");
  const there = await ranBash("pwd; echo x > made", { cwd: directories.root });
  assert.deepEqual(
    [there.stdout, there.cwd, existsSync(`${directories.root}/made`)],
    [`${directories.root}\n`, directories.root, true],
  );
  assert.equal((await ranBash("pwd", { cwd: "/tmp" })).stdout, "/tmp\n");
  assert.equal(refused(await bash("pwd", { cwd: directories.outside })).error, "fs_denied");
});

test("a directory of the workspace is one to start in", async () => {
  await shared.done("write_file", { path: "sub/dir/a.txt", content: "a\n" });
  assert.equal((await ranBash("pwd; ls", { cwd: "/workspace/sub/dir" })).stdout, "/workspace/sub/dir\na.txt\n");
  for (const cwd of ["/workspace/none", "/workspace/sub/dir/a.txt"]) {
    const reply = refused(await bash("pwd", { cwd }));
    assert.deepEqual([reply.error, reply.message], ["invalid_args", `cwd: there is no directory "${cwd}".`]);
  }
});

test("standard input is empty, or what was given; there is no terminal", async () => {
  assert.deepEqual((await ranBash("cat; echo end $?")).stdout, "end 0\n");
  assert.equal((await ranBash('read -r line; echo "<$line>"; cat', { stdin: "one\ntwo\n" })).stdout, "<one>\ntwo\n");
  const tty = await ranBash("tty; [ -t 0 ] || [ -t 1 ] || [ -t 2 ] || echo none; : < /dev/tty");
  assert.match(tty.stdout, /^not a tty\nnone\n$/);
  assert.match(tty.stderr, /\/dev\/tty/);
});

test("exit codes and signals come back as they are", async () => {
  for (const code of [0, 1, 2, 126, 127, 255]) assert.equal((await ranBash(`exit ${code}`)).exit_code, code);
  const killed = await ranBash("kill -KILL $$");
  assert.deepEqual([killed.exit_code, killed.signal], [null, "SIGKILL"]);
  assert.deepEqual((await ranBash("bash -c 'kill -KILL $$'; echo $?")).stdout, "137\n");
  assert.equal((await ranBash("nosuchprogram")).exit_code, 127);
});

test("it ends with its time, and what it had written stays", async () => {
  const result = await ranBash("echo before > kept.txt; echo out; sleep 30; echo never > never.txt", { timeout_s: 1 });
  assert.deepEqual([result.timed_out, result.exit_code, result.stdout], [true, null, "out\n"]);
  assert.deepEqual(result.artifacts, [{ path: "/workspace/kept.txt", operation: "create", size: 7 }]);
  assert.equal(await shared.text("kept.txt"), "before\n");
});

test("output is capped at both ends, each stream by itself", async () => {
  const result = await ranBash("seq 1 100000; seq 1 10 >&2", { max_output_bytes: 1024 });
  assert.deepEqual([result.stdout_truncated, result.stderr_truncated, result.stdout_bytes], [true, false, 588_895]);
  assert.ok(Buffer.byteLength(result.stdout) <= 1024);
  assert.match(result.stdout, /^1\n2\n[^]*left out[^]*\n100000\n$/);
});

test("the environment is built from nothing", async () => {
  process.env["SALLYPORT_TEST_CANARY"] = "canary";
  try {
    const { stdout } = await ranBash("env | cut -d= -f1 | sort | tr '\\n' ' '", { env: { MINE: "x y" } });
    assert.equal(
      stdout,
      "ASAN_OPTIONS CARGO_NET_RETRY HOME LANG LC_ALL LSAN_OPTIONS MINE NO_UPDATE_NOTIFIER PATH PIP_RETRIES PWD SHELL SHLVL TERM USER _ npm_config_fetch_retries npm_config_update_notifier ",
    );
    assert.equal((await ranBash('echo "$MINE"', { env: { MINE: "x $(id) y" } })).stdout, "x $(id) y\n");
  } finally {
    delete process.env["SALLYPORT_TEST_CANARY"];
  }
});

test("the script's text is on no command line, and is no part of the dispatched entry", async () => {
  const canary = `canary-${process.pid}`;
  const looksAround = `# ${canary}\ncat /proc/[0-9]*/cmdline | tr '\\0' ' '`;
  const { stdout } = await ranBash(looksAround);
  assert.match(stdout, /bash --noprofile --norc \/dev\/sallyport-script/);
  assert.ok(!stdout.includes(canary));
  const entries = [...shared.gate.journal.list({ session: shared.gate.session })].filter((entry) =>
    JSON.stringify(entry.args ?? null).includes(canary),
  );
  assert.deepEqual(
    entries.map(({ event }) => event),
    ["tool.call.received"],
  );
  const bareSight = bare(["/bin/bash", "-c", looksAround]);
  assert.ok(bareSight.stdout.includes(canary), "with -c, everybody on the machine would have seen it");
});

test("a script may have 16 KB, and not a byte more", async () => {
  const head = "echo fine #";
  const whole = head + "x".repeat(limits.commandBytes - head.length);
  assert.equal(Buffer.byteLength(whole), 16 * 1024);
  assert.equal((await ranBash(whole)).stdout, "fine\n");
  for (const long of [`${whole}x`, `${whole.slice(1)}é`]) {
    const reply = refused(await bash(long));
    assert.deepEqual([reply.error, /script: longer than 16384 bytes/.test(reply.message)], ["invalid_args", true]);
    assert.match(reply.hint ?? "", /file of the workspace/);
  }
  await shared.done("write_file", { path: "long.sh", content: `${"# filler\n".repeat(4_000)}echo long\n` });
  assert.equal((await ranBash("bash long.sh")).stdout, "long\n", "what the hint says works");
});

test("a script that nobody can read to its end is asked about", async () => {
  const broken = "if true; then echo yes";
  const alone = refused(await bash(broken));
  assert.deepEqual([alone.error, /nobody can read/.test(alone.message)], ["permission_denied", true]);
  assert.match(alone.hint ?? "", /bash -n/);
  const approver = scripted();
  const asking = openScriptGate(directories, {}, { approvers: [approver] });
  assert.equal(ran(await asking.bash(broken)).exit_code, 2, "a yes lets bash itself complain");
  assert.match(approver.asked[0]?.text ?? "", /run what nobody can read: the script cannot be read to its end/);
  asking.close();
});

test("needs.read: nobody is fs_denied, no is approval_denied, yes shows that path for that call", async () => {
  writeFileSync(`${directories.outside}/note`, "from outside\n");
  const call = ["cat " + directories.outside + "/note", { needs: { read: [directories.outside] } }] as const;
  const nobody = refused(await bash(...call));
  assert.deepEqual([nobody.error, nobody.message.includes(directories.outside)], ["fs_denied", true]);
  const approver = scripted(() => ({ decision: "deny", reason: "not that one" }));
  const asking = openScriptGate(directories, {}, { approvers: [approver] });
  const no = refused(await asking.bash(...call));
  assert.deepEqual([no.error, no.message], ["approval_denied", "A person said no: not that one"]);
  approver.says = () => ({});
  assert.equal(ran(await asking.bash(...call)).stdout, "from outside\n");
  assert.match(approver.asked[1]?.text ?? "", new RegExp(`read ${directories.outside}`));
  const without = ran(await asking.bash(call[0]));
  assert.notEqual(without.exit_code, 0, "the yes was for that call");
  assert.match(without.hint ?? "", /outside.*is not in the box.*needs/);
  const changing = await asking.python(`open("${directories.outside}/note", "w")`, {
    needs: { read: [directories.outside] },
  });
  assert.match(ran(changing).stderr, /Read-only file system/, "to read is not to write");
  asking.close();
});

test("needs.write: the same, and then it can be changed", async () => {
  mkdirSync(`${directories.outside}/w`);
  const call = [
    `echo made > ${directories.outside}/w/new`,
    { needs: { write: [`${directories.outside}/w`] } },
  ] as const;
  assert.equal(refused(await bash(...call)).error, "fs_denied");
  const approver = scripted(() => ({ decision: "deny" }));
  const asking = openScriptGate(directories, {}, { approvers: [approver] });
  assert.equal(refused(await asking.bash(...call)).error, "approval_denied");
  assert.equal(existsSync(`${directories.outside}/w/new`), false);
  approver.says = () => ({});
  assert.equal(ran(await asking.bash(...call)).exit_code, 0);
  assert.equal(existsSync(`${directories.outside}/w/new`), true);
  assert.match(approver.asked[1]?.text ?? "", /may change +\S*\/outside\/w/);
  const unnamed = refused(await asking.bash(`echo x > ${directories.outside}/w/new`));
  assert.match(unnamed.hint ?? "", /needs: \{"write": \["/);
  asking.close();
});

test("needs.network: a yes opens the whole network of this machine, and both question and result say so", async (t) => {
  const server = createServer((caller) => caller.end("hello\n"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const reach = `cat < /dev/tcp/127.0.0.1/${port}`;
  const alone = await ranBash(reach);
  assert.notEqual(alone.exit_code, 0);
  assert.equal(alone.enforced.network, "kernel");
  assert.match(alone.hint ?? "", /no network in the box.*"needs": \{"network": \["/);
  assert.equal(refused(await bash(reach, { needs: { network: true } })).error, "net_denied");
  const approver = scripted(() => ({ decision: "deny" }));
  const asking = openScriptGate(directories, {}, { approvers: [approver] });
  assert.equal(refused(await asking.bash(reach, { needs: { network: true } })).error, "approval_denied");
  approver.says = () => ({});
  const result = ran(await asking.bash(reach, { needs: { network: true } }));
  assert.deepEqual([result.stdout, result.enforced.network], ["hello\n", "no"]);
  assert.match(result.notes?.[0] ?? "", /whole network of this machine/);
  const question = approver.asked[1]?.text ?? "";
  assert.match(question, /a script that has the network has the whole network of this machine, not one host/);
  assert.match(question, /network +the whole network of this machine/);
  assert.notEqual(ran(await asking.bash(reach)).exit_code, 0, "the next call has none");
  asking.close();
});

test("what a person is asked shows the whole script, inert", async () => {
  const approver = scripted(() => ({ decision: "deny" }));
  const asking = openScriptGate(directories, {}, { approvers: [approver] });
  const script = "echo one\necho \u001b[31mtwo\u202e\n";
  await asking.bash(script, { needs: { network: true } });
  const text = approver.asked[0]?.text ?? "";
  const lines = ["echo one", "echo \u001b[31mtwo\u202e"].map((line) => `  | ${displayText(line)}\n`);
  assert.ok(text.includes(lines.join("")), text);
  assert.deepEqual(
    ["\u001b", "\u202e"].filter((character) => text.includes(character)),
    [],
  );
  asking.close();
});

test("a cancelled call ends, and what it changed is there", async () => {
  const stop = new AbortController();
  const script = "echo half > half.txt; echo ready; sleep 30";
  const result = ran(await bash(script, {}, { signal: stop.signal, onOutput: () => stop.abort() }));
  assert.equal(result.exit_code, null);
  assert.equal(await shared.text("half.txt"), "half\n");
});
