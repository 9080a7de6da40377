import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  commonHostGrants,
  grantForHost,
  type HostGrant,
  opensPrivate,
  parseHostGrant,
  type WrittenHostGrant,
} from "../../src/policy/host-grant.ts";
import { hostSetNames, hostSetOf, hostSets } from "../../src/policy/host-sets.ts";
import { parseNetGrants, type WrittenNetGrant } from "../../src/policy/net-grants.ts";
import fc from "../fixtures/fast-check.ts";
import { runs } from "../fixtures/runs.ts";

function grants(...written: readonly WrittenNetGrant[]): readonly HostGrant[] {
  const parsed = parseNetGrants(written);
  assert.ok(parsed.ok, parsed.ok ? "" : parsed.failure.message);
  return parsed.value.hosts;
}

function problem(written: string | WrittenHostGrant): string {
  const parsed = parseHostGrant(written);
  assert.ok(!parsed.ok, JSON.stringify(written));
  return `${parsed.failure.message} | ${parsed.failure.hint}`;
}

describe("a host grant", () => {
  const texts: readonly (readonly [written: string, text: string])[] = [
    ["example.org", "example.org:443"],
    ["Example.ORG.", "example.org:443"],
    ["example.org:8080", "example.org:8080"],
    ["example.org:*", "example.org:*"],
    ["*.example.org", "*.example.org:443"],
    ["**.example.org:80", "**.example.org:80"],
    ["bücher.example", "xn--bcher-kva.example:443"],
    ["db_1:5432", "db_1:5432"],
    ["localhost:5432", "localhost:5432"],
    ["LOCALHOST.:5432", "localhost:5432"],
    ["127.0.0.1:5432", "localhost:5432"],
    ["[::1]:5432", "localhost:5432"],
    ["[::ffff:127.0.0.1]:5432", "localhost:5432"],
    ["10.1.2.3:8080", "10.1.2.3:8080"],
    ["10.1.0.0/16", "10.1.0.0/16:443"],
    ["10.1.0.0/16:*", "10.1.0.0/16:*"],
    ["[2001:DB8:0::1]", "[2001:db8::1]:443"],
    ["[2001:db8::]/32:22", "[2001:db8::]/32:22"],
    ["[::ffff:10.0.0.1]:443", "10.0.0.1:443"],
  ];

  it("has one text for all spellings", () => {
    for (const [written, text] of texts) {
      const parsed = parseHostGrant(written);
      assert.deepEqual(parsed.ok ? parsed.value.map((grant) => grant.text) : parsed.failure.message, [text], written);
      const again = parseHostGrant(text);
      assert.deepEqual(again.ok && again.value, parsed.ok && parsed.value);
    }
  });

  const wrong: readonly (readonly [written: string | WrittenHostGrant, problem: RegExp])[] = [
    ["", /^host: "" is not a host/],
    ["a b", /^host: "a b" is not a host/],
    ["https://example.org", /is a URL, not a host \| Write the host and the port alone/],
    ["example.org/path", /is not a host/],
    ["user@example.org", /is not a host/],
    ["exam%70le.org", /is not a host/],
    ["example..org", /is not a host/],
    ["*", /is not a host/],
    ["a.*.org", /is not a host/],
    ["*.localhost", /nothing is below localhost/],
    ["*.10.0.0.1", /nothing is below 10\.0\.0\.1/],
    [`${"a".repeat(64)}.org`, /is not a host/],
    [`${"a.".repeat(127)}org`, /is not a host/],
    ["example.org:0", /0 is not a port/],
    ["example.org:65536", /65536 is not a port/],
    ["example.org:0443", /0443 is not a port/],
    ["2130706433", /odd spelling of 127\.0\.0\.1 \| Write 127\.0\.0\.1 if you mean it/],
    ["0x7f000001:80", /odd spelling of 127\.0\.0\.1/],
    ["0177.0.0.1", /odd spelling of 127\.0\.0\.1/],
    ["127.1", /odd spelling of 127\.0\.0\.1/],
    ["１０.0.0.1", /odd spelling of 10\.0\.0\.1/],
    ["10.0.0.300", /is not a host/],
    ["10.0.0.0/7:443", /8 to 32 bits/],
    ["10.0.0.0/33", /8 to 32 bits/],
    ["10.1.0.1/16", /does not begin at 10\.1\.0\.1/],
    ["example.org/16", /example\.org is not an IP address/],
    ["2001:db8::1", /could end with a port \| Write \[2001:db8::1\]/],
    ["[fe80::1%eth0]:443", /is not a host/],
    [{ host: "example.org:80", port: 80 }, /^port: is written twice/],
    [{ host: "npm", port: 80 }, /^port: the set npm has ports of its own/],
    [{ host: "example.org", methods: ["GET"] }, /^methods: .*opens \| Add open: true/],
    [{ host: "example.org", cache: true }, /^cache: /],
    [{ host: "example.org", open: true, methods: [] }, /^methods: is empty/],
    [{ host: "example.org", open: true, methods: ["get"] }, /^methods: "get" is not a method/],
    [{ host: "example.org", open: true, methods: ["CONNECT"] }, /^methods: "CONNECT" is not a method/],
    [{ host: "example.org", open: true, paths: ["api"] }, /^paths: "api" is not a path/],
    [{ host: "example.org", open: true, credential: {} }, /^credential: needs either env or file/],
    [{ host: "example.org", open: true, credential: { env: "A", file: "/a" } }, /^credential: needs either/],
    [{ host: "example.org", open: true, credential: { env: "a b" } }, /^credential: "a b" is not the name/],
    [{ host: "example.org", open: true, credential: { file: "key" } }, /^credential: "key" is not an absolute path/],
    [{ host: "example.org", open: true, credential: { env: "A", header: "Host" } }, /^credential: "Host" cannot/],
    [{ host: "*.example.org", open: true, credential: { env: "A" } }, /^credential: is for one host/],
    [{ host: "npm", open: true, credential: { env: "A" } }, /^credential: is for one host/],
    [{ host: "10.0.0.1", open: true }, /^open: an address has no certificate/],
  ];

  it("says what is wrong with it", () => {
    for (const [written, expected] of wrong) assert.match(problem(written), expected, JSON.stringify(written));
  });

  it("is for reading if it has a credential, unless its methods are written", () => {
    const credential = { env: "TOKEN" };
    const open = (more: Partial<WrittenHostGrant>) => grants({ host: "api.example.org", open: true, ...more })[0]?.open;
    assert.deepEqual(open({ credential }), {
      methods: ["GET", "HEAD"],
      paths: null,
      credential: { from: { kind: "env", name: "TOKEN" }, header: "Authorization", scheme: "Bearer" },
      cache: false,
      requests: null,
    });
    assert.equal(open({ credential, requests: 7 })?.requests, 7);
    assert.deepEqual(open({ credential, methods: ["POST"] })?.methods, ["POST"]);
    assert.equal(open({})?.methods, null);
    assert.equal(open({ credential: { file: "/key", header: "X-Token" } })?.credential?.scheme, "");
  });

  it("with the name of a set grants each of its hosts, and no other", () => {
    for (const name of hostSetNames) {
      const granted = grants(name);
      assert.equal(granted.length, hostSets[name].hosts.length);
      for (const host of hostSets[name].hosts) {
        assert.equal(hostSetOf(host), name);
        const [one = "", port = ""] = host.split(":");
        assert.equal(grantForHost(granted, one, Number(port))?.text, name);
        assert.equal(grantForHost(granted, `evil-${one}`, Number(port)), undefined);
        assert.equal(grantForHost(granted, one, 22), undefined);
      }
    }
    assert.equal(grants("npm:443")[0]?.text, "npm:443");
  });

  it("opens private addresses only where it names them, or says so", () => {
    const opened = (written: WrittenNetGrant) => grants(written).map(opensPrivate);
    assert.deepEqual(opened("git.corp"), [false]);
    assert.deepEqual(opened("*.corp"), [false]);
    assert.deepEqual(opened({ host: "git.corp", private: true }), [true]);
    assert.deepEqual(opened("10.0.0.1"), [true]);
    assert.deepEqual(opened("localhost:80"), [true]);
  });
});

