// A workspace in memory as programs see it: the contract both ways, and what only an overlay gives.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { probe } from "../../src/sandbox/probe.ts";
import { memoryTreeContract } from "../contracts/memory-tree.ts";
import { applyChanges, fingerprint, openMemoryBox, readFiles } from "../fixtures/memory-box.ts";
import { mark, processesWith, until } from "../fixtures/run.ts";

const user = process.getuid?.() === 0 ? "as root" : "unprivileged";
const skip = !probe().overlay && "no overlay can be mounted on this machine";
const MiB = 1024 * 1024;

if (skip === false) memoryTreeContract(`${user}, with an overlay`, { open: () => openMemoryBox() });
else test("with an overlay", { skip }, () => undefined);
memoryTreeContract(`${user}, without an overlay`, { open: () => openMemoryBox({ overlay: false }) });

const before = { "a.txt": "a\n", "d/b": "b\n", "d/e/c": "c\n", "run.sh": "#x echo run\n", link: "-> a.txt" };
const havoc =
  "echo more >> a.txt; rm -r d; mkdir d; mv run.sh r; ln -sf /etc link; chmod 700 .; touch -d 2001-01-01 a.txt; mkdir .git";

test("the files themselves are not touched, whatever a program does", { skip }, async (t) => {
  const box = openMemoryBox();
  t.after(() => box.close());
  box.writeFiles(before);
  const was = fingerprint(box.tree.path);
  const { exitCode, changes } = await box.bash(havoc);
  assert.deepEqual([exitCode, changes.isComplete, fingerprint(box.tree.path)], [0, true, was]);
  assert.equal(
    (await box.bash("ls -A; cat a.txt")).stdout.text,
    "a.txt\nd\nlink\nrun.sh\na\n",
    "nor does the next call see it",
  );

  const control = openMemoryBox({ overlay: false });
  t.after(() => control.close());
  control.writeFiles(before);
  const controlWas = fingerprint(control.tree.path);
  await control.bash(havoc);
  assert.notEqual(fingerprint(control.tree.path), controlWas, "control: without an overlay they are");
});

test(
  "a call sees the files as they are laid when it starts, and a running one is not disturbed",
  { skip },
  async (t) => {
    const box = openMemoryBox();
    t.after(() => box.close());
    box.writeFiles(before);
    const running = box.bash("exec 3< a.txt; echo open; sleep 0.5; cat <&3; echo own > own", {
      listener: { onOutput: () => box.writeFiles({ "a.txt": "new\n", "z/new": "1" }) },
    });
    const { stdout, changes } = await running;
    assert.equal(stdout.text, "open\na\n");
    assert.deepEqual(
      changes.changes.map(({ path }) => path),
      ["own"],
    );
    assert.equal((await box.bash("cat a.txt z/new")).stdout.text, "new\n1");
  },
);

test(
  "what a call may add is bounded: the program meets a full disk, and its changes still come back",
  { skip },
  async (t) => {
    const box = openMemoryBox();
    t.after(() => box.close());
    const full = await box.bash(
      "echo kept > kept; head -c 20M /dev/zero > big; echo $?; stat -c %s big > /tmp/s; cat /tmp/s",
      {
        sizeBytes: 4 * MiB,
      },
    );
    assert.match(full.stderr.text, /No space left on device/);
    assert.deepEqual([full.changes.isComplete, applyChanges({}, full.changes)["kept"]], [true, "kept\n"]);
    assert.deepEqual(full.limitHit, null);
    const many = await box.bash("for i in {1..300}; do echo > f$i || break; done", { fileCount: 100 });
    assert.match(many.stderr.text, /No space left on device/);
    assert.ok(many.changes.isComplete && many.changes.changes.length > 50 && many.changes.changes.length <= 116);
  },
);

test(
  "what a program writes counts as its memory",
  { skip: skip || (probe().cgroupHome?.directories.memory === undefined && "no cgroup holds memory here") },
  async (t) => {
    const box = openMemoryBox();
    t.after(() => box.close());
    const { limitHit, changes } = await box.bash("echo 1 > first; head -c 200M /dev/zero > big", {
      limits: { memoryMb: 48 },
    });
    assert.deepEqual([limitHit, changes.isComplete], ["memory", true]);
    const sizes = Object.fromEntries(
      changes.changes.map((change) => [change.path, "bytes" in change ? change.bytes.length : -1]),
    );
    assert.equal(sizes["first"], 2);
    assert.ok((sizes["big"] as number) > 10 * MiB && (sizes["big"] as number) < 48 * MiB, String(sizes["big"]));
  },
);

