// `sallyport run`: a program on a terminal or with pipes, over a draft of the project.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { type CliUser, newCliUser, noTerminal } from "../../fixtures/cli.ts";
import { openDialog } from "../../fixtures/dialog.ts";

function personWithProject(t: Parameters<typeof newCliUser>[0]): CliUser {
  const person = newCliUser(t, null);
  writeFileSync(join(person.project, "notes.txt"), "one\n");
  const git = (...words: string[]) =>
    assert.equal(
      spawnSync("git", ["-C", person.project, "-c", "user.name=Ann", "-c", "user.email=ann@example.org", ...words])
        .status,
      0,
    );
  git("init", "-q");
  git("add", ".");
  git("commit", "-q", "-m", "first");
  return person;
}

test("with pipes: input, output, errors and the exit code pass; the work waits in a draft", (t) => {
  const person = personWithProject(t);
  const script =
    "read line; echo got $line; echo wrong >&2; pwd; echo two >> notes.txt; git commit -qam second; tty; exit 3";
  const { code, out, err } = person.runProcess(["run", "--", "bash", "-c", script], { input: "typed\n" });
  assert.equal(code, 3, err);
  assert.equal(out, `got typed\n${person.project}\nnot a tty\n`);
  assert.match(err, /^wrong$/m);
  assert.match(err, /session bash: a draft of /);
  assert.match(err, /questions and changes: http:\/\/127\.0\.0\.1:\d+\/#enter=/);
  assert.match(err, /session bash has changed 1 file, in 1 commit:/);
  assert.match(err, /changes land bash/);
  assert.equal(readFileSync(join(person.project, "notes.txt"), "utf8"), "one\n");

  const listed = JSON.parse(person.run(["changes", "list", "--json"]).out) as {
    sessions: { session: string; files: number }[];
  };
  assert.deepEqual(
    listed.sessions.map(({ session, files }) => [session, files]),
    [["bash", 1]],
  );
  const events = person.run(["audit", "list", "--json", "--tool", "Run"]).out;
  assert.match(events, /tool\.call\.dispatched/);
});

test("a named session goes on, and another run begins anew with a name of its own", (t) => {
  const person = personWithProject(t);
  assert.equal(person.runProcess(["run", "bash", "-c", "echo mine > mine.txt; echo kept > ~/kept"]).code, 0);
  const on = person.runProcess(["run", "--session", "bash", "--", "cat", "mine.txt"]);
  assert.equal(on.out, "mine\n");
  assert.equal(person.runProcess(["run", "--session", "bash", "--", "bash", "-c", "cat ~/kept"]).out, "kept\n");
  const other = person.runProcess(["run", "bash", "-c", "ls"]);
  assert.equal(other.out, "notes.txt\n");
  assert.match(other.err, /session bash-2: a draft/);
});

test("a large input and a large output pass whole", (t) => {
  const person = personWithProject(t);
  const input = Buffer.alloc(3 << 20, "0123456789abcdef\n");
  const { code, out } = person.runProcess(["run", "cat"], { input });
  assert.equal(code, 0);
  assert.equal(out.length, input.length);
  assert.ok(input.equals(Buffer.from(out)));
});

test("what cannot start is refused, and says what would", (t) => {
  const person = personWithProject(t);
  const missing = person.runProcess(["run", "no-such-program"]);
  assert.equal(missing.code, 126);
  assert.match(missing.err, /There is no program "no-such-program"/);
  assert.match(missing.err, /PATH/);
  assert.equal(person.runProcess(["run"]).code, 2);
  assert.equal(person.runProcess(["run", "--session", "", "--", "ls"]).code, 2);
});

test("all that the program started ends with it", (t) => {
  const person = personWithProject(t);
  const seconds = 3_000 + Math.floor(Math.random() * 1_000_000);
  const { code } = person.runProcess(["run", "bash", "-c", `sleep ${seconds} & setsid sleep ${seconds} & exit 0`]);
  assert.equal(code, 0);
  const running = readdirSync("/proc").some((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "latin1") === `sleep\0${seconds}\0`;
    } catch {
      return false; // it has ended
    }
  });
  assert.equal(running, false);
});

test("no other command offers Run, and no agent can call it", (t) => {
  const person = personWithProject(t);
  const { code, out } = person.run(["call", "Run", '{"argv":["ls"]}']);
  assert.equal(code, 1);
  assert.equal((JSON.parse(out) as { error: string }).error, "tool_not_found");
});

