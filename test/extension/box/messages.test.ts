// What the box hands back is read as what it should be, or as a problem: never as anything else, and never without a bound.

import assert from "node:assert/strict";
import test from "node:test";
import { RunReader } from "../../../extension/box/messages.ts";
import { limits } from "../../../src/shared/limits.ts";

const none = new Uint8Array();
const file = (path: string, size = 1) => ({
  kind: "file",
  path,
  executable: false,
  target: null,
  bytes: new Uint8Array(size),
});
const end = (changes: unknown, notKept: unknown = []) => ({ kind: "end", exitCode: 0, changes, notKept });
const kindOf = (message: unknown, changedBytes = 100) => new RunReader(changedBytes).read(message).kind;

test("an end is copied field by field, with nothing else", () => {
  const changes = [
    file("/workspace/a"),
    { kind: "file", path: "/workspace/l", executable: false, target: "a", bytes: none },
    { kind: "removed", path: "/workspace/d" },
    { kind: "directory", path: "/workspace/d" },
  ];
  const notKept = [{ path: "/workspace/big", reason: "too\nlarge" }];
  const message = { ...end(changes, notKept), timedOut: true, more: new Uint8Array(10) };
  assert.deepEqual(new RunReader(100).read({ ...message, changes: changes.map((one) => ({ ...one, more: 1 })) }), {
    ...end(changes, [{ path: "/workspace/big", reason: "too large" }]),
  });
});

test("what is no answer is a problem", () => {
  const shared = new Uint8Array(new SharedArrayBuffer(1));
  const growing = new Uint8Array(new ArrayBuffer(1, { maxByteLength: 1_000 }));
  const part = new Uint8Array(new ArrayBuffer(1_000), 0, 1);
  for (const message of [
    undefined,
    null,
    1,
    "end",
    [],
    {},
    { kind: "ready" },
    { kind: "timeout" },
    { kind: "output", stream: "stdin", bytes: none },
    { kind: "output", stream: "stdout", bytes: "text" },
    { kind: "output", stream: "stdout", bytes: [1] },
    { kind: "output", stream: "stdout", bytes: part },
    { kind: "output", stream: "stdout", bytes: shared },
    { kind: "output", stream: "stdout", bytes: growing },
    { kind: "problem", text: {} },
    { ...end([]), exitCode: "0" },
    { ...end([]), exitCode: 256 },
    { ...end([]), exitCode: -1 },
    { ...end([]), exitCode: Number.NaN },
    end(undefined),
    end({ length: 1, 0: file("/workspace/a") }),
    end(Array(2 * limits.workspaceFileCount + 1)),
    end([null]),
    end([{ kind: "other", path: "/workspace/a" }]),
    end([{ ...file("/workspace/a"), executable: 1 }]),
    end([{ ...file("/workspace/a"), target: 1 }]),
    end([{ ...file("/workspace/a"), target: "with bytes" }]),
    end([{ ...file("/workspace/a"), bytes: part }]),
    end([file("/workspace/a", 101)]),
    end([file("/workspace/a", 60), file("/workspace/b", 60)]),
    end([file("/workspace/a"), { kind: "removed", path: "/workspace/a" }]),
    end([], [{ path: "/workspace/a" }]),
    end([], [{ path: "x".repeat(limits.pathBytes + 1), reason: "" }]),
  ])
    assert.equal(kindOf(message), "problem", JSON.stringify(message)?.slice(0, 200));
});

test("a path is below the workspace, in one spelling", () => {
  const bad = ["a", "/a", "/workspace", "/workspace/", "/workspace/a/", "/workspace//a", "/workspace/./a"];
  for (const path of [...bad, "/workspace/../etc/passwd", "/workspaces/a", `/workspace/${"a".repeat(5_000)}`, 7])
    assert.equal(kindOf(end([{ kind: "removed", path }])), "problem", String(path));
  for (const path of ["/workspace/a", "/workspace/.a/..b/c..."])
    assert.equal(kindOf(end([{ kind: "removed", path }])), "end", path);
});

test("output and names have an end", () => {
  const reader = new RunReader(0);
  const piece = { kind: "output", stream: "stdout", bytes: new Uint8Array(1_024 * 1_024) };
  let pieces = 0;
  while (reader.read(piece).kind === "output") pieces += 1;
  assert.equal(pieces, 63);
  const counting = new RunReader(0);
  let messages = 0;
  while (counting.read({ ...piece, bytes: none }).kind === "output") messages += 1;
  assert.equal(messages, limits.boxOutputBytes / limits.boxMessageBytes, "empty messages count as well");
  const long = "a".repeat(4_000);
  const names = Array.from({ length: 17_000 }, (_, index) => ({ kind: "removed", path: `/workspace/${index}${long}` }));
  assert.equal(kindOf(end(names)), "problem");
  assert.equal(kindOf(end(names.slice(0, 10_000))), "end");
});

test("what a problem says is one short line", () => {
  const message = new RunReader(0).read({ kind: "problem", text: `a\n\tb${" c".repeat(1_000)}` });
  assert.ok(message.kind === "problem");
  assert.match(message.text, /^a b c/);
  assert.ok(message.text.length <= limits.boxProblemCharacters && !message.text.includes("\n"));
});
