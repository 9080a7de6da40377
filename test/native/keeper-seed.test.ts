// native/keeper seed: what a new draft copies from a project that may be hostile, and changes meanwhile.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { seedArguments } from "../../src/sandbox/keeper-program.ts";
import { probe } from "../../src/sandbox/probe.ts";
import { keeper, TestDraft } from "../fixtures/keeper-draft.ts";
import { isRoot } from "../fixtures/run.ts";

const skip = !probe().overlay && "no overlay can be mounted on this machine";

/** With directories. */
function put(root: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(root, name, ".."), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}

test("copies files and links, with their modes and times", { skip }, (t) => {
  const draft = new TestDraft(t);
  put(draft.project, { "a/b/c": "text\n", "a/run": "#!/bin/sh\n", big: "0123456789".repeat(30_000) });
  chmodSync(join(draft.project, "a/run"), 0o4755);
  chmodSync(join(draft.project, "a/b"), 0o750);
  symlinkSync("../../etc/passwd", join(draft.project, "a/link"));
  utimesSync(join(draft.project, "a/b/c"), 1_000, 1_234.5);
  const result = draft.seed(["ca/b/c", "ca/run", "ca/link", "cbig"]);
  assert.deepEqual(result, { status: 0, stderr: "", skipped: [], count: 4, bytes: 5 + 10 + 300_000 });
  const upper = join(draft.directory, "upper");
  assert.equal(readFileSync(join(upper, "a/b/c"), "utf8"), "text\n");
  assert.equal(statSync(join(upper, "a/b/c")).mtimeMs, 1_234_500);
  assert.equal(statSync(join(upper, "a/run")).mode & 0o7777, 0o755);
  assert.equal(statSync(join(upper, "a/b")).mode & 0o7777, 0o750);
  assert.equal(readlinkSync(join(upper, "a/link")), "../../etc/passwd");
  assert.equal(lstatSync(join(upper, "a/link")).mtimeMs, lstatSync(join(draft.project, "a/link")).mtimeMs);
  assert.equal(readFileSync(join(upper, "big"), "utf8"), "0123456789".repeat(30_000));
});

test("directories hide the project's, until the list merges them; hidden names are gone", { skip }, async (t) => {
  const draft = new TestDraft(t);
  put(draft.project, { "src/a": "a\n", "lib/dep/x": "x\n", "lib/own": "own\n", "lib/secret": "no\n", ".env": "no\n" });
  const { status, skipped } = draft.seed(["csrc/a", "clib/own", "mlib", "h.env", "hlib/secret", "hlib/secret"]);
  assert.deepEqual([status, skipped], [0, []]);
  await draft.mount();
  put(draft.project, { "src/later": "of the person\n", "lib/dep/later": "shows through\n" });
  assert.equal(
    await draft.run("find . -path ./.git -prune -o -type f -print | sort"),
    "./lib/dep/later\n./lib/dep/x\n./lib/own\n./src/a\n",
  );
  await draft.run("rm -r lib/dep && mkdir lib/dep && echo mine > lib/dep/x && rm src/a && echo n > lib/secret");
  assert.equal(await draft.run("find lib src -type f | sort"), "lib/dep/x\nlib/own\nlib/secret\n");
  assert.equal(readFileSync(join(draft.project, "lib/secret"), "utf8"), "no\n");
});

test("a hidden path that was copied is an error, not a secret that shows", { skip }, (t) => {
  const draft = new TestDraft(t);
  put(draft.project, { secret: "no\n" });
  const { status, stderr } = draft.seed(["csecret", "hsecret"]);
  assert.deepEqual([status, stderr], [125, "keeper: whiteout: errno 17\n"]);
  const below = new TestDraft(t);
  put(below.project, { "sub/secret": "no\n", "lib/x": "x\n" });
  assert.equal(below.seed(["csub/secret", "hsub/secret"]).stderr, "keeper: whiteout: errno 17\n");
  assert.equal(below.seed(["hlib/secret", "mlib"]).stderr, "keeper: list: errno 0\n", "too late to show through");
});

