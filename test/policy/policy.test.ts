import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import fc from "../fixtures/fast-check.ts";
import { fsGrantFor, isHidden } from "../../src/policy/capability.ts";
import { type Decision, strictest } from "../../src/policy/decision.ts";
import { judge } from "../../src/policy/evaluate.ts";
import { matchesRule } from "../../src/policy/match.ts";
import { createPolicy, withoutDenied } from "../../src/policy/policy.ts";
import type { Rule, RuleText } from "../../src/policy/rule.ts";
import { configText, makeTestDirectories, openGate, type TestDirectories } from "../fixtures/gate.ts";
import { action, capability, rule, run, someEffect, someRule, someRules } from "../fixtures/rules.ts";
import { bare, exec, ran, refused } from "../fixtures/run.ts";
import { runs } from "../fixtures/runs.ts";

const someDecision = fc.constantFrom<Decision>("allow", "ask", "deny");
const someOtherwise = fc.record({ run: someDecision, read: someDecision, network: someDecision }, { requiredKeys: [] });

test("one rule more never makes a verdict milder, unless it is the only match", () => {
  fc.assert(
    fc.property(someRules, someRule, someEffect, someOtherwise, (rules, more, effect, otherwise) => {
      const before = judge(action(effect), capability, createPolicy({ rules, otherwise }));
      const after = judge(action(effect), capability, createPolicy({ rules: [...rules, more], otherwise }));
      const isOnly = !rules.some((one) => matchesRule(one, effect)) && matchesRule(more, effect);
      if (!isOnly) assert.equal(strictest([before.decision, after.decision]), after.decision);
      else if (after.findings[0]?.by === "rules") assert.equal(after.decision, more.text.decide);
    }),
    { numRuns: runs(3_000) },
  );
});

test("the order of rules says nothing", () => {
  const shuffled = someRules.chain((rules) =>
    fc.tuple(fc.constant(rules), fc.shuffledSubarray(rules, { minLength: rules.length })),
  );
  fc.assert(
    fc.property(shuffled, someEffect, ([rules, others], effect) => {
      assert.deepEqual(
        judge(action(effect), capability, createPolicy({ rules })),
        judge(action(effect), capability, createPolicy({ rules: others })),
      );
    }),
    { numRuns: runs(1_000) },
  );
});

test("with the index or without it, the verdict is the same", () => {
  const naive = (rules: readonly Rule[]) => {
    const policy = createPolicy({ rules });
    return { ...policy, index: { rules, candidates: () => rules } as unknown as typeof policy.index };
  };
  fc.assert(
    fc.property(someRules, fc.array(someEffect, { minLength: 1, maxLength: 4 }), (rules, effects) => {
      assert.deepEqual(
        judge(action(...effects), capability, createPolicy({ rules })),
        judge(action(...effects), capability, naive(rules)),
      );
    }),
    { numRuns: runs(2_000) },
  );
});

test("a rule that cannot be tried denies, and says so", () => {
  const whole = rule({ decide: "allow", effect: "run", argv: ["git", "**"] });
  const broken = Object.defineProperty({ ...whole }, "argv", {
    get() {
      throw new Error("broken");
    },
  });
  for (const policy of [createPolicy({ rules: [broken] }), createPolicy({ rules: [whole, broken] })]) {
    const verdict = judge(action(run(["git", "log"])), capability, policy);
    assert.equal(verdict.decision, "deny");
    assert.match(verdict.findings[0]?.because ?? "", /could not be tried.*broken/);
  }
  assert.equal(judge(action(run(["git", "log"])), capability, createPolicy({ rules: [whole] })).decision, "allow");
});

