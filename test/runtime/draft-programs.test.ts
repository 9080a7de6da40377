// What programs in a draft get of the person's machine: large files by their pointers, no credentials, no sockets or pipes of the project,
// a HOME, and the person's programs in the person's order.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import test from "node:test";
import { DRAFT_HOME } from "../../src/policy/box-paths.ts";
import { makeProject, openDraft } from "../fixtures/draft-gate.ts";

const files = { ".gitignore": "run/\n", "a.txt": "one\n" };

test("a pointer of LFS stays a pointer, and the person's filter runs nowhere", async (t) => {
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"a".repeat(64)}\nsize 12345\n`;
  const attributes = "*.bin filter=lfs diff=lfs merge=lfs -text\n";
  const project = makeProject(t, { ...files, "big.bin": pointer, ".gitattributes": attributes });
  const marker = join(project.outside, "filter-ran");
  for (const name of ["clean", "smudge"]) project.git("config", `filter.lfs.${name}`, `touch '${marker}'; cat`);
  project.git("config", "filter.lfs.required", "true");
  const gate = openDraft(t, project);
  assert.equal(await gate.bash("cat big.bin; git status --short"), pointer);
  assert.equal(
    await gate.bash(
      "mv big.bin other.bin; echo x >> a.txt; git add -A; git commit -qm moved; git show HEAD:other.bin; git checkout -q HEAD^ -- big.bin; cat big.bin; git status --short",
    ),
    `${pointer}${pointer}A  big.bin\n`,
  );
  assert.equal(existsSync(marker), false);
  project.write("big.bin", `${pointer}x`);
  project.git("add", "big.bin");
  assert.equal(existsSync(marker), true, "control: outside the filter runs");
});

test("no credentials are inside: not in configuration, remotes, logs or files of git", async (t) => {
  const project = makeProject(t, files);
  const secret = "hunter2-of-the-person";
  const url = `https://ann:${secret}@git.example.org/a.git`;
  project.git("remote", "add", "origin", url);
  project.git("config", "http.https://git.example.org/.extraheader", `Authorization: Basic ${secret}`);
  project.git("config", `url.${url}.insteadOf`, "short:");
  project.git("config", "credential.helper", `!echo password=${secret} #`);
  const own = join(project.path, ".git");
  writeFileSync(join(own, "FETCH_HEAD"), `${"a".repeat(40)}\t\tbranch 'main' of ${url}\n`);
  appendFileSync(join(own, "logs/HEAD"), `${"0".repeat(40)} ${"1".repeat(40)} Ann <a@b> 1 +0000\tclone: from ${url}\n`);
  writeFileSync(join(own, "description"), `${secret}\n`);
  const found = (where: string) => `grep -rlaF ${secret} ${where} 2> /dev/null || true`;
  const ask =
    "printf 'protocol=https\\nhost=git.example.org\\nusername=ann\\n\\n' | GIT_TERMINAL_PROMPT=0 git credential fill 2>&1 || true";
  const outside = spawnSync("sh", ["-c", `${found(".git")}; ${ask}`], { cwd: project.path, encoding: "utf8" }).stdout;
  for (const name of ["config", "FETCH_HEAD", "logs/HEAD", "description"])
    assert.match(outside, new RegExp(`^\\.git/${name}$`, "m"), "control: it is in the person's repository");
  assert.match(outside, new RegExp(`password=${secret}`), "control: git gives it away");
  const gate = openDraft(t, project);
  const inside = await gate.bash(
    `${found(". $HOME /proc/self/environ")}; git remote -v; git config --list; env; git reflog; ${ask}`,
  );
  assert.doesNotMatch(inside, new RegExp(`${secret}|example\\.org/a`));
  assert.match(inside, /^core\./m, "git has a configuration of the session's");
});

test("the beginning of a draft of thousands of files tells how far it is", async (t) => {
  const many = Object.fromEntries([...Array(5_600).keys()].map((n) => [`many/${n % 40}/${n}.txt`, `${n}\n`]));
  const project = makeProject(t, many);
  const gate = openDraft(t, project);
  const told: string[] = [];
  const onProgress = (done: number, total: number | null, what: string) => void told.push(`${done}/${total} ${what}`);
  const reply = await gate.call({ tool: "Bash", args: { script: "find many -type f | wc -l" } }, { onProgress });
  assert.equal(reply.ok && (reply.result as { stdout: string }).stdout, "5600\n");
  for (const done of [0, 5_000, 5_600])
    assert.ok(told.includes(`${done}/5600 files of the project copied`), told.join());
});

