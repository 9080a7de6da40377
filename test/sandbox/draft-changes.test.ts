// What boxes change in a draft, as its holder records it, with bounds that a box cannot pass unnoticed.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { arch } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { DraftChanges } from "../../src/sandbox/draft-changes.ts";
import { probe } from "../../src/sandbox/probe.ts";
import { isAlive, TestDraft } from "../fixtures/keeper-draft.ts";
import { callNumbers, until } from "../fixtures/run.ts";
import { isFull } from "../fixtures/runs.ts";
import type { TestContext } from "node:test";

const skip = !probe().overlay && "no overlay can be mounted on this machine";

interface Watched {
  readonly draft: TestDraft;
  /** Runs a call. Resolves to its changes, such as "created a", in their order. */
  readonly change: (script: string) => Promise<string[]>;
  /** The same, whether they are complete or not. */
  readonly look: (script: string) => Promise<{ isComplete: boolean; changes: string[]; unnamedCount: number }>;
}

async function watched(t: TestContext, script = ":"): Promise<Watched> {
  const draft = new TestDraft(t);
  const first = await draft.mount();
  await draft.run(script);
  await first.end();
  await until("it is unmounted", () => readFileSync(join(draft.directory, "holder"), "utf8") === "");
  await draft.mount();
  const changes = new DraftChanges(draft.directory);
  let position = changes.position();
  const look = async (text: string) => {
    await draft.run(text);
    const since = await changes.since(position);
    ({ position } = since);
    return { ...since, changes: since.changes.map(({ path, kind }) => `${kind} ${path}`) };
  };
  const change = async (text: string) => {
    const since = await look(text);
    assert.deepEqual([since.isComplete, since.unnamedCount], [true, 0]);
    return since.changes;
  };
  return { draft, change, look };
}

test("files: made, written, renamed, deleted, linked, their modes", { skip }, async (t) => {
  const { change, draft } = await watched(t, "mkdir d; echo > d/old; mkdir -p .git/x");
  assert.deepEqual(await change("echo x > d/a"), ["created d/a", "written d/a"]);
  assert.deepEqual(await change("echo y >> d/old"), ["written d/old"]);
  assert.deepEqual(await change("mv d/a b"), ["deleted d/a", "moved b"]);
  assert.deepEqual(await change("ln -s /etc l; chmod +x b; rm d/old"), ["created l", "written b", "deleted d/old"]);
  assert.deepEqual(await change("cat b; ls -R > /dev/null"), []);
  const inside = await change("echo x > .git/y; mkdir .git/z; mkdir d/.git; echo > d/.git/f");
  assert.deepEqual(inside.slice(0, 2), ["created d/.git", "created d/.git/f"]);
  assert.ok(!inside.some((line) => line.includes(" .git")));
  assert.equal(statSync(join(draft.room, "changes")).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(join(draft.room, "sync")), []);
});

test("directories: made, moved in, moved away, changed places, deleted", { skip }, async (t) => {
  const { change } = await watched(t, "mkdir -p a/b/c && echo > a/b/c/f && mkdir -p x/y && echo > x/y/z");
  const made = await change("mkdir -p n/e/w && echo > n/e/w/f");
  for (const path of ["n", "n/e", "n/e/w", "n/e/w/f"]) assert.ok(made.includes(`created ${path}`), path);
  const moved = await change("mv a n/a");
  assert.deepEqual(moved, ["directory-gone a", "moved n/a", "created n/a/b", "created n/a/b/c", "created n/a/b/c/f"]);
  assert.deepEqual(await change("echo >> n/a/b/c/f"), ["written n/a/b/c/f"], "it is watched under its new name only");
  await change("rm -r n/e");
  const removed = await change("mv x a; rm a/y/z"); // whether the holder saw the file at its new place depends on its pace
  assert.deepEqual(
    removed.filter((line) => !line.endsWith("/z")),
    ["directory-gone x", "moved a", "created a/y"],
  );
  const exchange = arch() === "arm64" ? 276 : 316;
  await change(`/usr/bin/perl -e 'exit(syscall(${exchange}, -100, my $a = "a", -100, my $b = "n/a", 2) != 0)'`);
  assert.deepEqual(await change("echo > a/b/q; echo > n/a/y/q"), [
    "created a/b/q",
    "written a/b/q",
    "created n/a/y/q",
    "written n/a/y/q",
  ]);
  const gone = await change("rm -r a n");
  assert.ok(gone.includes("directory-gone a") && gone.includes("directory-gone n"));
});

