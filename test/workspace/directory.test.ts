import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openDirectoryWorkspace } from "../../src/workspace/directory.ts";
import {
  contentOf,
  link,
  pathOf,
  refusalOf,
  remove,
  valueOf,
  workspaceContract,
  write,
} from "../contracts/workspace.ts";

const made: string[] = [];
after(() => made.forEach((directory) => rmSync(directory, { recursive: true, force: true })));

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-workspace-"));
  made.push(directory);
  return directory;
}

function newPlace() {
  const outside = newDirectory();
  const root = join(outside, "root");
  mkdirSync(root);
  writeFileSync(join(outside, "secret"), "secret");
  return { outside, root, workspace: openDirectoryWorkspace(root) };
}

workspaceContract("directory", (limits) => openDirectoryWorkspace(newDirectory(), limits));

test("nothing is left beside the files, and modes are kept", async () => {
  const { root, workspace } = newPlace();
  writeFileSync(join(root, "tight"), "1");
  chmodSync(join(root, "tight"), 0o640);
  valueOf(await workspace.apply([write("tight", "2"), write("bin/run", "x", true), write("plain", "x")]));
  assert.deepEqual(readdirSync(root).sort(), ["bin", "plain", "tight"]);
  const mode = (path: string) => lstatSync(join(root, path)).mode & 0o777;
  assert.equal(mode("tight"), 0o640);
  assert.equal(mode("bin/run") & 0o100, 0o100);
  assert.equal(mode("plain") & 0o111, 0);
  valueOf(await workspace.apply([write("tight", "2", true)]));
  assert.equal(mode("tight"), 0o750);
  chmodSync(join(root, "tight"), 0o4755);
  valueOf(await workspace.apply([write("tight", "3", true)]));
  assert.equal(lstatSync(join(root, "tight")).mode & 0o7777, 0o755, "new content is not run as its owner");
  await workspace.close();
});

test("what others change on the disk is seen, and told", async () => {
  const { root, workspace } = newPlace();
  valueOf(await workspace.apply([write("a", "1"), write("b", "1"), write("c", "1")]));
  const version = await workspace.version();
  writeFileSync(join(root, "a"), "longer");
  rmSync(join(root, "b"));
  chmodSync(join(root, "c"), 0o755);
  mkdirSync(join(root, "d"));
  writeFileSync(join(root, "d/e"), "new");
  const { changed } = await workspace.changesSince(version);
  assert.deepEqual(
    changed
      .toSorted((a, b) => (a.path < b.path ? -1 : 1))
      .map(({ path, entry }) => [path, entry?.size, entry?.executable]),
    [
      ["a", 6, false],
      ["b", undefined, undefined],
      ["c", 1, true],
      ["d/e", 3, false],
    ],
  );
  const basedOn = 1;
  assert.match(refusalOf(await workspace.apply([{ ...write("a", "x"), basedOn }])), /^conflict/);
  await workspace.close();
});

test("links that lead out are no part of it, and are never followed", async () => {
  const { outside, root, workspace } = newPlace();
  symlinkSync("../secret", join(root, "file"));
  symlinkSync(outside, join(root, "directory"));
  symlinkSync("directory/secret", join(root, "second"));
  assert.equal(readFileSync(join(root, "directory/secret"), "utf8"), "secret", "the control: the kernel follows them");
  assert.deepEqual(await contentOf(workspace), { second: "-> directory/secret" });
  for (const path of ["file", "directory/secret", "second"]) {
    assert.equal((await workspace.read(pathOf(path))).ok, false, path);
    assert.match(refusalOf(await workspace.resolve(pathOf(path))), /^fs_denied/, path);
  }
  assert.equal(await workspace.entry(pathOf("directory/secret")), undefined);
  assert.equal(await workspace.isDirectory(pathOf("directory")), false);
  assert.match(refusalOf(await workspace.apply([write("new", "x"), write("directory/secret", "x")])), /^conflict/);
  valueOf(await workspace.apply([remove("directory/secret")]));
  valueOf(await workspace.apply([write("file", "mine")]));
  assert.equal(readFileSync(join(outside, "secret"), "utf8"), "secret");
  assert.equal(readFileSync(join(root, "file"), "utf8"), "mine");
  assert.equal(existsSync(join(root, "new")), false);
  await workspace.close();
});

test("a directory that is swapped for a link while we write does not lead us out", async () => {
  const { outside, root, workspace } = newPlace();
  mkdirSync(join(outside, "d"));
  symlinkSync("../d", join(root, "d"));
  writeFileSync(join(root, "d/f"), "x");
  assert.deepEqual(readdirSync(join(outside, "d")), ["f"], "the control: a plain write is led out");
  rmSync(join(outside, "d/f"));
  rmSync(join(root, "d"));
  mkdirSync(join(root, "d"));
  await whileRunning(outside, `x("root/d");s("../d","root/d");x("root/d");m("root/d")`, async (round) => {
    await workspace.apply([write("d/f", String(round))]);
    await workspace.read(pathOf("d/f"));
  });
  assert.deepEqual(readdirSync(join(outside, "d")), []);
  await workspace.close();
});