test("a written otherwise holds where no rule matches, and only there", () => {
  const policy = createPolicy({
    rules: [rule({ decide: "allow", effect: "run", program: "git" })],
    otherwise: { run: "deny", destroy: "ask" },
  });
  assert.equal(judge(action(run(["git"])), capability, policy).decision, "allow");
  assert.equal(judge(action(run(["ls"])), capability, policy).decision, "deny");
  assert.equal(judge(action({ kind: "destroy", what: "files", argv: ["rm"] }), capability, policy).decision, "ask");
  assert.equal(judge(action({ kind: "privilege", argv: ["sudo"] }), capability, policy).decision, "deny");
});

test("what no rule opens: a tool that is not granted, hidden files, the gate's own places, a script's push", () => {
  const all: RuleText[] = (["tool", "run", "read", "write", "push"] as const).map((effect) => ({
    decide: "allow",
    effect,
  }));
  const policy = createPolicy({ rules: all.map(rule), sealed: ["/home/x/.config/sallyport", "/var/state"] });
  const verdict = (effect: Parameters<typeof action>[0]) => judge(action(effect), capability, policy).decision;
  for (const path of [
    "/var/state",
    "/var/state/journal.sqlite",
    "/var",
    "/",
    "/home/x",
    "/job/.env",
    "/job/.env/x",
    "/proc/1/environ",
    "/dev/sda",
  ]) {
    assert.equal(verdict({ kind: "read", path }), "deny", path);
    assert.equal(verdict({ kind: "write", path }), "deny", path);
  }
  assert.equal(verdict({ kind: "tool", tool: "Shell" }), "deny");
  assert.equal(verdict(run(["x"], "/var/state/x")), "deny");
  assert.equal(verdict({ kind: "push", target: "origin", branch: "main", by: "command" }), "deny");
  // The control: the same rules do open what may be opened.
  assert.equal(verdict({ kind: "read", path: "/home/y" }), "allow");
  assert.equal(verdict({ kind: "push", target: "origin", branch: "main", by: "tool" }), "allow");
});

test("what rules deny is not granted: hidden, or read-only", () => {
  const grants = createPolicy({ rules: [] }) && {
    ...capability,
    fsGrants: [
      { path: "/a", mode: "rw" as const, hide: [] },
      { path: "/a/b/c", mode: "rw" as const, hide: [] },
      { path: "/z", mode: "rw" as const, hide: [] },
    ],
  };
  const narrowed = (...texts: Omit<RuleText, "decide">[]) =>
    withoutDenied(grants, createPolicy({ rules: texts.map((text) => rule({ ...text, decide: "deny" })) }));
  const hidden = narrowed({ effect: "read", path: "/a/b" }, { effect: "read", path: "/**/*.pem" });
  assert.ok(isHidden(hidden, "/a/b"));
  assert.equal(fsGrantFor(hidden, "/a/b/c/x", "r"), undefined);
  assert.equal(fsGrantFor(hidden, "/z/deep/key.pem", "r"), undefined);
  assert.notEqual(fsGrantFor(hidden, "/z/deep/key", "rw"), undefined);
  // A directory inside the denied one has a grant of its own: that is read-only as well.
  const locked = narrowed({ effect: "write", path: "/a/b/" });
  for (const path of ["/a/b", "/a/b/x", "/a/b/c", "/a/b/c/x"]) {
    assert.equal(fsGrantFor(locked, path, "rw"), undefined, path);
    assert.notEqual(fsGrantFor(locked, path, "r"), undefined, path);
  }
  assert.notEqual(fsGrantFor(locked, "/a/x", "rw"), undefined);
  assert.equal(fsGrantFor(narrowed({ effect: "write", path: "/a/*.lock" }), "/a/x", "rw"), undefined);
  assert.notEqual(fsGrantFor(narrowed({ effect: "write", path: "/a/*.lock" }), "/z/x", "rw"), undefined);
  assert.equal(fsGrantFor(narrowed({ effect: "write", path: "/a/q\\*" }), "/a/q*", "rw"), undefined);
  assert.equal(fsGrantFor(narrowed({ effect: "write" }), "/z/x", "rw"), undefined);
  assert.deepEqual(narrowed({ effect: "network" }), grants);
});