test("git moves a copied directory", { skip }, async (t) => {
  const draft = new TestDraft(t);
  put(draft.project, { "src/deep/a": "a\n", "src/b": "b\n" });
  draft.seed(["csrc/deep/a", "csrc/b"]);
  await draft.mount();
  await draft.run(
    "git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm one && git mv src lib",
  );
  assert.equal(await draft.run("git status --porcelain"), "R  src/b -> lib/b\nR  src/deep/a -> lib/deep/a\n");
});

test("what is no file or link, is gone, or lies behind a link is skipped, and nothing blocks", { skip }, (t) => {
  const draft = new TestDraft(t);
  put(draft.project, { "a/file": "in\n", plain: "p\n" });
  symlinkSync("/etc", join(draft.project, "out"));
  symlinkSync("a", join(draft.project, "inside"));
  mkdirSync(join(draft.project, "sub"));
  assert.equal(spawnSync("mkfifo", [join(draft.project, "pipe"), join(draft.project, "a/pipe")]).status, 0);
  const bad = [
    "gone",
    "gone/too",
    "pipe",
    "a/pipe",
    "sub",
    "out/passwd",
    "inside/file",
    "plain/x",
    "../project/plain",
    "/etc/passwd",
    "a//file",
    "./plain",
    "a/..",
    "a/",
    "",
    "x".repeat(300),
    "y/".repeat(2500),
  ];
  const { status, skipped, count } = draft.seed([...bad.map((path) => `c${path}`), "ca/file", "ca/file", "cout"]);
  assert.equal(status, 0);
  assert.deepEqual(skipped.slice(0, -2), bad.slice(0, -1));
  assert.ok(skipped.at(-2)?.startsWith("y/y/"), "of a path that is too long, the beginning");
  assert.equal(skipped.at(-1), "a/file", "the second time");
  assert.equal(count, 2);
  assert.deepEqual(readdirSync(join(draft.directory, "upper")).toSorted(), [".git", "a", "out"]);
  // The control: the way through the link is there.
  assert.ok(readFileSync(join(draft.project, "out/passwd"), "utf8").includes("root"));
});

// Root reads everything. test/sandbox/unprivileged.test.ts runs this as a user, and sees to it that it ran.
if (!isRoot)
  test("a file that cannot be read is skipped", { skip }, (t) => {
    const draft = new TestDraft(t);
    put(draft.project, { "a/no": "", "closed/x": "", yes: "" });
    chmodSync(join(draft.project, "a/no"), 0);
    chmodSync(join(draft.project, "closed"), 0);
    const { status, skipped, count } = draft.seed(["ca/no", "cclosed/x", "cyes"]);
    chmodSync(join(draft.project, "closed"), 0o755);
    assert.deepEqual([status, skipped, count], [0, ["a/no", "closed/x"], 1]);
  });

test("odd names", { skip }, (t) => {
  const draft = new TestDraft(t);
  const long = "n".repeat(255);
  put(draft.project, { 'new\nline/- \\ "': "1", [`${long}/${long}`]: "2", "...": "3", "..a/b": "4" });
  const raw = Buffer.concat([Buffer.from(`${draft.project}/`), Buffer.from([0xff, 0xfe, 0x80])]);
  writeFileSync(raw, "5");
  const { skipped, count } = draft.seed([
    'cnew\nline/- \\ "',
    `c${long}/${long}`,
    "c...",
    "c..a/b",
    Buffer.from([0x63, 0xff, 0xfe, 0x80]),
  ]);
  assert.deepEqual([skipped, count], [[], 5]);
  const copied = readdirSync(join(draft.directory, "upper"), { encoding: "buffer" });
  assert.ok(copied.some((name) => name.equals(Buffer.from([0xff, 0xfe, 0x80]))));
});