test("a gate that was killed without an overlay leaves nothing that the next cannot sweep", async (t) => {
  const box = openMemoryBox({ overlay: false });
  const room = join(box.tree.path, "../..");
  mkdirSync(join(box.tree.path, "x/y"), { recursive: true });
  writeFileSync(join(box.tree.path, "x/y/z"), "z");
  symlinkSync("/", join(box.tree.path, "x/root"));
  for (const path of ["x/y", "x"]) chmodSync(join(box.tree.path, path), 0o000);
  const gone = `/dev/shm/sallyport-${4_194_304 + 1}-${"0".repeat(12)}`; // no process has such a number
  if (!room.startsWith("/dev/shm/")) return t.skip("there is no /dev/shm here");
  renameSync(room, gone);
  const next = openMemoryBox({ overlay: false });
  assert.equal(existsSync(gone), false);
  next.close();
  box.close();
});

test("what is not laid out is empty, and nothing of it comes back", async (t) => {
  const box = openMemoryBox();
  t.after(() => box.close());
  box.writeFiles(before);
  const outcome = await box.start(["/usr/bin/bash", "-c", "ls -A; echo x > x"], { isLaidOut: false });
  assert.ok(outcome.ok);
  assert.deepEqual([outcome.value.stdout.text, outcome.value.exitCode, outcome.value.changes], ["", 0, null]);
});

test("holes and hard links do not make more of a little", { skip }, async (t) => {
  const box = openMemoryBox();
  t.after(() => box.close());
  const { changes } = await box.bash(
    "truncate -s 100M hole; truncate -s 3M small; head -c 3M /dev/urandom > a; for i in {1..50}; do ln a a$i; done",
    { sizeBytes: 8 * MiB },
  );
  const carried = changes.changes.reduce((sum, change) => sum + (change.kind === "file" ? change.bytes.length : 0), 0);
  assert.ok(changes.isComplete && carried <= 8 * MiB, String(carried));
  assert.ok(
    changes.changes.some((change) => change.kind === "special" && change.path === "hole" && change.what === "size"),
  );
  assert.equal(changes.changes.length, 53);
});

test("a program cannot forge what an overlay notes for itself", { skip }, async (t) => {
  const box = openMemoryBox();
  t.after(() => box.close());
  box.writeFiles(before);
  const script = `
import os
for name in ["user.overlay.opaque", "trusted.overlay.opaque", "user.overlay.redirect", "trusted.overlay.redirect", "user.overlay.whiteout", "user.free"]:
    try: os.setxattr("d", name, b"y"); print("set", name)
    except OSError as error: pass
try: os.mknod("a.txt.gone", 0o020000, 0); print("whiteout made")
except OSError: pass
`;
  const { changes, stdout } = await box.bash(`python3 -c '${script}'`);
  assert.doesNotMatch(stdout.text, /trusted|whiteout made/);
  assert.deepEqual(applyChanges(before, changes), applyChanges(before, { isComplete: true, changes: [] }));
});

test("nothing of where the files really are can be seen in the box", { skip }, async (t) => {
  const box = openMemoryBox();
  t.after(() => box.close());
  const { stdout } = await box.bash("cat /proc/self/mountinfo; ls /proc/self/fd; grep . /proc/self/status | grep Cap");
  assert.match(stdout.text, / \/workspace .* overlay /);
  assert.ok(!stdout.text.includes(box.tree.path.split("/").at(-2) as string));
  for (const [, capabilities] of stdout.text.matchAll(/^Cap(?:Prm|Eff|Bnd|Amb):\s*(\w+)$/gm))
    assert.equal(capabilities, "0000000000000000");
});

test("an overlay that cannot be mounted is a refusal, not a run without it", { skip }, async (t) => {
  const box = openMemoryBox();
  t.after(() => box.close());
  rmSync(join(box.tree.path, "../../overlay"), { recursive: true });
  const outcome = await box.start(["/usr/bin/touch", "x"]);
  assert.ok(!outcome.ok && outcome.failure.error === "sandbox_unavailable");
  assert.match(outcome.failure.message, /keeper: tmpfs: errno 2/);
});

test("a program that cannot be executed is our refusal, with an overlay too", { skip }, async (t) => {
  const box = openMemoryBox();
  t.after(() => box.close());
  box.writeFiles({ "run.sh": "#x #!/nowhere\n" });
  const ran = await box.bash("./run.sh");
  assert.equal(ran.exitCode, 127);
  const outcome = await box.start(["/usr/bin/env", "/workspace/run.sh"]);
  assert.ok(outcome.ok && outcome.value.exitCode === 127);
});

test("cancelled at any moment, a call ends and leaves no process", { skip }, async (t) => {
  const box = openMemoryBox();
  t.after(() => box.close());
  const word = mark();
  await Promise.all(
    Array.from({ length: 8 }, async (_, index) => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), index * 4);
      const outcome = await box.start(["/usr/bin/bash", "-c", `: ${word}; sleep 100; :`], {
        listener: { signal: controller.signal },
      });
      assert.ok(outcome.ok && outcome.value.cancelled, JSON.stringify(outcome));
    }),
  );
  assert.deepEqual(processesWith(word), []);
});