function place(t: TestContext): TestDirectories {
  const made = makeTestDirectories();
  t.after(() => made.remove());
  mkdirSync(join(made.root, "notes"));
  writeFileSync(join(made.root, "notes/secret.txt"), "the secret");
  writeFileSync(join(made.root, "notes/open.txt"), "open");
  return made;
}

function gateWith(t: TestContext, at: TestDirectories, rules: readonly object[]) {
  const config = { ...(JSON.parse(configText(at)) as object), policy: { rules } };
  const gate = openGate(at, {}, { configText: JSON.stringify(config) });
  t.after(() => gate.close());
  return gate;
}

test("a denied read is out of reach for a program in the box that nobody named it to", async (t) => {
  const at = place(t);
  const script = [
    "/usr/bin/perl",
    "-e",
    'for (glob "$ARGV[0]/no*/*.txt") { if (open(my $h, "<", $_)) { print <$h> } else { warn "$_: $!" } }',
    at.root,
  ];
  assert.match(bare(script).stdout, /the secret/);
  assert.match(ran(await exec(gateWith(t, at, []), script)).stdout, /the secret/);
  const denied = gateWith(t, at, [{ decide: "deny", effect: "read", path: `${at.root}/notes/secret.txt` }]);
  const result = ran(await exec(denied, script));
  assert.equal(result.stdout, "open");
  assert.match(result.stderr, /secret.txt: /);
  const pattern = gateWith(t, at, [{ decide: "deny", effect: "read", path: "/**/secret.*" }]);
  assert.doesNotMatch(ran(await exec(pattern, script)).stdout, /secret/);
});

test("a denied write is refused by the kernel inside an rw grant", async (t) => {
  const at = place(t);
  // The words do not say which file it will be: only the box can hold it.
  const script = [
    "/usr/bin/perl",
    "-e",
    'my $f = join "", @ARGV; open(my $h, ">>", $f) or die $!; print "wrote"',
    at.root,
    "/no",
    "tes/open.txt",
  ];
  assert.match(ran(await exec(gateWith(t, at, []), script)).stdout, /wrote/);
  const denied = gateWith(t, at, [{ decide: "deny", effect: "write", path: `${at.root}/notes` }]);
  const result = ran(await exec(denied, script));
  assert.doesNotMatch(result.stdout, /wrote/);
  assert.match(result.stderr, /Read-only file system/);
  assert.match(ran(await exec(denied, [...script.slice(0, 3), at.root, "/beside"])).stdout, /wrote/);
});

test("no rule opens the state or the configuration, nor what lies above them", async (t) => {
  const at = place(t);
  const gate = gateWith(t, at, [
    { decide: "allow", effect: "read" },
    { decide: "allow", effect: "write" },
    { decide: "allow", effect: "run" },
  ]);
  for (const cwd of [at.state, at.base, join(at.base, "config/sallyport"), "/"])
    assert.equal(refused(await exec(gate, ["/bin/ls"], { cwd })).error, "fs_denied", cwd);
  assert.equal(ran(await exec(gate, ["/bin/ls"], { cwd: at.outside })).exit_code, 0);
});

test("a denied path is out of reach at /workspace, too", async (t) => {
  const at = place(t);
  const text = JSON.parse(configText(at)) as object;
  const rules = [{ decide: "deny", effect: "read", path: `${at.root}/notes/secret.txt` }];
  const gate = openGate(
    at,
    {},
    { configText: JSON.stringify({ ...text, workspace: { kind: "directory", path: at.root }, policy: { rules } }) },
  );
  t.after(() => gate.close());
  const script = [
    "/usr/bin/perl",
    "-e",
    'open(my $h, "<", join "", @ARGV) and print <$h>',
    "/work",
    "space/notes/secret.txt",
  ];
  assert.equal(ran(await exec(gate, script)).stdout, "");
});