test("holes are not written out, and files that are too large are skipped", { skip }, (t) => {
  const draft = new TestDraft(t);
  put(draft.project, { sparse: "head", full: "x".repeat(200_000), other: "y".repeat(200_000), small: "z", huge: "" });
  truncateSync(join(draft.project, "sparse"), 50 * 2 ** 20);
  truncateSync(join(draft.project, "huge"), 50 * 2 ** 30);
  const words = ["csparse", "chuge", "cfull", "cother", "csmall"];
  const { status, skipped, count, bytes } = draft.seed(words, 51 * 2 ** 20, 50 * 2 ** 20);
  assert.deepEqual([status, skipped, count], [0, ["huge"], 4]);
  assert.ok(bytes >= 400_005 && bytes < 500_000, String(bytes));
  const copy = statSync(join(draft.directory, "upper/sparse"));
  assert.equal(copy.size, 50 * 2 ** 20);
  assert.ok(copy.blocks * 512 < 1 << 20);
  const second = new TestDraft(t);
  put(second.project, { full: "x".repeat(200_000), other: "y".repeat(200_000), small: "z" });
  const bounded = second.seed(["cfull", "cother", "csmall"], 300_000);
  assert.deepEqual([bounded.status, bounded.skipped, bounded.bytes], [0, ["other"], 200_001]);
});

test("a link that is swapped in meanwhile leads nowhere", { skip, timeout: 60_000 }, async (t) => {
  const draft = new TestDraft(t);
  put(draft.project, { "d/passwd": "of the project\n" });
  mkdirSync(join(draft.project, "d2"));
  symlinkSync("/etc", join(draft.project, "link"));
  const swapper = spawn(
    "/usr/bin/perl",
    [
      "-e",
      'chdir $ARGV[0]; print "on\n"; $| = 1; while (1) { rename "d", "e"; rename "link", "d"; rename "d", "link"; rename "e", "d" }',
      draft.project,
    ],
    { stdio: ["ignore", "pipe", "ignore"] },
  );
  t.after(() => swapper.kill("SIGKILL"));
  const words = Buffer.from("cd2/none\0cd/passwd\0".repeat(50));
  const seen = new Set<string>();
  for (let round = 0; round < 60; round += 1) {
    const result = spawnSync(keeper, seedArguments(draft.project, draft.directory, { most: 1 << 20, file: 1 << 20 }), {
      input: words,
      encoding: "latin1",
    });
    assert.equal(result.status, 0, result.stderr);
    const copy = join(draft.directory, "upper/d/passwd");
    if (!existsSync(copy)) continue;
    seen.add(readFileSync(copy, "latin1"));
    rmSync(join(draft.directory, "upper/d"), { recursive: true });
  }
  assert.deepEqual([...seen], ["of the project\n"]);
});

test("files that vanish while it copies are skipped", { skip, timeout: 60_000 }, async (t) => {
  const draft = new TestDraft(t);
  for (let at = 0; at < 2_000; at += 1) put(draft.project, { [`d${at % 20}/f${at}`]: "x" });
  const words = Array.from({ length: 2_000 }, (_, at) => `cd${at % 20}/f${at}\0`)
    .toSorted()
    .join("");
  const child = spawn(keeper, seedArguments(draft.project, draft.directory, { most: 1 << 20, file: 1 << 20 }), {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let stdout = "";
  child.stdout.setEncoding("latin1").on("data", (text: string) => (stdout += text));
  child.stdin.write(words.slice(0, words.length / 2));
  rmSync(join(draft.project, "d5"), { recursive: true });
  renameSync(join(draft.project, "d7"), join(draft.project, "moved"));
  rmSync(join(draft.project, "d9"), { recursive: true });
  child.stdin.end(words.slice(words.length / 2));
  assert.equal(await new Promise((resolve) => child.once("close", resolve)), 0);
  const skipped = stdout.split("\0").length - 1;
  assert.ok(skipped >= 100 && skipped <= 300, String(skipped));
  assert.ok(stdout.endsWith(`copied ${2_000 - skipped} ${2_000 - skipped}\n`));
});