test("a host that nobody granted is asked about in the queue while the program runs, and the reply names it", async (t) => {
  const person = personWithProject(t);
  // Not found by reading the arguments, which would ask before the start and wait longer.
  const script = "import urllib.request as u; u.urlopen('http://nowhere.' + 'example/')";
  const child = person.start(["run", "--", "python3", "-c", script]);
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  let waiting = "";
  while (child.exitCode === null && !waiting.includes("nowhere.example"))
    waiting =
      person.run(["review", "--once", "--json"]).out +
      (await new Promise((resolve) => setTimeout(() => resolve(""), 100)));
  assert.match(waiting, /nowhere\.example/);
  assert.notEqual(await ended, 0); // nobody answered
});

test(
  "on a terminal: a terminal of the box, with its size, keys, job control and Ctrl-C",
  { skip: noTerminal },
  async (t) => {
    const person = personWithProject(t);
    const dialog = openDialog(t, person, ["run", "--", "bash", "--norc", "-i"], { columns: 90, rows: 30 });
    await dialog.until("bash-");
    const ask = async (line: string, answer: string | RegExp) => {
      const from = dialog.output().length;
      dialog.send(`${line}\r`);
      await dialog.until(answer, from);
    };
    await ask("tty; echo $TERM", /\/dev\/pts\/0[^]*xterm-256color/);
    await ask("stty size", "30 90");
    dialog.resize(100, 40);
    await ask("while [ \"$(stty size)\" != '40 100' ]; do sleep 0.1; done; echo resi''zed", "resized");
    // Each says that it runs before it gets a key: bash itself, which has the terminal until then, ignores Ctrl-Z.
    await ask("bash -c 'echo run''ning; exec sleep 1000'; echo in''terrupted $?", "running");
    await ask("\u0003echo af''ter", "after");
    await ask("bash -c 'echo run''ning; exec sleep 1001'", "running");
    await ask("\u001aecho sto''pped; jobs", /stopped[^]*sleep 1001/);
    await ask("kill %1; wait %1; printf '\\303\\244\\n'", "ä");
    dialog.send("exit 5\r");
    assert.equal(await dialog.ended, 5);
  },
);

test(
  "the terminal is given back as it was, and what a program left there is dropped",
  { skip: noTerminal },
  async (t) => {
    const person = personWithProject(t);
    // The program asks the terminal for an answer, which comes when it has ended, and leaves modes set.
    const script =
      "printf '\\033[?1049h\\033[?25l\\033[?1003h\\033[?2004h'; stty raw -echo; printf dr; printf 'awn'; sleep 0.3";
    const shell = `"$0" "$@" run -- bash -c "${script.replaceAll('"', '\\"').replaceAll("$", "\\$")}"; echo; stty -a | grep -o ' -*icanon\\| -*echo '; read -t 1 -n 1 left; echo "left:<$left>"`;
    const dialog = openDialog(t, person, [], { shell });
    await dialog.until("drawn");
    dialog.send("typed while it ends");
    assert.equal(await dialog.ended, 0);
    const output = dialog.output();
    for (const code of ["?1047l", "?25h", "?1003l", "?2004l"]) assert.ok(output.includes(`\u001b[${code}`), code);
    assert.match(output, /^ icanon/m);
    assert.match(output, /^ echo/m);
    assert.match(output, /left:<>/);
  },
);

test("the person's terminal cannot be typed into: there is none in the box", { skip: noTerminal }, async (t) => {
  const person = personWithProject(t);
  // TIOCSTI types into a terminal.
  const type =
    "import fcntl,sys\\ntry:\\n  fcntl.ioctl(0, 0x5412, b'x')\\n  print('ty'+'ped')\\nexcept OSError as e:\\n  print('er'+'ror', e.errno)";
  const python = `printf '${type.replaceAll("'", "'\\''")}' > /tmp/t.py; python3 /tmp/t.py; ls /dev/pts; exit`;
  // Control: outside, root types into the terminal that a program of theirs runs on.
  if (process.getuid?.() === 0) {
    const outside = openDialog(t, person, [], { shell: python });
    await outside.until("typed");
    assert.equal(await outside.ended, 0);
  }
  const dialog = openDialog(t, person, ["run", "--", "bash", "--norc", "-i"]);
  await dialog.until("bash-");
  dialog.send(`${python}\r`);
  await dialog.until(/error (1|5|25)\b/);
  await dialog.until(/\n0 +ptmx|\nptmx/);
  assert.equal(await dialog.ended, 0);
});

test("a terminal that closes ends the program, and nothing of the work is lost", { skip: noTerminal }, async (t) => {
  const person = personWithProject(t);
  const dialog = openDialog(t, person, [
    "run",
    "--session",
    "closed",
    "--",
    "bash",
    "-c",
    "echo work > work.txt; echo writ''ten; sleep 1000",
  ]);
  await dialog.until("written");
  dialog.kill("SIGHUP");
  assert.notEqual(await dialog.ended, 0);
  assert.equal(person.runProcess(["run", "--session", "closed", "--", "cat", "work.txt"]).out, "work\n");
  assert.ok(!existsSync(join(person.project, "work.txt")));
});
