import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "../fixtures/fast-check.ts";
import {
  allowsWholeNetwork,
  allowsTool,
  type Capability,
  createCapability,
  derive,
  type FsGrant,
  fsGrantFor,
  hideMatches,
  hostGrantFor,
  isHidden,
  mayReachHosts,
  type NarrowerCapability,
  noCapability,
} from "../../src/policy/capability.ts";
import { netGrantsOf } from "../../src/policy/net-grants.ts";
import { defaultRunLimits } from "../../src/shared/run-limits.ts";
import { runs } from "../fixtures/runs.ts";

function grant(path: string, mode: "r" | "rw", hide: readonly string[] = []): FsGrant {
  return { path, mode, hide };
}

function capability(...fsGrants: FsGrant[]): Capability {
  return createCapability({ toolGrants: [], fsGrants, netGrants: [], limits: defaultRunLimits });
}

describe("a capability", () => {
  it("grants nothing when it is missing or empty", () => {
    for (const none of [undefined, noCapability]) {
      assert.equal(allowsTool(none, "Exec"), false);
      assert.equal(fsGrantFor(none, "/", "r"), undefined);
      assert.equal(allowsWholeNetwork(none), false);
    }
  });

  it("grants tools by name and star", () => {
    const held = { ...noCapability, toolGrants: ["Git", "git_*", "*_file"] };
    for (const tool of ["Git", "git_push", "read_file"]) assert.ok(allowsTool(held, tool), tool);
    for (const tool of ["Exec", "git", "Gits", "list_files", ""]) assert.ok(!allowsTool(held, tool), tool);
  });

  it("grants the network only for the star", () => {
    const held = (...netGrants: string[]) => createCapability({ ...noCapability, netGrants });
    assert.equal(allowsWholeNetwork(held("*")), true);
    assert.equal(mayReachHosts(held("*")), false);
    assert.equal(allowsWholeNetwork(held("example.com", "*.example.com")), false);
    assert.equal(mayReachHosts(held("example.com")), true);
    assert.equal(mayReachHosts(held("ask")), true);
    assert.equal(mayReachHosts(noCapability), false);
    assert.throws(() => held("a b"), /net_grants\[0\]\.host: "a b" is not a host/);
  });

  it("grants a host with its port", () => {
    const held = createCapability({ ...noCapability, netGrants: ["example.com", "any.example:*"] });
    assert.equal(hostGrantFor(held, "Example.com.:443")?.text, "example.com:443");
    assert.equal(hostGrantFor(held, "any.example")?.text, "any.example:*");
    for (const host of ["example.com", "example.com:80", "*", "x.example.com:443"])
      assert.equal(hostGrantFor(held, host), undefined, host);
  });

  it("covers paths by whole components", () => {
    const held = capability(grant("/a/b", "r"));
    assert.equal(fsGrantFor(held, "/a/b", "r")?.path, "/a/b");
    assert.equal(fsGrantFor(held, "/a/b/c", "r")?.path, "/a/b");
    for (const path of [
      "/a",
      "/a/bc",
      "/a/b.x",
      "/",
      "/b",
      "a/b",
      "",
      "/a/b/../c",
      "/a/b/..",
      "/a//b",
      "/a/b/",
      "/a/./b",
    ]) {
      assert.equal(fsGrantFor(held, path, "r"), undefined, path);
    }
  });

  it("lets the most specific grant decide", () => {
    const held = capability(grant("/p", "rw"), grant("/p/fixed", "r"), grant("/p/fixed/out", "rw"));
    assert.equal(fsGrantFor(held, "/p/x", "rw")?.path, "/p");
    assert.equal(fsGrantFor(held, "/p/fixed/x", "rw"), undefined);
    assert.equal(fsGrantFor(held, "/p/fixed/x", "r")?.path, "/p/fixed");
    assert.equal(fsGrantFor(held, "/p/fixed/out/x", "rw")?.path, "/p/fixed/out");
    assert.equal(fsGrantFor(capability(grant("/", "r")), "/x", "r")?.path, "/");
  });

  it("takes the stricter of two grants on one path, and what both hide", () => {
    const both = [grant("/p", "rw", ["a"]), grant("/p", "r", ["b"])];
    for (const held of [capability(...both), capability(...both.toReversed())]) {
      assert.deepEqual(held.fsGrants, [grant("/p", "r", ["a", "b"])]);
    }
    for (const fsGrants of [both, both.toReversed()])
      assert.equal(fsGrantFor({ ...noCapability, fsGrants }, "/p/x", "rw"), undefined);
  });

  it("keeps hidden what an outer grant hides", () => {
    const held = capability(
      grant("/p", "r", [".env*", "keys/*.pem", "/top"]),
      grant("/p/keys", "rw", ["x"]),
      grant("/p/.env.d/open", "r"),
    );
    assert.deepEqual(held.fsGrants, [
      grant("/p", "r", [".env*", "/top", "keys/*.pem"]),
      grant("/p/keys", "rw", [".env*", "/*.pem", "x"]),
    ]);
    assert.equal(fsGrantFor(held, "/p/keys/a.pem", "r"), undefined);
    assert.equal(fsGrantFor(held, "/p/keys/sub/a.pem", "r")?.path, "/p/keys");
    assert.equal(fsGrantFor(held, "/p/keys/.env/deep", "r"), undefined);
    assert.equal(fsGrantFor(held, "/p/.env.d/open/x", "r"), undefined);
    assert.ok(isHidden(held, "/p/top/x"));
    assert.ok(!isHidden(held, "/p/a/top"));
  });

  it("cannot be made with a path that is not plain", () => {
    for (const path of ["a", "", "/a/../b", "/a/", "//a", "/a/./b"]) {
      assert.throws(() => capability(grant(path, "r")), TypeError, path);
      assert.throws(() => derive(capability(grant("/a", "r")), { fsGrants: [grant(path, "r")] }), TypeError, path);
    }
  });

  it("is frozen to the bottom", () => {
    const held = capability(grant("/p", "r", ["a"]));
    const [first] = held.fsGrants;
    assert.ok(first);
    assert.throws(() => (held.fsGrants as FsGrant[]).push(grant("/", "rw")), TypeError);
    assert.throws(() => ((first as { mode: string }).mode = "rw"), TypeError);
    assert.throws(() => (first.hide as string[]).pop(), TypeError);
    assert.throws(() => ((held.limits as { nproc: number }).nproc = 1e9), TypeError);
  });
});

