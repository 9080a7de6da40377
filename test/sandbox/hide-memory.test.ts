// What is remembered between processes of a tree that a grant partly hides: used while nothing changed, and never longer.

import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { ViewPath } from "../../src/action/action.ts";
import { DirectoryIndex } from "../../src/sandbox/directory-index.ts";
import { HideMemory } from "../../src/sandbox/hide-memory.ts";
import { findHidden } from "../../src/sandbox/hide.ts";

const DIRECTORIES = 30;

interface Tree {
  readonly root: string;
  readonly memory: string;
  readonly view: ViewPath;
  /** As a new process would find it, relative to the root. */
  hidden(): string[];
}

function plant(t: TestContext): Tree {
  const base = mkdtempSync(join(tmpdir(), "sallyport-hide-"));
  t.after(() => rmSync(base, { recursive: true, force: true }));
  const [root, memory] = [join(base, "tree"), join(base, "state/hide")];
  for (let index = 0; index < DIRECTORIES; index++) {
    mkdirSync(`${root}/d${index}/inner`, { recursive: true });
    writeFileSync(`${root}/d${index}/inner/file.txt`, "");
  }
  writeFileSync(`${root}/d3/inner/.env`, "A=1");
  const view: ViewPath = { path: root, mode: "r", hide: [".env*", "keys/**"] };
  return {
    root,
    memory,
    view,
    hidden: () =>
      findHidden(new DirectoryIndex(), view, new HideMemory(memory))
        .map(({ path }) => path.slice(root.length + 1))
        .sort(),
  };
}

async function remembered(t: TestContext): Promise<Tree> {
  const tree = plant(t);
  await sleep(2_100); // what was changed just now is not kept
  assert.deepEqual(tree.hidden(), ["d3/inner/.env"]);
  assert.equal(readdirSync(tree.memory).length, 1);
  return tree;
}

test("what was found is known to the next process, which reads no directory that did not change", async (t) => {
  const tree = await remembered(t);
  assert.deepEqual(tree.hidden(), ["d3/inner/.env"]);
  const file = join(tree.memory, readdirSync(tree.memory)[0] ?? "");
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replaceAll("d3/inner/.env", "d3/inner/other"));
  assert.deepEqual(tree.hidden(), ["d3/inner/other"], "control: it is what is written there");
  for (const spoilt of ["", "{}", "[1]", text.slice(0, -5)]) {
    writeFileSync(file, spoilt);
    assert.deepEqual(tree.hidden(), ["d3/inner/.env"], spoilt);
  }
});

test("T25: whatever makes a name match is seen by the next process", async (t) => {
  const tree = await remembered(t);
  const { root } = tree;
  const changes: readonly (readonly [string, () => void, readonly string[]])[] = [
    ["a new file", () => writeFileSync(`${root}/d9/inner/.env.local`, ""), ["d9/inner/.env.local"]],
    [
      "a file of another name",
      () => renameSync(`${root}/d8/inner/file.txt`, `${root}/d8/inner/.env`),
      ["d8/inner/.env"],
    ],
    [
      "a new directory with one",
      () => (mkdirSync(`${root}/d7/new/deep`, { recursive: true }), writeFileSync(`${root}/d7/new/deep/.env`, "")),
      ["d7/new/deep/.env"],
    ],
    [
      "a directory put in the place of another",
      () => {
        mkdirSync(`${root}/../other`);
        writeFileSync(`${root}/../other/.env`, "");
        renameSync(`${root}/d6/inner`, `${root}/../away`);
        renameSync(`${root}/../other`, `${root}/d6/inner`);
      },
      ["d6/inner/.env"],
    ],
    [
      "a file beside one whose times were set back",
      () => {
        writeFileSync(`${root}/d5/inner/.env`, "");
        utimesSync(`${root}/d5/inner`, 1, 1);
        utimesSync(`${root}/d5`, 1, 1);
      },
      ["d5/inner/.env"],
    ],
    [
      "a name that is hidden with all below it",
      () => (renameSync(`${root}/d4`, `${root}/keys`), undefined),
      ["keys/inner"],
    ],
  ];
  let expected = ["d3/inner/.env"];
  for (const [what, change, more] of changes) {
    change();
    expected = [...expected, ...more].sort();
    assert.deepEqual(tree.hidden(), expected, what);
    assert.deepEqual(tree.hidden(), expected, `${what}, and again`);
  }
  rmSync(`${root}/d3/inner`, { recursive: true });
  symlinkSync(`${root}/d5/inner`, `${root}/d3/inner`);
  assert.deepEqual(
    tree.hidden(),
    expected.filter((path) => !path.startsWith("d3/")),
    "a link is left alone",
  );
});

test("one memory serves many walks: what is added, moved and removed between them is seen", async (t) => {
  const { root, memory: directory, view } = await remembered(t);
  const memory = new HideMemory(directory);
  const hidden = () => findHidden(new DirectoryIndex(), view, memory).map(({ path }) => path.slice(root.length + 1));
  assert.deepEqual(hidden(), ["d3/inner/.env"]);
  writeFileSync(`${root}/d7/inner/.env`, "");
  assert.deepEqual(hidden().sort(), ["d3/inner/.env", "d7/inner/.env"]);
  assert.deepEqual(hidden().sort(), ["d3/inner/.env", "d7/inner/.env"]);
  renameSync(`${root}/d3`, `${root}/e3`);
  mkdirSync(`${root}/a/b`, { recursive: true });
  writeFileSync(`${root}/a/b/.env`, "");
  assert.deepEqual(hidden().sort(), ["a/b/.env", "d7/inner/.env", "e3/inner/.env"]);
  rmSync(`${root}/d7/inner/.env`);
  assert.deepEqual(hidden().sort(), ["a/b/.env", "e3/inner/.env"]);
});

test("what was changed shortly before it was read is not kept, and other globs are other notes", async (t) => {
  const tree = plant(t);
  assert.deepEqual(tree.hidden(), ["d3/inner/.env"]);
  const [file] = existsSync(tree.memory) ? readdirSync(tree.memory) : [];
  assert.equal(file === undefined ? "[]" : readFileSync(join(tree.memory, file), "utf8"), "[]");
  await sleep(2_100);
  tree.hidden();
  const other = { ...tree.view, hide: ["file.txt"] };
  assert.equal(findHidden(new DirectoryIndex(), other, new HideMemory(tree.memory)).length, DIRECTORIES);
});

test("a memory that is no list is none", async (t) => {
  const tree = await remembered(t);
  const [file = ""] = readdirSync(tree.memory);
  for (const text of ["{}", "null", "[null]", "[1]", "[[", '[["x"]]']) {
    writeFileSync(join(tree.memory, file), text);
    assert.deepEqual(tree.hidden(), ["d3/inner/.env"], text);
  }
});

test("only so many trees are remembered", async (t) => {
  const tree = await remembered(t);
  for (let index = 0; index < 30; index++) {
    const view = { ...tree.view, hide: [`.env-${index}`] };
    findHidden(new DirectoryIndex(), view, new HideMemory(tree.memory));
  }
  assert.equal(readdirSync(tree.memory).length, 20);
});
