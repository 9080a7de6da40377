import assert from "node:assert/strict";
import { createHmac, createSecretKey, randomBytes } from "node:crypto";
import { test } from "node:test";
import { genesisHash, sealEntry, verifyChain } from "../../src/audit/chain.ts";
import { contentOf } from "../../src/audit/content.ts";
import type { Entry } from "../../src/audit/entry.ts";
import { nodeHashes } from "../../src/process/node-hashes.ts";
import { canonicalJson, type Json } from "../../src/shared/json.ts";
import { chainKey } from "../../src/store/audit-key.ts";

const secret = randomBytes(32);
const context = { key: chainKey(createSecretKey(secret)), logId: "log" };

function* chain(length: number, own = context): Generator<Entry> {
  let prev = genesisHash(own);
  for (let seq = 1; seq <= length; seq += 1) {
    const content = contentOf(
      {
        event: "tool.call.received",
        call_id: `c${seq}`,
        args: { argv: ["/bin/echo", String(seq)] },
      },
      nodeHashes,
    );
    const entry = sealEntry({ seq, time: new Date(seq).toISOString(), ...content, prev }, own.key);
    prev = entry.hash;
    yield entry;
  }
}

const change = (entries: Entry[], index: number, fields: object) =>
  entries.with(index, { ...(entries[index] as Entry), ...fields } as Entry);

test("the hash is the HMAC-SHA256 of the canonical entry without it", () => {
  const [entry] = [...chain(1)] as [Entry];
  const { hash, ...rest } = entry;
  assert.equal(
    hash,
    createHmac("sha256", secret)
      .update(canonicalJson(rest as unknown as Json))
      .digest("hex"),
  );
});

test("an untouched chain verifies, an empty one too", () => {
  assert.deepEqual(verifyChain(chain(50), context, []), { ok: true, entries: 50, first_bad: null, reason: null });
  assert.deepEqual(verifyChain([], context, []), { ok: true, entries: 0, first_bad: null, reason: null });
});

const entries = [...chain(10)];
const at = (index: number) => entries[index] as Entry;
const broken: Record<string, [Entry[], number]> = {
  "a changed argument": [change(entries, 4, { args: { argv: ["/bin/true"] } }), 5],
  "a changed time": [change(entries, 4, { time: "1999-01-01T00:00:00.000Z" }), 5],
  "a changed hash": [change(entries, 9, { hash: "0".repeat(64) }), 10],
  "a changed first link": [change(entries, 0, { prev: "0".repeat(64) }), 1],
  "a value that is no JSON": [change(entries, 2, { args: Number.POSITIVE_INFINITY }), 3],
  "a removed entry": [entries.toSpliced(4, 1), 5],
  "the first entry removed": [entries.slice(1), 1],
  "a removed entry, the rest renumbered": [
    entries.toSpliced(4, 1).map((entry, index) => ({ ...entry, seq: index + 1 })),
    5,
  ],
  "an inserted copy": [entries.toSpliced(5, 0, at(4)), 5],
  "two swapped": [entries.with(4, at(5)).with(5, at(4)), 5],
  "two swapped, renumbered": [entries.with(4, { ...at(5), seq: 5 }).with(5, { ...at(4), seq: 6 }), 5],
  "a number before the first": [[{ ...at(0), seq: 0 }, ...entries], 0],
  "a chain built with another key": [
    [...chain(10, { ...context, key: chainKey(createSecretKey(randomBytes(32))) })],
    1,
  ],
  "a chain of another log": [[...chain(10, { ...context, logId: "other" })], 1],
};

for (const [name, [bad, first]] of Object.entries(broken)) {
  test(`found: ${name}`, () => {
    const found = verifyChain(bad, context, []);
    assert.deepEqual([found.ok, found.first_bad, found.entries], [false, first, bad.length]);
    assert.match(found.reason ?? "", /entry/);
  });
}

test("anchors find a cut and a replaced end", () => {
  const last = { seq: 10, hash: at(9).hash };
  assert.equal(verifyChain(entries, context, [last]).ok, true);
  assert.deepEqual(verifyChain(entries.slice(0, 7), context, [last]).first_bad, 8);
  assert.match(
    verifyChain(entries.slice(0, 7), context, [last]).reason ?? "",
    /the end of the log was cut: 10 entries were written, 7 are there/,
  );
  assert.deepEqual(verifyChain(entries, context, [{ seq: 10, hash: "0".repeat(64) }]).first_bad, 10);
  assert.deepEqual(verifyChain(chain(12), context, [last]).ok, true);
});

test("a hundred thousand entries are verified as a stream", () => {
  const before = process.memoryUsage().heapUsed;
  let most = 0;
  function* watched() {
    for (const entry of chain(100_000)) {
      if (entry.seq % 5_000 === 0) most = Math.max(most, process.memoryUsage().heapUsed);
      yield entry;
    }
  }
  assert.equal(verifyChain(watched(), context, []).entries, 100_000);
  // Kept, they would be well over 100 MB.
  assert.ok(most - before < 80e6, `${Math.round((most - before) / 1e6)} MB`);
});