describe("hideMatches", () => {
  const held = { hide: [".env*", "*.pem", "build/out", "deep/**/x"] };

  it("hides names at any depth, paths from the grant on, and all that lies below", () => {
    for (const path of [
      ".env",
      "a/.env.local",
      "a.pem",
      "x/y/.env/z",
      "build/out",
      "build/out/a",
      "deep/x",
      "deep/a/b/x/c",
    ]) {
      assert.ok(hideMatches(held, path), path);
    }
    for (const path of ["", "env", "a/build/out", "build", "deep", "deep/xy", ".ENV", "pem"])
      assert.ok(!hideMatches(held, path), path);
  });

  it("hides everything when a pattern cannot be read", () => {
    assert.ok(hideMatches({ hide: ["[broken"] }, "anything"));
    assert.deepEqual(capability(grant("/p", "r", ["[broken"])).fsGrants, [grant("/p", "r", ["*"])]);
  });

  it("sees a list that was changed", () => {
    const hide = ["a"];
    assert.ok(!hideMatches({ hide }, "b"));
    hide.push("b");
    assert.ok(hideMatches({ hide }, "b"));
  });
});

describe("derive", () => {
  const parent = createCapability({
    toolGrants: ["Exec", "git_*"],
    fsGrants: [grant("/p", "rw", ["*.pem", "a/secret"]), grant("/p/fixed", "r"), grant("/usr", "r")],
    netGrants: ["*"],
    limits: { memoryMb: 512, fsizeMb: 64, nofile: 256, nproc: 128, cpuS: null },
  });

  it("keeps what is not mentioned", () => assert.deepEqual(derive(parent, {}), parent));

  it("keeps only tools that the parent covers, and shrinks wider patterns to the parent's", () => {
    assert.deepEqual(derive(parent, { toolGrants: ["git_push", "Bash", "git_p*", "*_file"] }).toolGrants, [
      "git_push",
      "git_p*",
    ]);
    assert.deepEqual(derive(parent, { toolGrants: ["*"] }).toolGrants, ["Exec", "git_*"]);
    assert.deepEqual(derive(parent, { toolGrants: [] }).toolGrants, []);
  });

  it("keeps the parent's mode, hides and nested restrictions", () => {
    const child = derive(parent, {
      fsGrants: [grant("/p/a", "rw", ["x"]), grant("/etc", "r"), grant("/usr/bin", "rw")],
    });
    assert.deepEqual(child.fsGrants, [grant("/p/a", "rw", ["*.pem", "/secret", "x"]), grant("/usr/bin", "r")]);
    const wide = derive(parent, { fsGrants: [grant("/", "rw", [".env"])] });
    assert.deepEqual(wide.fsGrants, [
      grant("/p", "rw", ["*.pem", ".env", "a/secret"]),
      grant("/p/fixed", "r", ["*.pem", ".env"]),
      grant("/usr", "r", [".env"]),
    ]);
    assert.deepEqual(derive(parent, { fsGrants: [grant("/p/a/secret/deep", "r")] }).fsGrants, []);
  });

  it("takes the lower of each limit, and never none", () => {
    const child = derive(parent, {
      limits: { memoryMb: 64, fsizeMb: 9_999, nofile: Number.NaN, nproc: 0.5, cpuS: 7.9 },
    });
    assert.deepEqual(child.limits, { memoryMb: 64, fsizeMb: 64, nofile: 256, nproc: 1, cpuS: 7 });
    assert.equal(derive(child, { limits: { cpuS: null } }).limits.cpuS, 7);
    assert.equal(derive(child, { limits: { cpuS: 100 } }).limits.cpuS, 7);
  });

  it("gives network only where both have it", () => {
    assert.deepEqual(derive(parent, { netGrants: [] }).netGrants, noCapability.netGrants);
    assert.equal(allowsWholeNetwork(derive(parent, { netGrants: ["*"] })), true);
    assert.deepEqual(derive(noCapability, { netGrants: ["*"] }).netGrants, noCapability.netGrants);
    const texts = (netGrants: string[]) => derive(parent, { netGrants }).netGrants.hosts.map(({ text }) => text);
    assert.deepEqual(texts(["example.com", "*.example.org:80"]), ["example.com:443", "*.example.org:80"]);
    const some = createCapability({ ...parent, netGrants: ["*.example.org:80", "npm"] });
    const kept = derive(some, { netGrants: ["a.example.org:*", "registry.npmjs.org", "b.example.com"] }).netGrants
      .hosts;
    assert.deepEqual(
      kept.map(({ text }) => text),
      ["a.example.org:80", "registry.npmjs.org:443"],
    );
  });
});

