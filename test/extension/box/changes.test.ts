// What a run changed, from what it was given and what it left.

import assert from "node:assert/strict";
import test from "node:test";
import { changesOf, type LeftEntry } from "../../../extension/box/changes.ts";
import type { BoxFile } from "../../../src/process/wasm-box.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const given = (name: string, text: string, executable = false): BoxFile => ({
  path: `/workspace/${name}`,
  executable,
  target: null,
  bytes: bytes(text),
});
const link = (name: string, target: string): BoxFile => ({ ...given(name, ""), target });
const left = (name: string, text: string, executable = false): LeftEntry => ({
  kind: "file",
  path: `/workspace/${name}`,
  executable,
  bytes: bytes(text),
});
const at = (kind: "directory" | "other", name: string): LeftEntry => ({ kind, path: `/workspace/${name}` });

async function found(before: readonly BoxFile[], after: readonly LeftEntry[], changedBytes = 1_000) {
  const { changes, notKept } = await changesOf(before, after, changedBytes);
  const said = changes.map((change) => {
    const path = change.path.slice("/workspace/".length);
    if (change.kind !== "file") return `${change.kind} ${path}`;
    const content = change.target === null ? new TextDecoder().decode(change.bytes) : `-> ${change.target}`;
    return `${change.executable ? "x" : "-"} ${path} ${content}`;
  });
  return { said, notKept: notKept.map(({ path, reason }) => `${path}: ${reason}`) };
}

test("files, links, executables, directories and removals", async () => {
  const before = [given("same", "1"), given("d/old", "2"), given("gone", "3"), given("run", "4"), link("l", "same")];
  const same: LeftEntry[] = [left("same", "1"), at("directory", "d"), left("run", "4")];
  assert.deepEqual(
    await found(before, [
      ...same,
      left("d/old", "2"),
      left("gone", "3"),
      { ...link("l", "same"), kind: "link" } as LeftEntry,
    ]),
    { said: [], notKept: [] },
  );
  const after: LeftEntry[] = [
    ...same.slice(0, 2),
    left("run", "4", true),
    left("d/old", "22"),
    left("new", "5"),
    at("directory", "empty"),
    { kind: "link", path: "/workspace/l", target: "new" },
    at("other", "pipe"),
  ];
  assert.deepEqual(await found(before, after), {
    said: ["x run 4", "- d/old 22", "- new 5", "directory empty", "- l -> new", "removed gone"],
    notKept: ["/workspace/pipe: neither a file nor a link"],
  });
});

test("what takes the place of another kind", async () => {
  const before = [given("a", "1"), link("b", "a"), given("c/d", "2")];
  const after: LeftEntry[] = [
    at("directory", "a"),
    left("b", "now a file"),
    { kind: "link", path: "/workspace/c", target: "a" },
  ];
  assert.deepEqual((await found(before, after)).said, [
    "directory a",
    "- b now a file",
    "- c -> a",
    "removed a",
    "removed c/d",
  ]);
});

test("what does not fit is named, and what fits is kept", async () => {
  const after = [left("small", "12"), left("large", "1".repeat(100)), left("last", "123")];
  assert.deepEqual(await found([], after, 5), {
    said: ["- small 12", "- last 123"],
    notKept: ["/workspace/large: a run may change 5 bytes of files, and this one did not fit"],
  });
});
