// What a box gets for its questions about names.

import assert from "node:assert/strict";
import test from "node:test";
import { decode, encode, type RecordType } from "dns-packet";
import { answerQuery } from "../../src/network/dns-answers.ts";
import { createNameMap } from "../../src/network/names.ts";
import fc from "../fixtures/fast-check.ts";
import { runs } from "../fixtures/runs.ts";

const query = (name: string, type: RecordType = "A", id = 7): Buffer =>
  encode({ type: "query", id, flags: 0x100, questions: [{ type, name, class: "IN" }] });

function ask(packet: Buffer, names = createNameMap(512)) {
  const answer = answerQuery(packet, names);
  assert.ok(answer !== null);
  const read = decode(Buffer.from(answer)) as ReturnType<typeof decode> & { readonly rcode: string };
  assert.equal(read.type, "response");
  return { id: read.id, rcode: read.rcode, questions: read.questions, answers: read.answers ?? [] };
}

test("a name has one address of 198.18.0.0/15, and the address leads back to it", () => {
  const names = createNameMap(512);
  const first = ask(query("registry.test"), names);
  assert.equal(first.rcode, "NOERROR");
  assert.equal(first.id, 7);
  assert.deepEqual(
    first.answers.map((one) => "data" in one && one.data),
    ["198.18.0.1"],
  );
  assert.deepEqual(
    ask(query("ReGistry.test"), names).questions?.[0]?.name,
    "ReGistry.test",
    "in the spelling of the question",
  );
  assert.equal(names.nameOf("198.18.0.1"), "registry.test");
  assert.deepEqual(
    ask(query("other.test"), names).answers.map((one) => "data" in one && one.data),
    ["198.18.0.2"],
  );
  assert.deepEqual(names.unreached(), ["registry.test", "other.test"]);
});

test("every other kind of record is empty, and asks for no address", () => {
  const names = createNameMap(512);
  for (const type of ["AAAA", "TXT", "MX", "SRV", "PTR", "NS", "SOA", "CAA", "NULL"] as const) {
    const { rcode, answers } = ask(query("registry.test", type), names);
    assert.deepEqual([type, rcode, answers], [type, "NOERROR", []]);
  }
  assert.deepEqual(names.unreached(), []);
});

test("this machine is 127.0.0.1, under each of its names", () => {
  const names = createNameMap(512);
  for (const name of ["localhost", "LOCALHOST", "app.localhost"])
    assert.deepEqual(
      ask(query(name), names).answers.map((one) => "data" in one && one.data),
      ["127.0.0.1"],
    );
  assert.deepEqual(names.unreached(), []);
});

test("a name that reads as an address, or as no name, does not exist", () => {
  for (const name of ["0x7f.1", "2130706433", "127.1", "-a.test", "a b.test", "bücher.test"])
    assert.deepEqual(ask(query(name)).rcode, "NXDOMAIN", name);
});

test("a call looks up 512 names, and keeps those that it has", () => {
  const names = createNameMap(512);
  const known = Array.from({ length: 512 }, (_, index) => names.lookUp(`n${index}.test`));
  assert.equal(new Set(known).size, 512);
  assert.ok(known.every((address) => address?.startsWith("198.18.")));
  assert.equal(ask(query("more.test"), names).rcode, "NXDOMAIN");
  assert.deepEqual(ask(query("n511.test"), names).rcode, "NOERROR");
  assert.equal(names.reserve("more.test"), null);
});

test("what is no ordinary question is refused or gets no answer", () => {
  assert.equal(answerQuery(Buffer.alloc(0), createNameMap(1)), null);
  assert.equal(answerQuery(Buffer.alloc(11), createNameMap(1)), null);
  const answer = encode({ type: "response", id: 1, questions: [{ type: "A", name: "a.test", class: "IN" }] });
  assert.equal(answerQuery(answer, createNameMap(1)), null);
  const two = encode({
    type: "query",
    id: 1,
    questions: ["a.test", "b.test"].map((name) => ({ type: "A", name, class: "IN" })),
  });
  const refused = [
    two,
    encode({ type: "query", id: 1, questions: [{ type: "A", name: "a.test", class: "CH" }] }),
    Buffer.alloc(600),
  ];
  for (const packet of refused) assert.equal(ask(packet).rcode, "REFUSED");
});

test("no packet makes it fail, and no answer is longer than a question with an address", () => {
  const names = createNameMap(512);
  const edited = fc
    .tuple(fc.array(fc.tuple(fc.nat(80), fc.nat(255)), { maxLength: 6 }), fc.nat(80))
    .map(([edits, cut]) => {
      const packet = query("some.name.of.a.host.test", "A");
      for (const [at, value] of edits) packet[at % packet.length] = value;
      return packet.subarray(0, packet.length - (cut % packet.length));
    });
  fc.assert(
    fc.property(fc.oneof(edited, fc.uint8Array({ maxLength: 700 })), (bytes) => {
      const answer = answerQuery(bytes, names);
      assert.ok(answer === null || answer.length <= bytes.length + 512);
    }),
    { numRuns: runs(20_000) },
  );
});
