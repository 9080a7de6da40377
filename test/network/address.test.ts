// Which addresses a name may not lead to.

import assert from "node:assert/strict";
import test from "node:test";
import { isRefusedAddress } from "../../src/network/address.ts";
import fc from "../fixtures/fast-check.ts";
import { runs } from "../fixtures/runs.ts";

const refused = [
  ["0.0.0.0", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.254"],
  ["169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.170", "192.88.99.1", "192.168.1.1", "198.18.0.1"],
  ["198.19.255.255", "224.0.0.251", "239.255.255.250", "240.0.0.1", "255.255.255.255"],
  ["::", "::1", "fe80::1", "febf::1", "fec0::1", "fc00::1", "fdff::1", "ff02::fb", "100::1", "64:ff9b:1::1"],
  ["2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:2::1", "2001:20::1", "4000::1"],
  ["::ffff:127.0.0.1", "::FFFF:7f00:1", "0:0:0:0:0:ffff:a9fe:a9fe", "::127.0.0.1", "::ffff:0:127.0.0.1"],
  ["64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::1", "2002:a9fe:a9fe::", "2002:0a01:0203::1"],
  ["", "localhost", "0x7f.1", "2130706433", "127.1", "0177.0.0.1", "8.8.8.8 ", "fe80::1%lo", "2606::1%1", "[::1]"],
].flat();

const passed = [
  ["1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255"],
  ["128.0.0.0", "169.253.255.255", "172.15.255.255", "172.32.0.0", "192.167.255.255", "198.17.255.255"],
  ["198.20.0.0", "203.0.113.80", "223.255.255.255"],
  ["2606:4700::6810:84e5", "2a00:1450:4001::200e", "2400:cb00::1", "2001:4860:4860::8888", "2001:200::1"],
  ["::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "64:ff9b::101:101", "2002:808:808::1"],
].flat();

for (const address of refused)
  test(`${JSON.stringify(address)} is refused`, () => assert.ok(isRefusedAddress(address)));
for (const address of passed) test(`${address} is public`, () => assert.ok(!isRefusedAddress(address)));

test("an IPv4 address is refused in every form in which IPv6 carries it, exactly if it is refused itself", () => {
  const byte = fc.integer({ min: 0, max: 255 });
  const first = fc.oneof(byte, fc.constantFrom(0, 10, 100, 127, 169, 172, 192, 198, 224, 240));
  fc.assert(
    fc.property(first, byte, byte, byte, (a, b, c, d) => {
      const dotted = `${a}.${b}.${c}.${d}`;
      const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
      const forms = [`::ffff:${dotted}`, `::ffff:${hex}`, `64:ff9b::${dotted}`, `64:ff9b::${hex}`, `2002:${hex}::1`];
      const own = isRefusedAddress(dotted);
      for (const form of forms) assert.equal(isRefusedAddress(form), own, form);
      assert.ok(isRefusedAddress(`::${dotted}`), "a form that nothing uses any more");
    }),
    { numRuns: runs(2000) },
  );
});
