// Tools of a developer that need what a box may keep from them, in `sallyport run`: UNIX sockets, tracing, a sandbox of their own.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { type CliUser, newCliUser } from "../../fixtures/cli.ts";

const without = (path: string) => (existsSync(path) ? false : `${path} is not installed`);

/** Their project has listening sockets, as a dev server leaves them, and one of them has a name that is not absolute. */
async function personWithSockets(t: TestContext): Promise<CliUser> {
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
  const server = createServer((socket) => socket.end("from outside\n"));
  t.after(() => server.close());
  await new Promise<void>((resolve) => server.listen(join(person.project, "dev.sock"), resolve));
  const script =
    "require('net').createServer((s) => s.end('from outside\\n')).listen('near.sock', () => console.log('listens'))";
  const near = spawn(process.execPath, ["-e", script], { cwd: person.project, stdio: ["ignore", "pipe", "ignore"] });
  t.after(() => near.kill("SIGKILL"));
  await once(near.stdout, "data");
  return person;
}

const tools: readonly (readonly [name: string, needs: string, script: string, says: RegExp])[] = [
  [
    "a tmux server and its client",
    "/usr/bin/tmux",
    "tmux -f /dev/null new-session -d -s work 'sleep 100' && tmux list-sessions && tmux kill-server",
    /^work: 1 windows/m,
  ],
  [
    "gpg makes a key, with its agent",
    "/usr/bin/gpg",
    "gpg --batch --quiet --passphrase '' --quick-gen-key ann@example.org default default never && gpg --list-secret-keys; gpgconf --kill all",
    /ann@example\.org/,
  ],
  [
    "node listens on a UNIX socket",
    process.execPath,
    `node -e "require('net').createServer((s) => s.end('heard')).listen('/tmp/own.sock', () => require('net').connect('/tmp/own.sock').on('data', (d) => { console.log(String(d)); process.exit() }))"`,
    /^heard$/m,
  ],
  [
    "chromium without its own sandbox",
    "/usr/bin/chromium",
    "chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --dump-dom 'data:text/html,<p>drawn</p>' 2>/tmp/errors || tail -5 /tmp/errors",
    /<p>drawn<\/p>/,
  ],
];

for (const [name, needs, script, says] of tools)
  test(`sockets lie in the project, and ${name} work`, { skip: without(needs) }, async (t) => {
    const person = await personWithSockets(t);
    const { code, out, err } = person.runProcess(["run", "--", "bash", "-c", script]);
    assert.match(out, says, err);
    assert.equal(code, 0, err);
  });

test(
  "a program built with AddressSanitizer ends as it would without the search for leaks",
  { skip: without("/usr/bin/gcc") },
  async (t) => {
    const person = await personWithSockets(t);
    writeFileSync(
      join(person.project, "leak.c"),
      "#include <stdlib.h>\nint main() { volatile char *p = malloc(10); p = 0; return 0; }\n",
    );
    const script = "gcc -fsanitize=address leak.c -o /tmp/leak && /tmp/leak; echo ended $?";
    assert.match(person.runProcess(["run", "--", "bash", "-c", script]).out, /^ended 0$/m);
    // Control: with the search, which needs to trace, it fails in the box.
    const control = script.replace("&& /tmp/leak", "&& env -u ASAN_OPTIONS -u LSAN_OPTIONS /tmp/leak 2>/dev/null");
    assert.match(person.runProcess(["run", "--", "bash", "-c", control]).out, /^ended [1-9]/m);
  },
);

for (const [program, words, says] of [
  ["/usr/bin/strace", ["strace", "true"], /No program in a box can trace another one/],
  [
    "/usr/bin/bwrap",
    ["bwrap", "--ro-bind", "/", "/", "--unshare-user", "true"],
    /is in a box already.*own sandbox off/,
  ],
  ["/usr/bin/unshare", ["bash", "nested.sh"], /is in a box already.*own sandbox off/],
] as const)
  test(`${program} cannot work, and one line says what to do`, { skip: without(program) }, async (t) => {
    const person = await personWithSockets(t);
    writeFileSync(join(person.project, "nested.sh"), "unshare -U true\n");
    const { code, err } = person.runProcess(["run", "--", ...words]);
    assert.notEqual(code, 0);
    assert.equal(err.split("\n").filter((line) => says.test(line)).length, 1, err);
  });