test("a change through mapped memory is there when the program has ended", { skip }, async (t) => {
  const { change } = await watched(t, "echo 0000000000 > f; echo 1111 > g");
  const map = `open F, "+<", "f"; open G, "<", "g"; my $at = syscall(${callNumbers.mmap}, 0, 4096, 3, 1, fileno(F), 0); close F; exit(syscall(${callNumbers.read}, fileno(G), $at, 4) != 4)`;
  assert.deepEqual(await change(`/usr/bin/perl -e '${map}'`), ["written f"]);
  assert.deepEqual(await change("cat f | grep -q 1111000000"), []);
});

test("odd names", { skip }, async (t) => {
  const { look } = await watched(t);
  const long = "n".repeat(255);
  const seen = await look(
    `mkdir -p $'new\\nline' '${long}' $'\\xff\\xfe' && echo > $'new\\nline/s x' && echo > '${long}/${long}' && echo > $'\\xff\\xfe/a'`,
  );
  assert.ok(seen.isComplete);
  assert.ok(seen.changes.includes("created new\nline/s x"));
  assert.ok(seen.changes.includes(`created ${long}/${long}`));
  assert.ok(seen.unnamedCount >= 2, String(seen.unnamedCount));
  assert.ok(!seen.changes.some((line) => line.includes("\ufffd")));
});

// The kernel queues 16,384 events, two for each file: more could be lost if the holder is slow.
test("5,000 files at once, and directories 300 deep", { skip, timeout: 120_000 }, async (t) => {
  const { change, draft } = await watched(t, "mkdir many");
  const perl = 'for (1..5000) { open F, ">", "many/f$_"; close F }';
  const many = new Set(await change(`/usr/bin/perl -e '${perl}'`));
  for (let at = 1; at <= 5_000; at += 1) assert.ok(many.has(`created many/f${at}`), String(at));
  const path = Array.from({ length: 300 }, (_, at) => `d${at}`).join("/");
  const deep = await change(`mkdir -p ${path} && echo > ${path}/f`);
  assert.ok(deep.includes(`created ${path}/f`));
  assert.deepEqual(await change(`echo >> ${path}/f`), [`written ${path}/f`]);
  assert.ok(isAlive(draft.holderPid()));
});

test("a directory too deep for a path makes it incomplete, for good", { skip, timeout: 60_000 }, async (t) => {
  const { draft, look } = await watched(t);
  t.after(() => draft.tryRun("rm -r n*"));
  const perl = 'my $n = "n" x 250; for (1..40) { mkdir $n; chdir $n or die } open F, ">", "f"';
  assert.equal((await look(`/usr/bin/perl -e '${perl}'`)).isComplete, false);
  assert.equal((await look("echo > after")).isComplete, false, "what happens below is never seen");
  assert.ok((await look("echo > again")).changes.includes("created again"));
});

test("events that were lost make it incomplete, once", { skip, timeout: 120_000 }, async (t) => {
  const { draft, look, change } = await watched(t, "mkdir d e");
  const most = Number(readFileSync("/proc/sys/fs/inotify/max_queued_events", "utf8"));
  process.kill(draft.holderPid(), "SIGSTOP");
  await draft.run(
    `/usr/bin/perl -e 'for (1..${most}) { open F, ">", "d/f$_"; close F } mkdir "d/new"; mkdir "d/new/er"'`,
  );
  process.kill(draft.holderPid(), "SIGCONT");
  assert.equal((await look(":")).isComplete, false);
  assert.deepEqual(
    await change("echo > d/new/er/f"),
    ["created d/new/er/f", "written d/new/er/f"],
    "all is watched again",
  );
});