test("a program in a draft reaches no socket and no pipe of the project", async (t) => {
  const project = makeProject(t, { ...files, "run/seen.txt": "seen\n" });
  const [socket, pipe] = [join(project.path, "run/service.sock"), join(project.path, "run/pipe")];
  let connections = 0;
  const server = createServer((client) => {
    connections += 1;
    client.end("reached");
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  t.after(() => server.close());
  execFileSync("mkfifo", [pipe]);
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  t.after(() => closeSync(reader));
  const attack = `
import os, socket, errno
def attempt(what):
    try:
        return what()
    except OSError as error:
        return errno.errorcode[error.errno]
def connect():
    client = socket.socket(socket.AF_UNIX)
    client.connect("run/service.sock")
    return client.recv(100).decode()
def write():
    return os.write(os.open("run/pipe", os.O_WRONLY | os.O_NONBLOCK), b"reached")
print(open("run/seen.txt").read().strip(), attempt(connect), attempt(write))`;
  const gate = openDraft(t, project);
  const [seen, connected, written] = (await gate.bash(`/usr/bin/python3 - <<'END'${attack}\nEND`)).trim().split(" ");
  assert.equal(seen, "seen", "the directory shows through");
  assert.match(String(connected), /^E/);
  assert.match(String(written), /^E/);
  assert.equal(connections, 0);
  const bytes = Buffer.alloc(100);
  assert.equal(readOrNothing(reader, bytes), 0);
  // The gate's own thread has to answer, so the control does not wait for it.
  const control = execFileSync("python3", ["-c", attack.replace("client.recv(100).decode()", '"connected"')], {
    cwd: project.path,
    encoding: "utf8",
  });
  assert.equal(control, "seen connected 7\n", "control: outside it reaches both");
  assert.equal(readOrNothing(reader, bytes), 7);
});

/** Nobody has the pipe open for writing, or nothing is in it. */
function readOrNothing(descriptor: number, bytes: Buffer): number {
  try {
    return readSync(descriptor, bytes);
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, "EAGAIN");
    return 0;
  }
}

test("what the person ignores in all repositories is not committed, and is not counted as theirs or the agent's", async (t) => {
  const project = makeProject(t, { ...files, "kept/.gitignore": "!keep.swp\n" });
  project.write(".idea/workspace.xml", "mine\n");
  project.write("a.swp", "swap\n");
  project.write("kept/keep.swp", "kept\n");
  const look = "git show --stat --format=%s HEAD; git status --short; cat .idea/workspace.xml";
  const control = openDraft(t, project, {}, { session: "s0" });
  assert.match(await control.bash(look), /workspace\.xml.*\n.*a\.swp/, "control: without the setting it is committed");

  const settings = join(project.outside, "../config/git");
  mkdirSync(settings);
  for (const [session, name] of [
    ["s1", "ignore"],
    ["s2", "elsewhere"],
  ] as const) {
    rmSync(join(settings, "ignore"), { force: true });
    writeFileSync(join(settings, name), ".idea/\n*.swp");
    if (name !== "ignore")
      writeFileSync(join(settings, "config"), `[core]\n\texcludesFile = ${join(settings, name)}\n`);
    const gate = openDraft(t, project, {}, { session });
    const seen = await gate.bash(look);
    assert.doesNotMatch(seen, /workspace|a\.swp/);
    assert.match(seen, /keep\.swp/, "rules of the project count more");
    assert.match(seen, /^mine$/m, "the file is there");
    assert.equal(await gate.bash("echo x > b.swp; echo x > mine.txt; git status --short"), "?? mine.txt\n");
    project.write(`.idea/${session}.xml`, "new\n");
    project.write(`${session}.swp`, "new\n");
    assert.equal((await gate.result("Bash", { script: "true" }))["behind"], undefined);
  }
});

test("HOME is the same lasting directory in Bash, Python and Shell", async (t) => {
  const project = makeProject(t, files);
  const gate = openDraft(t, project);
  await gate.bash("echo bash > ~/from-bash");
  const code =
    "import os, pathlib; home = pathlib.Path.home(); (home / 'from-python').write_text('python\\n'); print(home, os.environ['HOME'], (home / 'from-bash').read_text().strip())";
  assert.equal((await gate.result("Python", { code }))["stdout"], `${DRAFT_HOME} ${DRAFT_HOME} bash\n`);
  const shell = await gate.result("Shell", { command: "printenv HOME" });
  assert.deepEqual(
    (shell["results"] as { stdout: string }[]).map(({ stdout }) => stdout),
    [`${DRAFT_HOME}\n`],
  );
  assert.equal(await gate.bash("cat ~/from-bash ~/from-python"), "bash\npython\n");
});

test("programs of the person are found in the order of the person's PATH, in Bash, Python and Shell", async (t) => {
  const before = process.env["PATH"];
  t.after(() => void (process.env["PATH"] = before));
  const project = makeProject(t, files);
  const [first, second, hidden] = ["first", "second", "ungranted"].map((name) => join(project.outside, name)) as [
    string,
    string,
    string,
  ];
  for (const directory of [first, second, hidden]) {
    mkdirSync(directory, { mode: 0o755 });
    writeFileSync(join(directory, "tool"), `#!/bin/sh\necho ${directory}\n`);
    chmodSync(join(directory, "tool"), 0o755);
  }
  const more = { workspace: { kind: "draft" }, shell: { programs: ["tool"] } };
  const paths = [first, second].map((path) => ({ path, mode: "r" }));
  for (const [session, order] of [
    ["s1", [hidden, first, second]],
    ["s2", [hidden, second, first]],
  ] as const) {
    process.env["PATH"] = `${order.join(":")}:${before}`;
    const gate = openDraft(t, project, { paths, more }, { session });
    const expected = `${order[1]}\n`;
    assert.equal(await gate.bash("tool"), expected);
    const code = "import subprocess; print(subprocess.check_output(['tool'], text=True), end='')";
    assert.equal((await gate.result("Python", { code }))["stdout"], expected);
    const shell = await gate.result("Shell", { command: "tool" });
    assert.equal((shell["results"] as { stdout: string }[])[0]?.stdout, expected);
    const outside = execFileSync("env", ["tool"], {
      encoding: "utf8",
      env: { PATH: `${order.join(":")}:/usr/bin:/bin` },
    });
    assert.equal(outside, `${hidden}\n`, "control: outside the first one counts, granted or not");
  }
});