// Few names, some that only look alike, so that grants meet, nest and nearly meet.
const name = fc.constantFrom("a", "b", "bc", "ab", ".env", "k.pem");
const path = fc.array(name, { maxLength: 4 }).map((names) => `/${names.join("/")}`);
const mode = fc.constantFrom("r" as const, "rw" as const);
const hide = fc.array(fc.constantFrom(".env*", "*.pem", "a/b", "/a", "a/**", "**/bc", "b/**/a", "?", "[bad", "*"), {
  maxLength: 2,
});
const fsGrants = fc.array(fc.record({ path, mode, hide }), { maxLength: 4 });
const toolGrants = fc.array(fc.constantFrom("*", "Exec", "git_*", "git_push", "*_file", "g*_file", "E*"), {
  maxLength: 3,
});
const netGrants = fc.oneof(
  fc.constant(["*"]),
  fc.array(fc.constantFrom("ask", "example.com", "*.example.com", "**.com:*", "a.example.com:80", "localhost:80"), {
    maxLength: 3,
  }),
);
const host = fc.constantFrom("example.com:443", "a.example.com:443", "a.example.com:80", "b.a.com:22", "localhost:80");
const amount = fc.integer({ min: 1, max: 100 });
const runLimits = fc.record({
  memoryMb: amount,
  fsizeMb: amount,
  nofile: amount,
  nproc: amount,
  cpuS: fc.option(amount),
});
const anyParent = fc.record({
  toolGrants,
  fsGrants,
  netGrants: netGrants.map((written) => netGrantsOf(written)),
  netProxy: fc.boolean(),
  limits: runLimits,
  workLimits: runLimits,
});
const anyNarrower: fc.Arbitrary<NarrowerCapability> = fc.record(
  {
    toolGrants,
    fsGrants,
    netGrants,
    limits: fc.record(
      { memoryMb: amount, fsizeMb: amount, nofile: amount, nproc: amount, cpuS: fc.option(amount) },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);
const tool = fc.constantFrom("Exec", "git_push", "git_file", "read_file", "E", "other");

const hostTexts = ({ netGrants }: Capability) => new Set(netGrants.hosts.map(({ text }) => text));

describe("a derived capability", () => {
  it("is never wider than its parent", () => {
    fc.assert(
      // The parent is taken raw as well as made, since anyone can write the object by hand.
      fc.property(
        anyParent,
        fc.boolean(),
        anyNarrower,
        tool,
        path,
        mode,
        host,
        (raw, made, narrower, tool, path, mode, host) => {
          const parent = made ? createCapability(raw) : raw;
          const child = derive(parent, narrower);
          if (allowsTool(child, tool)) assert.ok(allowsTool(parent, tool));
          if (fsGrantFor(child, path, mode) !== undefined) assert.ok(fsGrantFor(parent, path, mode) !== undefined);
          if (allowsWholeNetwork(child)) assert.ok(allowsWholeNetwork(parent));
          if (mayReachHosts(child)) assert.ok(mayReachHosts(parent) || allowsWholeNetwork(parent));
          if (hostGrantFor(child, host) !== undefined)
            assert.ok(allowsWholeNetwork(parent) || hostGrantFor(parent, host) !== undefined);
          const bare = { ...child, fsGrants: child.fsGrants.map((one) => ({ ...one, hide: [] })) };
          const decides = child.fsGrants.find((one) => one.path === fsGrantFor(bare, path, "r")?.path);
          if (decides !== undefined && isHidden(parent, path)) {
            // Hidden by the deciding grant alone: whoever looks at one grant at a time sees no more either.
            assert.ok(hideMatches(decides, path.slice(decides.path === "/" ? 1 : decides.path.length + 1)));
          }
          for (const kind of ["limits", "workLimits"] as const) {
            for (const key of ["memoryMb", "fsizeMb", "nofile", "nproc"] as const)
              assert.ok(child[kind][key] <= parent[kind][key]);
            assert.ok((child[kind].cpuS ?? Infinity) <= (parent[kind].cpuS ?? Infinity));
          }
        },
      ),
      { numRuns: runs(20_000) },
    );
  });

  it("allows every path that both sides allow", () => {
    fc.assert(
      fc.property(anyParent, fsGrants, path, mode, (parent, narrower, path, mode) => {
        const both = [parent.fsGrants, narrower].every(
          (fsGrants) => fsGrantFor({ ...parent, fsGrants }, path, mode) !== undefined,
        );
        assert.equal(fsGrantFor(derive(parent, { fsGrants: narrower }), path, mode) !== undefined, both);
      }),
      { numRuns: runs(20_000) },
    );
  });

  it("does not change when it is narrowed the same way again", () => {
    fc.assert(
      fc.property(anyParent, anyNarrower, (parent, narrower) => {
        const once = derive(parent, narrower);
        const twice = derive(once, narrower);
        assert.deepEqual(twice.fsGrants, once.fsGrants);
        assert.deepEqual(twice.limits, once.limits);
        assert.deepEqual(new Set(twice.toolGrants), new Set(once.toolGrants));
        assert.deepEqual(hostTexts(twice), hostTexts(once));
      }),
      { numRuns: runs(5_000) },
    );
  });
});
