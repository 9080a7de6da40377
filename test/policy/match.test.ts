import assert from "node:assert/strict";
import test from "node:test";
import fc from "../fixtures/fast-check.ts";
import type { Effect } from "../../src/action/effect.ts";
import { matchesRule } from "../../src/policy/match.ts";
import type { RuleText } from "../../src/policy/rule.ts";
import { coversPath, matchesGlob, pathNames } from "../../src/shared/glob.ts";
import { ancestorsOf } from "../../src/shared/path.ts";
import { rule, run, someEffect, somePath, someRule } from "../fixtures/rules.ts";
import { runs } from "../fixtures/runs.ts";

type Case = readonly [text: Omit<RuleText, "decide">, effect: Effect, yes: boolean, no: boolean];

const destroy = (...argv: (string | null)[]): Effect => ({ kind: "destroy", what: "files", argv });
const read = (path: string): Effect => ({ kind: "read", path });
const network = (host: string): Effect => ({ kind: "network", host });
const push = (branch: string | null): Effect => ({ kind: "push", target: "origin", branch, by: "tool" });

const table: readonly Case[] = [
  // The words, and what they leave open.
  [{ effect: "run" }, run(["git", "push"]), true, true],
  [{ effect: "run", argv: ["git", "push"] }, run(["git", "push"]), true, true],
  [{ effect: "run", argv: ["git", "push"] }, run(["git", "pull"]), false, false],
  [{ effect: "run", argv: ["git", "push"] }, run(["git", null]), false, true],
  [{ effect: "run", argv: ["git", "**"] }, run(["git", null]), true, true],
  [{ effect: "run", argv: ["git", "push"] }, run([null, null], null), false, true],
  // git's own options are no part of what is forbidden, and a part of what is allowed.
  [{ effect: "run", argv: ["git", "push", "**"] }, run(["git", "-C", "x", "push"]), false, true],
  [{ effect: "run", argv: ["git", "log"] }, run(["git", "-c", "core.pager=x", "log"]), false, true],
  [{ effect: "run", argv: ["git", "log"] }, run(["git", "-c", null, "log"]), false, true],
  // Which file it is.
  [{ effect: "run", program: "git" }, run(["git"]), true, true],
  [{ effect: "run", program: "git" }, run(["git"], "/tmp/git"), false, true],
  [{ effect: "run", program: "git" }, run(["/tmp/git"], "/usr/bin/git"), false, true],
  [{ effect: "run", program: "git" }, run(["git"], "git"), false, true],
  [{ effect: "run", program: "git" }, run(["git"], null), false, true],
  [{ effect: "run", argv: ["git"] }, run(["git"], "/tmp/git"), false, true],
  [{ effect: "run", argv: ["/usr/bin/git"] }, run(["/usr/bin/git"]), true, true],
  [{ effect: "run", argv: ["/usr/bin/git"] }, run(["git"], "/usr/bin/git"), true, true],
  [{ effect: "run", argv: ["/usr/bin/git"] }, run(["/tmp/git"], "/tmp/git"), false, true],
  [{ effect: "run", argv: ["/usr/bin/busybox", "**"] }, run(["rm", "x"], "/usr/bin/busybox"), false, true],
  [{ effect: "run", argv: ["git", "push", "**"] }, run(["./link", "-C", "x", "push"], "/usr/bin/git"), false, true],
  [{ effect: "run", argv: ["/opt/tool"] }, run(["/opt/tool"], "/opt/tool"), true, true],
  [{ effect: "run", argv: ["./tool"] }, run(["./tool"], "/opt/tool"), false, true],
  [{ effect: "run", program: "/opt/**" }, run(["tool"], "/opt/bin/tool"), true, true],
  [{ effect: "run", program: "/opt" }, run(["tool"], "/opt/bin/tool"), true, true],
  [{ effect: "run", program: "/opt" }, run(["tool"], "/opt2/tool"), false, false],
  [{ effect: "run", program: "/opt" }, run(["tool"], "tool"), false, true],
  [{ effect: "run", program: "/usr/bin/git" }, run([null], null), false, true],
  // Effects that name no program of their own.
  [{ effect: "destroy", argv: ["rm", "-r", "x"] }, destroy("rm", "-r", "x"), true, true],
  [{ effect: "destroy", argv: ["rm", "-r", "x"] }, destroy("/usr/bin/rm", "-r", "x"), true, true],
  [{ effect: "destroy", argv: ["rm", "-r", "x"] }, destroy("/tmp/rm", "-r", "x"), false, true],
  [{ effect: "destroy", argv: ["rm", "-r", "x"] }, destroy("./rm", "-r", "x"), false, true],
  [{ effect: "destroy", program: "/usr/bin/rm" }, destroy("rm", "x"), false, true],
  [{ effect: "destroy", program: "rm" }, destroy("rm", "x"), true, true],
  [{ effect: "destroy", what: "git" }, destroy("rm", "x"), false, false],
  [{ effect: "destroy", what: "files" }, destroy("rm", "x"), true, true],
  [{ effect: "privilege" }, destroy("rm", "x"), false, false],
  // Paths, with what lies below them.
  [{ effect: "read", path: "/a/b" }, read("/a/b"), true, true],
  [{ effect: "read", path: "/a/b" }, read("/a/b/c/d"), true, true],
  [{ effect: "read", path: "/a/b" }, read("/a/bc"), false, false],
  [{ effect: "read", path: "/a/b" }, read("/a"), false, false],
  [{ effect: "read", path: "/a/b/" }, read("/a/b/c"), true, true],
  [{ effect: "read", path: "/a" }, { kind: "write", path: "/a" }, false, false],
  [{ effect: "read", path: "/*/.env" }, read("/a/.env"), true, true],
  [{ effect: "read", path: "/**/.env" }, read("/a/b/.env/x"), true, true],
  [{ effect: "read", path: "/" }, read("/"), true, true],
  [{ effect: "read", path: "/" }, read("/a"), true, true],
  [{ effect: "read", path: "/a\\*" }, read("/a*"), true, true],
  [{ effect: "read", path: "/a\\*" }, read("/ab"), false, false],
  // Hosts.
  [{ effect: "network", host: "example.com" }, network("EXAMPLE.com"), true, true],
  [{ effect: "network", host: "example.com" }, network("example.com."), true, true],
  [{ effect: "network", host: "example.com" }, network("example.com:443"), true, true],
  [{ effect: "network", host: "example.com:443" }, network("example.com:80"), false, false],
  [{ effect: "network", host: "example.com:443" }, network("example.com"), false, true],
  [{ effect: "network", host: "example.com" }, network("notexample.com"), false, false],
  [{ effect: "network", host: "*.example.com" }, network("a.example.com"), true, true],
  [{ effect: "network", host: "*.example.com" }, network("b.a.example.com"), false, false],
  [{ effect: "network", host: "*.example.com" }, network("example.com"), false, false],
  [{ effect: "network", host: "**.example.com" }, network("b.a.example.com:443"), true, true],
  [{ effect: "network", host: "example.com" }, network("*"), false, true],
  [{ effect: "network", host: "example.com" }, network("0x7f.1"), false, true],
  [{ effect: "network", host: "BÜCHER.example" }, network("xn--bcher-kva.example:443"), true, true],
  [{ effect: "network", host: "[2001:DB8::1]:443" }, network("[2001:db8:0::1]:443"), true, true],
  [{ effect: "network", host: "[2001:db8::1]:443" }, network("[2001:db8::1]:80"), false, false],
  [{ effect: "network", host: "2001:db8::1" }, network("[2001:db8::1]:80"), true, true],
  [{ effect: "network", host: "[2001:db8::1]:443" }, network("2001:db8::1"), false, true],
  [{ effect: "network", host: "127.0.0.1" }, network("[::ffff:127.0.0.1]:80"), true, true],
  [{ effect: "network", host: "localhost" }, network("127.0.0.1:80"), true, true],
  [{ effect: "network", host: "10.0.0.0/8:443" }, network("10.1.2.3:443"), true, true],
  [{ effect: "network", host: "10.0.0.0/8:443" }, network("11.1.2.3:443"), false, false],
  [{ effect: "network", host: "*" }, network("*"), true, true],
  // Pushes and pulls.
  [{ effect: "push", branch: "main" }, push("main"), true, true],
  [{ effect: "push", branch: "main" }, push(null), false, true],
  [{ effect: "push", branch: "release/*" }, push("release/1"), true, true],
  [{ effect: "push", target: "other" }, push("main"), false, false],
  [{ effect: "pull", target: "https://*" }, { kind: "pull", source: "https://example.com/x" }, true, true],
  // A place with a file of it, and a place whose name only looks like that.
  [{ effect: "pull", target: "/w/repo: .env" }, { kind: "pull", source: "/w/repo", file: ".env" }, true, true],
  [{ effect: "pull", target: "/w/repo: .env" }, { kind: "pull", source: "/w/repo: .env" }, false, true],
  [{ effect: "pull", target: '"/w/repo: .env"' }, { kind: "pull", source: "/w/repo: .env" }, true, true],
  [{ effect: "pull", target: '"/w/repo: .env"' }, { kind: "pull", source: "/w/repo", file: ".env" }, false, false],
  [{ effect: "pull", target: "/w/repo: a: b" }, { kind: "pull", source: "/w/repo: a", file: "b" }, false, true],
  [{ effect: "pull", target: "/w/*" }, { kind: "pull", source: "/w/repo", file: ".env" }, false, true],
  [{ effect: "pull", target: "/w/*: .env" }, { kind: "pull", source: "/w/repo", file: ".env" }, true, true],
  [{ effect: "pull" }, { kind: "pull", source: "/w/repo", file: ".env" }, true, true],
  [{ effect: "tool", tool: "git_*" }, { kind: "tool", tool: "git_push" }, true, true],
];

