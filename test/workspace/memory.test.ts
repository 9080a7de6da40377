import assert from "node:assert/strict";
import { test } from "node:test";
import { ChangeLog } from "../../src/workspace/memory-log.ts";
import { createMemoryWorkspace } from "../../src/workspace/memory.ts";
import type { WorkspacePath } from "../../src/workspace/path.ts";
import { pathOf, remove, valueOf, workspaceContract, write } from "../contracts/workspace.ts";

workspaceContract("memory", (limits) => createMemoryWorkspace(limits));

test("the bytes that are read are those that are held: no copy for each reader", async () => {
  const workspace = createMemoryWorkspace();
  valueOf(await workspace.apply([write("a", "text")]));
  const [one, other] = [await workspace.read(pathOf("a")), await workspace.read(pathOf("a"))];
  assert.equal(valueOf(one).bytes, valueOf(other).bytes);
  assert.equal(valueOf(one).bytes.buffer.byteLength, 4);
});

test("what changed is told by what changed, however much is there and was before", async () => {
  const workspace = createMemoryWorkspace();
  valueOf(await workspace.apply(Array.from({ length: 5_000 }, (_, index) => write(`d/${index}`, "x"))));
  for (let round = 0; round < 3_000; round += 1) {
    const version = await workspace.version();
    valueOf(await workspace.apply([write("d/7", String(round)), write(`t/${round}`, ""), remove(`t/${round - 1}`)]));
    const { changed, isWhole } = await workspace.changesSince(version);
    assert.equal(isWhole, false);
    assert.deepEqual(
      changed.map(({ path }) => path).sort(),
      ["d/7", `t/${round}`, ...(round > 0 ? [`t/${round - 1}`] : [])].sort(),
    );
  }
  const all = await workspace.changesSince(0);
  assert.equal(all.changed.filter(({ entry }) => entry !== undefined).length, 5_001);
});

test("deletions that are too long ago are forgotten, and that is said", () => {
  const log = new ChangeLog(10);
  const nothing = () => undefined;
  for (let index = 0; index < 5_000; index += 1) log.add([`gone-${index}` as WorkspacePath], nothing);
  assert.equal(log.pathsSince(0, nothing), undefined);
  assert.deepEqual(log.pathsSince(4_999, nothing), ["gone-4999"]);
});
