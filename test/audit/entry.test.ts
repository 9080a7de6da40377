import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import fc from "../fixtures/fast-check.ts";
import { contentOf } from "../../src/audit/content.ts";
import { nodeHashes } from "../../src/process/node-hashes.ts";
import { type Entry, type EntryDraft, entryLine } from "../../src/audit/entry.ts";
import { toJson } from "../../src/audit/to-json.ts";
import { canonicalJson } from "../../src/shared/json.ts";
import { limits } from "../../src/shared/limits.ts";
import { runs } from "../fixtures/runs.ts";

const entryFor = (draft: Partial<EntryDraft>): Entry => {
  const content = contentOf({ event: "tool.call.received", ...draft }, nodeHashes);
  return { seq: 99_999_999, time: new Date(0).toISOString(), ...content, prev: "0".repeat(64), hash: "f".repeat(64) };
};
const bytesOf = (entry: Entry) => Buffer.byteLength(entryLine(entry));

test("a line has the fields of the contract, in their order, absent ones as null", () => {
  const line = entryLine(entryFor({}));
  assert.deepEqual(
    Object.keys(JSON.parse(line)),
    "seq time session agent call_id event tool args digest decision because outcome prev hash".split(" "),
  );
  const { session, args, because, outcome } = JSON.parse(line);
  assert.deepEqual([session, args, because, outcome], [null, null, null, null]);
});

const unsafe = [
  "\u001b[2J",
  "\u0000",
  "\u2028",
  "\u2029",
  "\u202e",
  "\u2066",
  "\u200b",
  "\u009b31m",
  "\u007f",
  "\ufeff",
  "\u{e0041}",
  "\ud800",
  "\udc00x",
  "a\nb",
  "\r",
  "\u061c",
  "\u00ad",
];

for (const text of unsafe) {
  test(`a line is plain and round-trips: ${JSON.stringify(text)} ${[...text].map((c) => c.codePointAt(0)?.toString(16)).join(" ")}`, () => {
    const entry = entryFor({ args: { argv: [`x${text}y`], [text]: 1 }, outcome: text });
    const line = entryLine(entry);
    assert.doesNotMatch(line, /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
    assert.deepEqual(JSON.parse(line), entry);
    assert.deepEqual(entry.args, { argv: [`x${text}y`], [text]: 1 });
  });
}

test("quotes, backslashes and unicode are kept exactly", () => {
  const argv = ["/bin/echo", "\"a\" 'b' \\", "naïve 日本 👩‍🚀", ""];
  assert.deepEqual(JSON.parse(entryLine(entryFor({ args: { argv } }))).args, { argv });
});

test("an argument of 10 KB is kept whole", () => {
  const argv = ["/bin/echo", "x".repeat(10_240)];
  assert.deepEqual(entryFor({ args: { argv } }).args, { argv });
});

test("a longer string is cut, with the bytes left out and the hash of the whole", () => {
  const text = `begin${"é".repeat(100_000)}end`;
  const kept = (entryFor({ args: { text } }).args as { text: string }).text;
  const [, head = "", left, hash, tail = ""] =
    /^(begin.*)\[(\d+) bytes left out, sha256 of the whole: ([0-9a-f]{64})\](.*end)$/s.exec(kept) ?? [];
  assert.equal(hash, createHash("sha256").update(text).digest("hex"));
  assert.equal(Buffer.byteLength(head + tail) + Number(left), Buffer.byteLength(text));
  assert.ok(Buffer.byteLength(kept) <= limits.auditStringBytes);
  assert.ok(!kept.includes("\ufffd"));
});

test("50,000 arguments are bounded, the first ones kept, the rest stated", () => {
  const argv = Array.from({ length: 50_000 }, (_, index) => `argument ${index}`);
  const entry = entryFor({ args: { argv, cwd: "/here", env: { LANG: "C" } }, outcome: { duration_s: 1 } });
  const kept = entry.args as { argv: string[]; cwd: string; env: object };
  assert.ok(bytesOf(entry) <= limits.auditEntryBytes);
  assert.equal(kept.argv[0], "argument 0");
  assert.ok(kept.argv.length > 1000);
  assert.match(
    kept.argv.at(-1) ?? "",
    new RegExp(`^\\[${50_000 - kept.argv.length + 1} more items left out, .* sha256 of the whole: `),
  );
  assert.deepEqual([kept.cwd, kept.env, entry.outcome], ["/here", { LANG: "C" }, { duration_s: 1 }]);
});

test("no draft makes a longer line than the limit", () => {
  const big = fc.oneof(
    fc.string({ maxLength: 20 }),
    fc
      .tuple(fc.constantFrom("\u0000", "x", "é", "\u{1f600}", '"'), fc.integer({ min: 0, max: 30_000 }))
      .map(([unit, times]) => unit.repeat(times)),
  );
  const value = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      big,
      fc.double(),
      fc.array(tie("node"), { maxLength: 12 }),
      fc.dictionary(big, tie("node"), { maxKeys: 12 }),
    ),
  })).node;
  fc.assert(
    fc.property(value, value, big, fc.array(big, { maxLength: 30 }), (args, outcome, label, because) => {
      const entry = entryFor({
        args,
        outcome,
        tool: label,
        session: label,
        agent: label,
        call_id: label,
        digest: label,
        because,
      });
      assert.ok(bytesOf(entry) <= limits.auditEntryBytes, `${bytesOf(entry)} bytes`);
      assert.deepEqual(JSON.parse(entryLine(entry)), {
        ...entry,
        args: JSON.parse(JSON.stringify(entry.args)),
        outcome: JSON.parse(JSON.stringify(entry.outcome)),
      });
      assert.ok(entry.because?.every((reason) => typeof reason === "string"));
    }),
    { numRuns: runs(60, 20) },
  );
});