for (const [text, effect, yes, no] of table) {
  test(`${JSON.stringify(text)} and ${JSON.stringify(effect)}: ${yes ? "allowed" : "not allowed"}, ${no ? "denied" : "not denied"}`, () => {
    assert.equal(matchesRule(rule({ ...text, decide: "allow" }), effect), yes);
    assert.equal(matchesRule(rule({ ...text, decide: "deny" }), effect), no);
    assert.equal(matchesRule(rule({ ...text, decide: "ask" }), effect), no);
  });
}

test("what a rule allows, the same rule would deny", () => {
  fc.assert(
    fc.property(someRule, someEffect, ({ text }, effect) => {
      if (matchesRule(rule({ ...text, decide: "allow" }), effect))
        assert.ok(matchesRule(rule({ ...text, decide: "deny" }), effect));
    }),
    { numRuns: runs(3_000) },
  );
});

test("a yes never takes an unknown word but by **", () => {
  fc.assert(
    fc.property(someRule, someEffect, ({ text }, effect) => {
      const isUnknown = "argv" in effect && effect.argv.includes(null);
      if (!isUnknown || text.argv === undefined || text.argv.includes("**")) return;
      assert.equal(matchesRule(rule({ ...text, decide: "allow" }), effect), false);
    }),
    { numRuns: runs(3_000) },
  );
});

test("a path is covered by what matches it or something above it", () => {
  fc.assert(
    fc.property(someRule, somePath, (one, path) => {
      const glob = one.path;
      if (glob === null || path === "/") return;
      const byHand = ancestorsOf(path).some((above) => matchesGlob(glob, above.slice(1)));
      assert.equal(coversPath(glob, pathNames(path)), byHand);
    }),
    { numRuns: runs(5_000) },
  );
});
