// The reader of what a call changed: it believes nothing that the call could not have done, in whatever pieces it comes.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "../fixtures/fast-check.ts";
import type { RunTreeChange, RunTreeChanges } from "../../src/process/outcome.ts";
import { TreeStream } from "../../src/sandbox/tree-stream.ts";
import { limits } from "../../src/shared/limits.ts";
import { runs } from "../fixtures/runs.ts";

const bounds = { sizeBytes: 10_000, fileCount: 50 };
const kinds = {
  file: 1,
  executable: 2,
  link: 3,
  gone: 4,
  emptied: 5,
  special: 6,
  size: 7,
  depth: 8,
  directory: 9,
  begin: 100,
  end: 101,
};

interface Raw {
  readonly kind: number;
  readonly path?: string | Buffer;
  readonly body?: Buffer;
  /** What the head claims, if not the truth. */
  readonly claimed?: bigint;
}

function record({ kind, path = "", body = Buffer.alloc(0), claimed }: Raw): Buffer {
  const name = Buffer.from(path);
  const head = Buffer.alloc(16);
  head.writeUInt32LE(kind, 0);
  head.writeUInt32LE(name.length, 4);
  head.writeBigUInt64LE(claimed ?? BigInt(body.length), 8);
  return Buffer.concat([head, name, body]);
}

function whole(records: readonly Raw[]): Buffer {
  const all = [{ kind: kinds.begin }, ...records];
  return Buffer.concat([...all.map(record), record({ kind: kinds.end, claimed: BigInt(all.length) })]);
}

function read(bytes: Buffer, pieceBytes = bytes.length, given = bounds): RunTreeChanges {
  const stream = new TreeStream(given);
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const piece = Buffer.from(bytes.subarray(at, at + pieceBytes));
    stream.push(piece);
    piece.fill(0xee); // the caller uses its buffer again
  }
  return stream.result();
}

const plain: readonly Raw[] = [
  { kind: kinds.file, path: "a", body: Buffer.from("text") },
  { kind: kinds.executable, path: "d/run", body: Buffer.alloc(0) },
  { kind: kinds.link, path: "l", body: Buffer.from("../x") },
  { kind: kinds.gone, path: "g" },
  { kind: kinds.emptied, path: "e" },
  { kind: kinds.directory, path: "e/f" },
  { kind: kinds.special, path: "fifo" },
  { kind: kinds.size, path: "hole" },
  { kind: kinds.depth, path: "n/n" },
  { kind: kinds.file, path: Buffer.from([0x63, 0xe9]), body: Buffer.from("x") },
  { kind: kinds.link, path: "bad", body: Buffer.from([0xff]) },
  { kind: kinds.file, path: "\ufeffmark", body: Buffer.from("x") },
];
const expected: readonly RunTreeChange[] = [
  { kind: "file", path: "a", bytes: Buffer.from("text"), executable: false },
  { kind: "file", path: "d/run", bytes: Buffer.alloc(0), executable: true },
  { kind: "link", path: "l", target: "../x" },
  { kind: "gone", path: "g" },
  { kind: "emptied", path: "e" },
  { kind: "directory", path: "e/f" },
  { kind: "special", path: "fifo", what: "not_a_file" },
  { kind: "special", path: "hole", what: "size" },
  { kind: "special", path: "n/n", what: "depth" },
  { kind: "special", path: "c\\xe9", what: "name" },
  { kind: "special", path: "bad", what: "name" },
  { kind: "file", path: "\ufeffmark", bytes: Buffer.from("x"), executable: false },
];

test("every kind of record, in pieces of any size", () => {
  const bytes = whole(plain);
  for (let size = 1; size <= bytes.length; size++)
    assert.deepEqual(read(bytes, size), { isComplete: true, changes: expected }, `pieces of ${size}`);
});

test("a list that breaks off says so, wherever it does", () => {
  const bytes = whole(plain);
  for (let length = 0; length < bytes.length; length++) {
    const { isComplete, changes } = read(bytes.subarray(0, length));
    assert.equal(isComplete, false);
    assert.deepEqual(changes, expected.slice(0, changes.length));
  }
});