describe("the grant for a host", () => {
  const list = grants(
    "example.org",
    "*.example.org:8443",
    "**.example.net:*",
    "localhost:5432",
    "10.1.0.0/16:443",
    "[2001:db8::]/32:443",
  );
  const found: readonly (readonly [host: string, port: number, text: string | null])[] = [
    ["example.org", 443, "example.org:443"],
    ["EXAMPLE.org.", 443, "example.org:443"],
    ["example.org", 80, null],
    ["a.example.org", 8443, "*.example.org:8443"],
    ["b.a.example.org", 8443, null],
    ["example.org", 8443, null],
    ["notexample.org", 443, null],
    ["b.a.example.net", 1, "**.example.net:*"],
    ["example.net", 1, null],
    ["localhost", 5432, "localhost:5432"],
    ["127.0.0.1", 5432, "localhost:5432"],
    ["::1", 5432, "localhost:5432"],
    ["127.0.0.2", 5432, null],
    ["localhost", 5433, null],
    ["10.1.2.3", 443, "10.1.0.0/16:443"],
    ["::ffff:10.1.2.3", 443, "10.1.0.0/16:443"],
    ["10.2.0.1", 443, null],
    ["0x0a010203", 443, null],
    ["2001:DB8:1::1", 443, "[2001:db8::]/32:443"],
    ["*.example.org", 8443, null],
    ["*", 443, null],
    ["", 443, null],
  ];

  it("is found by host and port, in every spelling", () => {
    for (const [host, port, text] of found) assert.equal(grantForHost(list, host, port)?.text ?? null, text, host);
  });

  it("is the most exact one, in any order", () => {
    const written: readonly WrittenNetGrant[] = [
      "**.corp:*",
      { host: "*.corp", private: true },
      { host: "api.corp", open: true, methods: ["GET"] },
      "github",
      { host: "github.com", open: true },
    ];
    for (const one of [grants(...written), grants(...written.toReversed())]) {
      assert.equal(grantForHost(one, "git.corp", 443)?.isPrivate, true);
      assert.equal(grantForHost(one, "git.corp", 80)?.isPrivate, false);
      assert.deepEqual(grantForHost(one, "api.corp", 443)?.open?.methods, ["GET"]);
      assert.equal(grantForHost(one, "api.corp", 443)?.isPrivate, false);
      assert.notEqual(grantForHost(one, "github.com", 443)?.open, null);
    }
  });
});

