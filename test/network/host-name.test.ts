// Hosts as programs send them.

import assert from "node:assert/strict";
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import test from "node:test";
import { parseRemoteHost } from "../../src/network/host-name.ts";
import { parseOneHost } from "../../src/policy/host-pattern.ts";
import fc from "../fixtures/fast-check.ts";
import { runs } from "../fixtures/runs.ts";

const read: readonly (readonly [string, string])[] = [
  ["Example.ORG", "example.org"],
  ["example.org.", "example.org"],
  ["xn--bcher-kva.example", "xn--bcher-kva.example"],
  ["_service._tcp.example.org", "_service._tcp.example.org"],
  ["postgres", "postgres"],
  ["1password.com", "1password.com"],
  ["3.example", "3.example"],
  ["LOCALHOST", "localhost"],
  ["localhost.", "localhost"],
  ["app.localhost", "localhost"],
  ["127.0.0.1", "localhost"],
  ["::1", "localhost"],
  ["[::1]", "localhost"],
  ["::ffff:127.0.0.1", "localhost"],
  ["[::ffff:127.0.0.1]", "localhost"],
  ["127.0.0.2", "127.0.0.2"],
  ["2001:DB8:0::1", "2001:db8::1"],
  ["::ffff:a9fe:a9fe", "169.254.169.254"],
];

for (const [sent, host] of read)
  test(`${sent} is ${host}`, () => {
    assert.equal(parseRemoteHost(sent), host);
    assert.equal(parseRemoteHost(host), host);
  });

const odd = [
  [
    "",
    ".",
    "..",
    "a..b",
    ".a",
    "a b",
    "a\0b",
    "a\nb",
    "a/b",
    "a@b",
    "user@example.org",
    "a:b",
    "a%2eb",
    "bücher.example",
  ],
  ["-a.example", "a-.example", `${"a".repeat(64)}.example`, `${"a.".repeat(127)}aa`],
  ["0x7f.1", "0x7f000001", "2130706433", "0177.0.0.1", "127.1", "127.0.1", "0x7F.0.0.0x1", "017700000001", "1.2.3.4.5"],
  [
    "256.0.0.1",
    "127.0.0.1.",
    "0x.",
    "example.123",
    "example.0x1",
    "[127.0.0.1]",
    "[::1",
    "::1]",
    "[[::1]]",
    "fe80::1%lo",
  ],
].flat();

for (const sent of odd)
  test(`${JSON.stringify(sent.slice(0, 40))} is no host`, () => assert.equal(parseRemoteHost(sent), null));

test("the control: resolvers read most of those spellings as 127.0.0.1", async () => {
  for (const sent of ["0x7f.1", "2130706433", "0177.0.0.1", "127.1"])
    assert.equal((await lookup(sent, { family: 4 })).address, "127.0.0.1");
});

test("whatever is sent, a name that comes out is the one that policy reads, and no URL takes it for an address", () => {
  const part = fc.oneof(
    fc.string({ maxLength: 8 }),
    fc.constantFrom("0x7f", "1", "127", "a", "xn--a", "0x", "08", "-"),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 5 }), fc.constantFrom("", "."), (parts, end) => {
      const host = parseRemoteHost(parts.join(".") + end);
      if (host === null || isIP(host) !== 0) return;
      const shown = URL.parse(`http://${host}/`);
      if (shown !== null) assert.equal(shown.hostname, host); // an invalid punycode label is a name for resolvers only
      const judged = parseOneHost(host)?.host;
      if (judged?.kind === "name") assert.equal(judged.name, host);
      else assert.ok(judged === undefined || judged.kind === "localhost");
    }),
    { numRuns: runs(3000) },
  );
});