const file = (path: string | Buffer, bytes = 1): Raw => ({ kind: kinds.file, path, body: Buffer.alloc(bytes) });
const refused: Readonly<Record<string, Buffer>> = {
  "no beginning": Buffer.concat([record(file("a")), record({ kind: kinds.end, claimed: 1n })]),
  "two beginnings": whole([{ kind: kinds.begin }]),
  "an unknown kind": whole([{ kind: 10, path: "a" }]),
  "an end that counts otherwise": Buffer.concat([
    record({ kind: kinds.begin }),
    record({ kind: kinds.end, claimed: 9n }),
  ]),
  "something after the end": Buffer.concat([whole([]), Buffer.from([0])]),
  "a second list": Buffer.concat([whole([]), whole([file("a")])]),
  "no path": whole([file("")]),
  "a path upwards": whole([file("../a")]),
  "a path upwards in the middle": whole([file("a/../../b")]),
  "an absolute path": whole([file("/etc/passwd")]),
  "an empty name": whole([file("a//b")]),
  "a dot": whole([file("./a")]),
  "a path that ends in a slash": whole([file("a/")]),
  "a NUL": whole([file("a\0b")]),
  "a path that is too long": whole([file("a".repeat(4096))]),
  "a file that is too large": whole([file("a", bounds.sizeBytes + 1)]),
  "files that are too large together": whole([file("a", 6_000), file("b", 6_000)]),
  "a size that no machine has": whole([{ ...file("a"), claimed: 2n ** 64n - 1n }]),
  "a link that is too long": whole([{ kind: kinds.link, path: "l", body: Buffer.alloc(4096, 97) }]),
  "a deletion with content": whole([{ kind: kinds.gone, path: "g", body: Buffer.from("x") }]),
  "too many": whole(Array.from({ length: 2 * bounds.fileCount + 65 }, (_, index) => file(`f${index}`, 0))),
};

for (const [what, bytes] of Object.entries(refused))
  test(`refused: ${what}`, () => {
    for (const size of [bytes.length, 1]) {
      const { isComplete, changes } = read(bytes, size);
      assert.equal(isComplete, false);
      for (const { path } of changes) assert.ok(isBelow(path), path);
    }
  });

test("names are bounded all together", () => {
  const many = { sizeBytes: 0, fileCount: 1_000_000 };
  const name = "n".repeat(250);
  const path = Array.from({ length: 16 }, () => name).join("/");
  const stream = new TreeStream(many);
  stream.push(record({ kind: kinds.begin }));
  let count = 0;
  for (; count < 100_000 && !stream.isBroken; count++) stream.push(record({ kind: kinds.gone, path }));
  assert.ok(count * path.length <= limits.treePathsBytes + 2 * path.length, String(count));
  assert.ok(stream.isBroken);
});

function isBelow(path: string): boolean {
  return path.split("/").every((name) => !["", ".", ".."].includes(name));
}

function isBounded({ changes }: RunTreeChanges): boolean {
  const bytes = changes.reduce((sum, change) => sum + (change.kind === "file" ? change.bytes.length : 0), 0);
  return (
    bytes <= bounds.sizeBytes &&
    changes.length <= 2 * bounds.fileCount + 64 &&
    changes.every(({ path }) => isBelow(path))
  );
}

test("bytes that make no sense neither throw nor get out of bounds", () => {
  const good = whole(plain);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 }),
      fc.uint8Array({ maxLength: 64 }),
      fc.nat(good.length),
      fc.integer({ min: 1, max: 64 }),
      (edits, inserted, at, pieceBytes) => {
        const bytes = Buffer.concat([good.subarray(0, at), inserted, good.subarray(at)]);
        for (const [index, value] of edits) bytes[index] = value;
        assert.ok(isBounded(read(bytes, pieceBytes)));
      },
    ),
    { numRuns: runs(5_000) },
  );
});

test("names and contents cannot be taken for records", () => {
  const hostile = fc.constantFrom(
    whole([{ kind: kinds.gone, path: "victim" }]),
    record({ kind: kinds.end, claimed: 2n }),
  );
  fc.assert(
    fc.property(
      hostile,
      fc.uint8Array({ maxLength: 20 }),
      fc.integer({ min: 1, max: 64 }),
      (body, more, pieceBytes) => {
        const content = Buffer.concat([more, body, more]);
        const result = read(whole([{ kind: kinds.file, path: "carrier", body: content }]), pieceBytes);
        const carried = { kind: "file", path: "carrier", bytes: content, executable: false };
        assert.deepEqual(result, { isComplete: true, changes: [carried] });
      },
    ),
  );
});