const host = fc.constantFrom(
  ..."example.org a.example.org b.a.example.org *.example.org **.example.org **.org *.a.example.org localhost".split(
    " ",
  ),
  ..."10.1.2.3 10.1.0.0/16 10.0.0.0/8 127.0.0.0/8".split(" "),
);
const port = fc.constantFrom(443, 80, "*" as const);
const written = fc.record({ host, port, private: fc.boolean(), open: fc.boolean() }).map((one) => {
  const isRange = /^[\d./]+$/.test(one.host);
  return { ...one, open: one.open && !isRange };
});
const list = fc.array(written, { maxLength: 5 }).map((all) =>
  all.flatMap((one) => {
    const parsed = parseHostGrant(one);
    return parsed.ok ? parsed.value : [];
  }),
);
const reached = fc.constantFrom(
  "example.org",
  "a.example.org",
  "b.a.example.org",
  "x.org",
  "localhost",
  "10.1.2.3",
  "10.9.9.9",
  "127.0.0.9",
);

describe("what two lists of grants have in common", () => {
  it("is exactly what both grant, as the parent grants it", () => {
    fc.assert(
      fc.property(list, list, reached, fc.constantFrom(443, 80, 22), (parent, narrower, host, port) => {
        const common = grantForHost(commonHostGrants(parent, narrower), host, port);
        const [ours, theirs] = [grantForHost(parent, host, port), grantForHost(narrower, host, port)];
        assert.equal(common !== undefined, ours !== undefined && theirs !== undefined);
        if (common === undefined) return;
        assert.equal(common.isPrivate, ours?.isPrivate);
        assert.equal(common.open, ours?.open);
        if (opensPrivate(common)) assert.ok(ours !== undefined && opensPrivate(ours));
      }),
      { numRuns: runs(20_000) },
    );
  });
});

describe("net_grants", () => {
  const error = (...entries: readonly WrittenNetGrant[]) => {
    const parsed = parseNetGrants(entries);
    return parsed.ok ? null : parsed.failure.message;
  };

  it("are nothing, everything, hosts, or a question about each host", () => {
    assert.deepEqual(parseNetGrants([]), { ok: true, value: { isWhole: false, isAsked: false, hosts: [] } });
    assert.deepEqual(parseNetGrants(["*"]), { ok: true, value: { isWhole: true, isAsked: false, hosts: [] } });
    assert.deepEqual(parseNetGrants(["ask"]), { ok: true, value: { isWhole: false, isAsked: true, hosts: [] } });
  });

  it("name the entry that is wrong", () => {
    assert.match(error("example.org", "a b") ?? "", /^\[1\]\.host: "a b" is not a host/);
    assert.match(error("*", "example.org") ?? "", /^\[0\]: "\*" is the whole network/);
    assert.match(
      error({ host: "a.org", open: true }, { host: "A.org", private: true }) ?? "",
      /^\[1\]\.host: .* already/,
    );
    assert.equal(error("a.org", "A.ORG:443"), null);
  });
});
