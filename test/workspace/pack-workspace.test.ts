// A workspace in a pack, with real files. Wherever the worker ends, every change that took effect is found again.

import assert from "node:assert/strict";
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import {
  type PackHandles,
  type PackOptions,
  type PackWorkspace,
  openPackWorkspace,
} from "../../src/workspace/pack-workspace.ts";
import { encodeFileHeader } from "../../src/workspace/pack-record.ts";
import type { Change, Workspace } from "../../src/workspace/workspace.ts";
import { contentOf, link, refusalOf, remove, valueOf, workspaceContract, write } from "../contracts/workspace.ts";
import fc from "../fixtures/fast-check.ts";
import { dyingHandle, fileHandles, limitedHandles, packPaths, WorkerEnded } from "../fixtures/pack-handles.ts";
import { runs } from "../fixtures/runs.ts";
import { afterAllFiles } from "../fixtures/test-files.ts";

const base = mkdtempSync(join(tmpdir(), "sallyport-pack-"));
afterAllFiles(() => rmSync(base, { recursive: true, force: true }));
let count = 0;

function freshDirectory(): string {
  const path = join(base, String((count += 1)));
  mkdirSync(path);
  return path;
}

const open = async (handles: PackHandles, options?: PackOptions): Promise<PackWorkspace> =>
  valueOf(await openPackWorkspace(handles, options));

/** What is stored, as the next worker finds it. */
async function stored(
  directory: string,
  options?: PackOptions,
): Promise<{ content: Record<string, string>; dropped: number }> {
  const { files, droppedBytes } = await open(fileHandles(directory), options);
  const content = await contentOf(files);
  await files.close();
  return { content, dropped: droppedBytes };
}

workspaceContract("in a pack", async (limits) => {
  const options = { smallestToCopy: 500, ...(limits === undefined ? {} : { limits }) };
  return (await open(fileHandles(freshDirectory()), options)).files;
});

const batches: readonly (readonly Change[])[] = [
  [write("a.txt", "one\n"), write("bin/run", "#!/bin/sh\n", true), link("latest", "bin/run")],
  [write("a.txt", "two\n"), write("données/日本.md", "é\n"), write("empty", "")],
  [remove("bin/run"), write("bin/run/now-a-directory", "x".repeat(300))],
  [link("latest", "a.txt")],
];

/** The content after each batch, the first of none. */
async function contentsAfter(files: Workspace): Promise<Record<string, string>[]> {
  const contents = [await contentOf(files)];
  for (const batch of batches) {
    valueOf(await files.apply(batch));
    contents.push(await contentOf(files));
  }
  return contents;
}

test("what was changed is found again, and the file tells a batch from what is not whole", async () => {
  const directory = freshDirectory();
  const { files, droppedBytes } = await open(fileHandles(directory));
  assert.equal(droppedBytes, 0);
  const last = (await contentsAfter(files)).at(-1);
  await files.close();
  assert.deepEqual(await stored(directory), { content: last, dropped: 0 });
  const { files: again } = await open(fileHandles(directory));
  valueOf(await again.apply([write("more", "more\n")]));
  await again.close();
  assert.deepEqual((await stored(directory)).content, {
    ...last,
    more: (await stored(directory)).content["more"] ?? "",
  });
});

test("a file cut at any byte opens with every whole batch, and says how much it dropped", async () => {
  const directory = freshDirectory();
  const { files } = await open(fileHandles(directory));
  const [path] = packPaths(directory);
  const contents = [await contentOf(files)];
  const ends = [statSync(path).size];
  for (const batch of batches) {
    valueOf(await files.apply(batch));
    contents.push(await contentOf(files));
    ends.push(statSync(path).size);
  }
  await files.close();
  const whole = readFileSync(path);
  assert.equal(whole.length, ends.at(-1));
  for (let size = whole.length; size >= 0; size -= 1) {
    truncateSync(path, size);
    const index = ends.findLastIndex((end) => end <= size);
    const expected =
      index < 0 ? { content: {}, dropped: size } : { content: contents[index], dropped: size - (ends[index] ?? 0) };
    const copy = freshDirectory();
    copyFileSync(path, packPaths(copy)[0]);
    assert.deepEqual(await stored(copy), expected, `cut at ${size}`);
  }
});

test("after a cut, or with anything behind it, work goes on", async () => {
  const seeds = [Buffer.alloc(40), Buffer.from("btch garbage of any kind"), Buffer.from(encodeFileHeader(1))];
  for (const garbage of [...seeds, "twice"]) {
    const directory = freshDirectory();
    const { files } = await open(fileHandles(directory));
    const contents = await contentsAfter(files);
    await files.close();
    const [path] = packPaths(directory);
    const behind = garbage === "twice" ? readFileSync(path) : garbage;
    appendFileSync(path, behind);
    const { files: next, droppedBytes } = await open(fileHandles(directory));
    assert.equal(droppedBytes, behind.length);
    assert.deepEqual(await contentOf(next), contents.at(-1));
    valueOf(await next.apply([write("next", "n")]));
    const content = await contentOf(next);
    await next.close();
    assert.deepEqual(await stored(directory), { content, dropped: 0 });
  }
});