test("a file that is swapped for a link while we read does not show us what is outside", async () => {
  const { outside, root, workspace } = newPlace();
  writeFileSync(join(root, "f"), "inside");
  let reads = 0;
  await whileRunning(
    outside,
    `s("../secret","root/l");r("root/l","root/f");w("root/t","inside");r("root/t","root/f")`,
    async () => {
      const file = await workspace.read(pathOf("f"));
      if (!file.ok) return;
      reads += 1;
      assert.equal(Buffer.from(file.value.bytes).toString(), "inside");
    },
  );
  assert.ok(reads > 0);
  await workspace.close();
});

/** Another process does `moves` (r: rename, s: symlink, x: remove, w: write, m: make a directory) over and over while we do `act`. */
async function whileRunning(cwd: string, moves: string, act: (round: number) => Promise<void>): Promise<void> {
  const begin = `const {renameSync:r,symlinkSync:s,writeFileSync:w,rmSync,mkdirSync:m}=require("fs");const x=(p)=>rmSync(p,{recursive:true,force:true});console.log("begun");`;
  const child = spawn(process.execPath, ["-e", `${begin}for(let i=0;i<3000;i++){try{${moves}}catch{}}`], {
    cwd,
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  for (let round = 0; child.exitCode === null; round += 1) {
    await act(round);
    if (round % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(child.exitCode, 0);
}

test("nothing of a .git is listed, read, written or removed", async () => {
  const { root, workspace } = newPlace();
  execFileSync("git", ["init", "-q", root]);
  mkdirSync(join(root, "sub/.GIT"), { recursive: true });
  writeFileSync(join(root, "sub/.GIT/config"), "x");
  writeFileSync(join(root, ".gitignore"), "x");
  assert.deepEqual(Object.keys(await contentOf(workspace)), [".gitignore"]);
  assert.match(refusalOf(await workspace.apply([write("sub", "x")])), /^conflict/);
  assert.equal(readFileSync(join(root, "sub/.GIT/config"), "utf8"), "x");
  await workspace.close();
});

test("a step that fails undoes the ones before it", async () => {
  const { root, workspace } = newPlace();
  valueOf(await workspace.apply([write("a", "1"), write("gone/b", "1"), link("l", "a")]));
  mkdirSync(join(root, "blocked/.git"), { recursive: true });
  const before = await contentOf(workspace);
  const changes = [write("a", "2"), write("new/c", "2"), remove("gone/b"), write("l", "2"), write("blocked", "2")];
  assert.match(refusalOf(await workspace.apply(changes)), /^conflict: .*Nothing was changed/);
  assert.deepEqual(await contentOf(workspace), before);
  assert.equal(readlinkSync(join(root, "l")), "a");
  assert.deepEqual(readdirSync(root).sort(), ["a", "blocked", "gone", "l"]);
  await workspace.close();
});

test("pipes and what cannot be read do not hold it up", async () => {
  const { root, workspace } = newPlace();
  execFileSync("mkfifo", [join(root, "pipe")]);
  writeFileSync(Buffer.concat([Buffer.from(join(root, "bad-")), Buffer.from([0xff])]), "x");
  assert.deepEqual(await contentOf(workspace), {});
  assert.match(refusalOf(await workspace.read(pathOf("pipe"))), /^not_found/);
  await workspace.close();
});

test("the directory is held: another one under its name is not taken for it", async () => {
  const { outside, root, workspace } = newPlace();
  valueOf(await workspace.apply([write("a", "1")]));
  renameSync(root, join(outside, "moved"));
  mkdirSync(root);
  valueOf(await workspace.apply([write("b", "2")]));
  assert.deepEqual(readdirSync(root), []);
  assert.deepEqual(readdirSync(join(outside, "moved")).sort(), ["a", "b"]);
  await workspace.close();
});

test("what a killed gate has left is not shown, and removed once it is old", async () => {
  const { root, workspace } = newPlace();
  const [fresh, old] = [join(root, ".sallyport-staging-1"), join(root, ".sallyport-staging-2")];
  for (const directory of [fresh, old]) {
    mkdirSync(directory);
    writeFileSync(join(directory, "new-0"), "x");
  }
  utimesSync(old, 1, 1);
  assert.deepEqual(await contentOf(workspace), {});
  await openDirectoryWorkspace(root).close();
  assert.deepEqual([existsSync(fresh), existsSync(old)], [true, false]);
  await workspace.close();
});