if (isFull)
  test(
    "a flood of records ends at a bound, and everything is unknown from there on",
    { skip, timeout: 120_000 },
    async (t) => {
      const { draft, look } = await watched(t);
      const perl =
        'my $n = "n" x 250; for (1..14) { mkdir $n; chdir $n or die } for (1..12000) { open F, ">", "$n-$_"; close F; unlink "$n-$_"; select undef, undef, undef, 0.02 if $_ % 2000 == 0 }';
      assert.equal((await look(`/usr/bin/perl -e '${perl}'`)).isComplete, false);
      const size = statSync(join(draft.room, "changes")).size;
      assert.ok(size > 60 << 20 && size <= (64 << 20) + 1000, String(size));
      const after = await look("echo > after");
      assert.deepEqual([after.isComplete, after.changes], [false, []]);
      assert.ok(statSync(join(draft.room, "changes")).size < size + 1000);
    },
  );

if (isFull)
  test(
    "a directory that moves forever does not keep the holder busy, or from answering",
    { skip, timeout: 120_000 },
    async (t) => {
      const { draft, look, change } = await watched(t, "mkdir a; cd a; for i in {1..400}; do mkdir -p $i/{1..9}; done");
      const flood = draft.start(`exec /usr/bin/perl -e 'while (1) { rename "a", "b"; rename "b", "a" }'`);
      t.after(() => flood.kill("SIGKILL"));
      const ticks = () =>
        Number(
          readFileSync(`/proc/${draft.holderPid()}/stat`, "utf8")
            .split(" ")
            .slice(13, 15)
            .reduce((sum, part) => sum + Number(part), 0),
        );
      let before = -1;
      await until("it rests", async () => {
        const now = ticks();
        const isResting = now === before;
        before = now;
        await new Promise((resolve) => setTimeout(resolve, 300));
        return isResting;
      });
      assert.equal((await look(":")).isComplete, false);
      const ended = new Promise((resolve) => flood.once("close", resolve));
      flood.kill("SIGKILL");
      await ended;
      await look("[ -d a ] || mv b a");
      await look(":");
      assert.deepEqual(await change("echo > a/400/9/f"), ["created a/400/9/f", "written a/400/9/f"]);
    },
  );

test(
  "a position of another holder is incomplete, at once, and nobody's answer is waited for forever",
  { skip, timeout: 60_000 },
  async (t) => {
    const draft = new TestDraft(t);
    const changes = new DraftChanges(draft.directory);
    assert.equal((await changes.since(changes.position())).isComplete, false, "there was no holder yet");
    const gate = await draft.mount();
    const position = changes.position();
    await draft.run("echo > a");
    const pid = draft.holderPid();
    process.kill(pid, "SIGKILL");
    await until("it is gone", () => !isAlive(pid));
    assert.equal((await changes.since(position)).isComplete, false, "nobody answers");
    assert.ok((await gate.mounted()).ok);
    await draft.run("for i in {1..50}; do echo > file-with-a-long-name-$i; done");
    const since = await changes.since(position);
    assert.deepEqual([since.isComplete, since.changes], [false, []]);
    await draft.run("echo > b");
    const next = await changes.since(since.position);
    assert.equal(next.isComplete, true);
    assert.deepEqual(
      next.changes.slice(-2).map(({ path }) => path),
      ["b", "b"],
    ); // those before may not have been recorded yet
  },
);

test("the holder writes nowhere else", { skip }, async (t) => {
  const { draft, change } = await watched(t);
  mkdirSync(join(draft.project, "shown"));
  writeFileSync(join(draft.project, "shown/f"), "x");
  await change("ln -s ../../changes l; ln -s /etc shown2; mkdir sync changes holder");
  assert.deepEqual(readdirSync(draft.directory).toSorted(), [
    "boxes",
    "git",
    "holder",
    "home",
    "room",
    "upper",
    "users",
    "work",
  ]);
  assert.ok(existsSync(join(draft.directory, "upper/changes")));
  assert.deepEqual(readdirSync(join(draft.project, "shown")), ["f"]);
});