test("any damage is found: the file opens with what is before it", async () => {
  const directory = freshDirectory();
  const { files } = await open(fileHandles(directory));
  const contents = await contentsAfter(files);
  await files.close();
  const whole = readFileSync(packPaths(directory)[0]);
  for (let at = 0; at < whole.length; at += 1) {
    const copy = freshDirectory();
    const damaged = Buffer.from(whole);
    damaged[at] = (damaged[at] ?? 0) ^ 0x10;
    writeFileSync(packPaths(copy)[0], damaged);
    const { content, dropped } = await stored(copy);
    assert.ok(dropped > 0, `byte ${at}`);
    assert.ok(
      contents.slice(0, -1).some((one) => JSON.stringify(one) === JSON.stringify(content)),
      `byte ${at}`,
    );
  }
});

/** Runs the batches in a worker that ends after so many bytes. Returns how many took effect, and whether it ended. */
async function workUntil(
  directory: string,
  bytes: number,
  options: PackOptions,
): Promise<{ done: number; hasEnded: boolean }> {
  const left = { bytes };
  const [a, b] = fileHandles(directory);
  const isEnded = (text: string): boolean => text.includes("the worker has ended");
  let done = 0;
  try {
    const { files } = await open([dyingHandle(a, left), dyingHandle(b, left)], options);
    for (const batch of batches) {
      const applied = await files.apply(batch);
      if (!applied.ok) {
        assert.ok(isEnded(applied.failure.message), applied.failure.message);
        break;
      }
      done += 1;
    }
  } catch (error) {
    assert.ok(error instanceof WorkerEnded, String(error));
  } finally {
    a.close();
    b.close();
  }
  return { done, hasEnded: left.bytes < 0 };
}

for (const [name, options] of [
  ["a write", {}],
  ["a write or a copy", { smallestToCopy: 60 }],
] as const)
  test(`a worker that ends at any byte of ${name} loses no change that took effect`, async () => {
    const reference = await open(fileHandles(freshDirectory()), options);
    const contents = await contentsAfter(reference.files);
    await reference.files.close();
    let generations = 0;
    for (let bytes = 0; ; bytes += 1) {
      const directory = freshDirectory();
      const { done, hasEnded } = await workUntil(directory, bytes, options);
      const { content } = await stored(directory, options);
      const found = contents.findLastIndex((one) => JSON.stringify(one) === JSON.stringify(content));
      // The last one may have been stored whole without its worker hearing of it.
      assert.ok(found === done || found === done + 1, `ended after ${bytes}: ${done} took effect, ${found} found`);
      generations = Math.max(
        generations,
        ...packPaths(directory).map((path) => readFileSync(path).subarray(0, 12).at(-1) ?? 0),
      );
      rmSync(directory, { recursive: true });
      if (!hasEnded) break;
    }
    assert.equal(generations > 1, "smallestToCopy" in options, "whether the files took turns");
  });

test("random work, ended anywhere and gone on with, is never lost and stays small", async () => {
  const path = fc.constantFrom("a", "b", "c/d", "c/e", "f");
  const change = fc.oneof(
    fc.record({ path, size: fc.nat(400) }).map(({ path: at, size }) => write(at, "x".repeat(size))),
    path.map((at) => link(at, "a")),
    path.map((at) => remove(at)),
  );
  const batch = fc.uniqueArray(change, { minLength: 1, maxLength: 4, selector: (one) => one.path });
  const session = fc.record({ work: fc.array(batch, { maxLength: 12 }), life: fc.nat(6_000) });
  await fc.assert(
    fc.asyncProperty(fc.array(session, { minLength: 1, maxLength: 5 }), async (sessions) => {
      const directory = freshDirectory();
      const options = { smallestToCopy: 300 };
      let before: Record<string, string> = {};
      for (const { work, life } of sessions) {
        const left = { bytes: life };
        const [a, b] = fileHandles(directory);
        let possible = [before];
        try {
          const { files } = await open([dyingHandle(a, left), dyingHandle(b, left)], options);
          assert.deepEqual(await contentOf(files), before);
          for (const changes of work) {
            const shadow = await open(fileHandles(freshDirectory()));
            valueOf(await shadow.files.apply(await asChanges(files)));
            const would = await shadow.files.apply(changes);
            const after = await contentOf(shadow.files);
            await shadow.files.close();
            const applied = await files.apply(changes);
            if (applied.ok) possible = [after];
            else if (left.bytes < 0) possible.push(after);
            else assert.equal(would.ok, false);
            if (left.bytes < 0) break;
          }
        } catch (error) {
          assert.ok(error instanceof WorkerEnded, String(error));
        }
        a.close();
        b.close();
        before = (await stored(directory, options)).content;
        assert.ok(possible.some((one) => JSON.stringify(one) === JSON.stringify(before)));
        const sizes = packPaths(directory).map((one) => statSync(one).size);
        assert.ok(Math.max(...sizes) < 8_000, sizes.join());
      }
      rmSync(directory, { recursive: true });
    }),
    { numRuns: runs(500, 60) },
  );
});

