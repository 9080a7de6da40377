import assert from "node:assert/strict";
import { BlockList, isIP } from "node:net";
import { it } from "node:test";
import { isInRange, parseIpAddress } from "../../src/shared/ip-address.ts";
import fc from "../fixtures/fast-check.ts";
import { runs } from "../fixtures/runs.ts";

const texts: readonly (readonly [written: string, text: string | null])[] = [
  ["10.0.0.1", "10.0.0.1"],
  ["0.0.0.0", "0.0.0.0"],
  ["255.255.255.255", "255.255.255.255"],
  ["256.0.0.1", null],
  ["010.0.0.1", null],
  ["10.0.1", null],
  ["10.0.0.1.", null],
  ["0x7f.0.0.1", null],
  ["2130706433", null],
  ["", null],
  ["::1", "::1"],
  ["::", "::"],
  ["2001:DB8:0:0:0:0:0:1", "2001:db8::1"],
  ["2001:db8::1:0:0:1", "2001:db8::1:0:0:1"],
  ["::ffff:10.0.0.1", "10.0.0.1"],
  ["::FFFF:0a00:1", "10.0.0.1"],
  ["64:ff9b::10.0.0.1", "64:ff9b::a00:1"],
  ["fe80::1%eth0", null],
  ["1::2::3", null],
  ["12345::", null],
  [":", null],
];

it("an address has one text, and an IPv4 address in an IPv6 one is the IPv4 address", () => {
  for (const [written, text] of texts) assert.equal(parseIpAddress(written)?.text ?? null, text, written);
});

const octet = fc.integer({ min: 0, max: 255 });
const ipv4 = fc.array(octet, { minLength: 4, maxLength: 4 }).map((parts) => parts.join("."));
const group = fc.constantFrom("0", "1", "ffff", "db8", "FE80");
const ipv6 = fc.array(group, { minLength: 8, maxLength: 8 }).map((groups) => groups.join(":"));

it("agrees with node about what an address is and what lies in a range", () => {
  fc.assert(
    fc.property(fc.oneof(ipv4, ipv6), fc.oneof(ipv4, ipv6), fc.integer({ min: 0, max: 128 }), (one, start, prefix) => {
      const [address, range] = [parseIpAddress(one), parseIpAddress(start)];
      assert.ok(address !== null && range !== null);
      assert.equal(isIP(address.text), address.bits === 32 ? 4 : 6);
      assert.equal(parseIpAddress(address.text)?.value, address.value);
      if (prefix > range.bits) return;
      const list = new BlockList();
      list.addSubnet(range.text, prefix, range.bits === 32 ? "ipv4" : "ipv6");
      const isThere = address.bits === range.bits && list.check(address.text, address.bits === 32 ? "ipv4" : "ipv6");
      assert.equal(isInRange(address, range, prefix), isThere);
    }),
    { numRuns: runs(5_000) },
  );
});