test("wide objects and a key of a megabyte are bounded too", () => {
  const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`K${index}`, "v"]));
  assert.ok(bytesOf(entryFor({ args: wide })) <= limits.auditEntryBytes);
  assert.ok(
    bytesOf(entryFor({ args: { ["k".repeat(1_000_000)]: 1 }, tool: "t".repeat(1_000_000) })) <= limits.auditEntryBytes,
  );
  const leaves: unknown[] = Array.from({ length: 300 }, () => ["x".repeat(5000), { a: "y".repeat(5000) }]);
  assert.ok(bytesOf(entryFor({ args: leaves, because: Array(5000).fill("r".repeat(300)) })) <= limits.auditEntryBytes);
});

test("secrets in every field that can hold one are taken out", () => {
  const secret = `ghp_${"a1B2".repeat(9)}`;
  const entry = entryFor({
    args: { argv: [secret] },
    outcome: { message: `bad ${secret}` },
    because: [`rule ${secret}`],
    tool: secret,
    session: secret,
  });
  assert.ok(!entryLine(entry).includes(secret));
  assert.equal(entry.tool, "[redacted]");
});

test("the time and the number of an entry are not for the draft to say", () => {
  const forged = {
    event: "tool.call.received",
    time: "1999-01-01",
    seq: 1,
    hash: "x",
    args: { ts: "1999-01-01" },
  } as unknown as EntryDraft;
  const content = contentOf(forged, nodeHashes);
  assert.deepEqual(
    Object.keys(content).filter((key) => ["time", "seq", "hash", "prev"].includes(key)),
    [],
  );
  assert.deepEqual(content.args, { ts: "1999-01-01" });
});

test("toJson represents what JSON cannot, and never throws", () => {
  const cyclic: Record<string, unknown> = { a: 1 };
  cyclic["self"] = cyclic;
  assert.deepEqual(toJson(cyclic), { a: 1, self: "[circular]" });
  const twice = { x: 1 };
  assert.deepEqual(toJson([twice, twice]), [{ x: 1 }, { x: 1 }]);
  assert.deepEqual(
    toJson({
      toJSON() {
        throw new Error("no");
      },
    }),
    "[unreadable: no]",
  );
  assert.deepEqual(
    toJson({
      good: 1,
      get bad() {
        throw new Error("no");
      },
    }),
    { good: 1, bad: "[unreadable: no]" },
  );
  assert.deepEqual(toJson([1n, Infinity, -Infinity, NaN, () => 1, Symbol("s"), undefined]), [
    "[bigint 1]",
    "[number Infinity]",
    "[number -Infinity]",
    "[number NaN]",
    "[function]",
    "[symbol]",
    null,
  ]);
  assert.deepEqual(toJson({ gone: undefined, date: new Date(0) }), { date: "1970-01-01T00:00:00.000Z" });
  assert.deepEqual(toJson(Buffer.from("é")), "é");
  assert.deepEqual(toJson(Buffer.from([0x61, 0xff])), { text: "a\ufffd", base64: "Yf8=" });
  assert.deepEqual(toJson(new Map([["a", new Set([1])]])), [["a", [1]]]);
  assert.deepEqual(toJson(new RangeError("m")), { name: "RangeError", message: "m" });
  assert.deepEqual(toJson({ length: 5 }), { length: 5 });
  const hostile = new Proxy(
    {},
    {
      ownKeys: () => {
        throw null;
      },
      get: () => {
        throw null;
      },
    },
  );
  assert.equal(toJson({ hostile } as unknown) !== undefined, true);
  assert.equal(toJson(Object.assign(() => 1)), "[function]");
});

test("toJson ends on depth, on width, and on parts shared without end", () => {
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  assert.match(JSON.stringify(toJson(deep)), /nested deeper than/);
  let shared: unknown = ["leaf"];
  for (let level = 0; level < 60; level += 1) shared = [shared, shared];
  assert.match(JSON.stringify(toJson(shared)), /left out/);
  const endless = (): unknown =>
    new Proxy(
      {},
      {
        ownKeys: () => ["a", "b"],
        getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
        get: (_, key) => (key === "toJSON" ? undefined : endless()),
      },
    );
  assert.ok(toJson(endless()) !== null);
});

test("__proto__ is a key like any other, through redaction, bounding, hash and line", () => {
  const args = JSON.parse('{"__proto__":{"polluted":"x"},"a":1}') as unknown;
  const entry = entryFor({ args });
  assert.equal(JSON.stringify(entry.args), '{"__proto__":{"polluted":"x"},"a":1}');
  assert.equal(Object.getPrototypeOf(entry.args), Object.prototype);
  assert.match(canonicalJson(entry.args), /"__proto__":\{"polluted":"x"\}/);
  assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
});