// Opens a box, starts a program in it, and waits to be killed.
const worker = `
  import { openMemoryBox } from ${JSON.stringify(new URL("../fixtures/memory-box.ts", import.meta.url).href)};
  const box = openMemoryBox();
  box.writeFiles({ "a.txt": "a" });
  console.log(box.tree.path);
  process.stdin.once("data", () => {
    for (let index = 0; index < 4; index++) void box.bash(": " + process.argv[2] + "; echo x > y; sleep 1000; :", { timeoutMs: 500_000 });
  });
`;

test(
  "a gate that is killed leaves no process and no mount, and its files are swept",
  { skip, timeout: 60_000 },
  async (t) => {
    const rooms: string[] = [];
    let leftCount = 0;
    const directory = mkdtempSync(join(tmpdir(), "sallyport-killed-"));
    t.after(() => {
      spawnSync("chmod", ["-R", "u+rwx", directory]); // what nobody may open, nobody but root can remove
      rmSync(directory, { recursive: true, force: true });
    });
    for (const delayMs of [0, 2, 5, 8, 12, 20, 40, 150]) {
      const word = mark();
      const gate = spawn(process.execPath, ["--input-type=module", "-e", worker, "-", word], {
        stdio: ["pipe", "pipe", "inherit"],
        env: { ...process.env, TMPDIR: directory },
      });
      const path = await new Promise<Buffer>((resolve) => gate.stdout.once("data", resolve));
      rooms.push(join(path.toString().trim(), "../.."));
      gate.stdin.write("go\n");
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      const ended = new Promise((resolve) => gate.once("exit", resolve));
      gate.kill("SIGKILL");
      await ended;
      // Gates of other tests sweep too.
      if (existsSync(rooms.at(-1) as string)) leftCount += 1;
      await until(
        `all processes are gone that ran when it was killed after ${delayMs} ms`,
        () => processesWith(word).length === 0,
      );
    }
    assert.ok(!readFileSync("/proc/self/mounts", "utf8").includes("sallyport-"));
    assert.ok(leftCount > 0, "control: a killed gate cannot clean up");
    const next = openMemoryBox();
    t.after(() => next.close());
    const left = rooms.filter((room) => room.startsWith("/dev/shm/") && existsSync(room));
    assert.deepEqual(left, []);
  },
);

test("without a box, a program that starts in the workspace starts among its files", async (t) => {
  const problem = { message: "no box", mend: "none" };
  const box = openMemoryBox({ problem, overlay: false }, "limits");
  t.after(() => box.close());
  box.writeFiles(before);
  const { stdout, changes } = await box.bash("cat b; echo x > x; cat ../a.txt", { cwd: "/workspace/d" });
  assert.equal(stdout.text, "b\na\n");
  assert.equal(applyChanges(before, changes)["d/x"], "x\n");
});

test("the tree is laid without following a link, and a file is replaced, never changed", () => {
  const box = openMemoryBox();
  const outside = mkdtempSync(join(tmpdir(), "sallyport-outside-"));
  try {
    writeFileSync(join(outside, "f"), "outside");
    box.writeFiles({ d: `-> ${outside}`, f: `-> ${outside}/f`, "x/y": "1" });
    box.writeFiles({ "d/f": "inside", f: "inside", "x/y/z": "2", x2: "-> x" });
    assert.equal(readFileSync(join(outside, "f"), "utf8"), "outside");
    assert.deepEqual(readFiles(box.tree.path), { "d/f": "inside", f: "inside", "x/y/z": "2", x2: "-> x" });
    box.tree.remove("x2/y/z"); // through a link: not there
    box.writeFiles({ "x/y": "file again" });
    box.tree.remove("nowhere/at/all");
    box.tree.remove("d");
    assert.deepEqual(readFiles(box.tree.path), { f: "inside", "x/y": "file again", x2: "-> x" });
    for (const path of ["", "..", "a/../b", "/a", "a//b", "./a"])
      assert.throws(() => box.tree.write(path, Buffer.alloc(0), false), TypeError, path);
    const held = readFileSync(join(box.tree.path, "f"));
    assert.equal(held.toString(), "inside");
    mkdirSync(join(outside, "kept"));
    box.writeFiles({ l: `-> ${outside}` });
    box.tree.remove("l");
    assert.deepEqual(readdirSync(outside).toSorted(), ["f", "kept"]);
    assert.equal(spawnSync("ls", ["-A", join(box.tree.path, "../drafts")], { encoding: "utf8" }).stdout, "");
  } finally {
    box.close();
    rmSync(outside, { recursive: true, force: true });
  }
});