async function asChanges(files: Workspace): Promise<Change[]> {
  const changes: Change[] = [];
  for (const { path, target, executable } of (await files.list()).entries) {
    if (target !== null) changes.push({ operation: "link", path, target });
    else changes.push({ operation: "write", path, executable, bytes: valueOf(await files.read(path)).bytes });
  }
  return changes;
}

for (const atQuota of ["throws", "short", "-8"] as const)
  test(`at the quota a change is refused, and everything before it stays${atQuota === "throws" ? "" : `: a write answers ${atQuota}`}`, async () => {
    const directory = freshDirectory();
    const quota = { bytes: 2_000 };
    const { files } = await open(limitedHandles(fileHandles(directory), quota, atQuota), { smallestToCopy: 500 });
    valueOf(await files.apply([write("kept", "k".repeat(1_000))]));
    const content = await contentOf(files);
    const version = await files.version();
    const refused = await files.apply([write("kept", "new"), write("large", "l".repeat(2_000))]);
    assert.match(refusalOf(refused), /storage for workspaces is full.*not made; everything before it is stored/);
    assert.deepEqual([await contentOf(files), await files.version()], [content, version]);
    assert.equal(statSync(packPaths(directory)[0]).size < quota.bytes, true);
    valueOf(await files.apply([write("small", "s")]));
    // A copy has no room either: work goes on in the old file, and in a new one when there is room.
    for (let round = 0; round < 8; round += 1) valueOf(await files.apply([write("small", `s${round}`.repeat(20))]));
    assert.equal(statSync(packPaths(directory)[1]).size, 0);
    quota.bytes = 100_000;
    for (let round = 0; round < 60; round += 1) valueOf(await files.apply([write("small", `t${round}`.repeat(20))]));
    assert.ok(packPaths(directory).some((path) => statSync(path).size === 0));
    const last = await contentOf(files);
    await files.close();
    assert.deepEqual(await stored(directory), { content: last, dropped: 0 });
  });

test("where others need the room that is left, nothing grows until there is more; files can be deleted", async () => {
  const quota = { bytes: 3_000 };
  let isShort = false;
  const room = { isShort: () => isShort, noteFull: () => void (isShort = true) };
  const { files } = await open(limitedHandles(fileHandles(freshDirectory()), quota, "throws"), { room });
  valueOf(await files.apply([write("a", "a".repeat(1_000))]));
  assert.equal(isShort, false, "the control: it fits");
  const full = /storage for workspaces is full/;
  assert.match(refusalOf(await files.apply([write("b", "b".repeat(3_000))])), full);
  assert.equal(isShort, true, "it is noted");
  assert.match(refusalOf(await files.apply([write("c", "c")])), full, "though it would fit");
  valueOf(await files.apply([{ operation: "delete", path: write("a", "").path }]));
  isShort = false;
  valueOf(await files.apply([write("c", "c")]));
});

test("what is superseded does not pile up, and large files are copied in pieces", async () => {
  const directory = freshDirectory();
  const { files } = await open(fileHandles(directory), { smallestToCopy: 1 << 20 });
  const large = "0123456789abcdef".repeat(200_000); // 3.2 MB: more than one piece
  valueOf(await files.apply([write("large", large)]));
  let most = 0;
  for (let round = 0; round < 200; round += 1) {
    valueOf(await files.apply([write("often", `${round}`.repeat(30_000))]));
    most = Math.max(most, ...packPaths(directory).map((path) => statSync(path).size));
  }
  assert.ok(most < 9 << 20, `${most}`);
  const content = await contentOf(files);
  await files.close();
  assert.deepEqual(await stored(directory), { content, dropped: 0 });
});

test("a workspace that is beyond the limits is not opened", async () => {
  const directory = freshDirectory();
  const { files } = await open(fileHandles(directory));
  valueOf(await files.apply([write("a", "12345"), write("b", "12345")]));
  await files.close();
  const handles = fileHandles(directory);
  const opened = await openPackWorkspace(handles, { limits: { fileBytes: 4, totalBytes: 100, fileCount: 10 } });
  for (const handle of handles) handle.close();
  assert.match(refusalOf(opened), /invalid_args|tool_failed/);
  assert.equal(Object.keys((await stored(directory)).content).length, 2);
});
