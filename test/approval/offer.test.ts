// What can be answered to a question, and how far an edited rule may go.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "../fixtures/fast-check.ts";
import type { Effect } from "../../src/action/effect.ts";
import {
  askedFindings,
  checkEdited,
  connectOperation,
  isNeverGeneral,
  type Offer,
  offersFor,
  type Scope,
} from "../../src/approval/offer.ts";
import { opensOf } from "../../src/approval/answer-meaning.ts";
import type { Question } from "../../src/index.ts";
import { matchesRule } from "../../src/policy/match.ts";
import { renderRule } from "../../src/policy/render.ts";
import { compileRule, type RuleText } from "../../src/policy/rule.ts";
import { questionAbout } from "../fixtures/approver.ts";
import { runs } from "../fixtures/runs.ts";

const run = (...argv: string[]): Effect => ({ kind: "run", program: argv[0] as string, argv, at: "start" });
const asking = (effect: Effect["kind"]): RuleText => ({ decide: "ask", effect });

function questionOf(effect: Effect): Question {
  return questionAbout([effect], { rules: [asking(effect.kind)] });
}

function offered({ offers }: Question, decision: "allow" | "deny"): Scope[] {
  return offers.filter((offer) => offer.decision === decision).map(({ scope }) => scope);
}

function alwaysOf({ offers }: Question): Offer {
  const offer = offers.find(({ decision, scope }) => decision === "allow" && scope === "everywhere");
  assert.ok(offer !== undefined);
  return offer;
}

test("session is the default; every scope is offered for what can be said exactly", () => {
  const question = questionOf({ kind: "read", path: "/srv/data" });
  assert.equal(question.offers[0]?.scope, "session");
  assert.deepEqual(offered(question, "allow"), ["session", "once", "project", "everywhere"]);
  assert.deepEqual(offered(question, "deny"), ["once", "project"]);
});

test("session comes first for a connection alone, once for a call that would run", () => {
  const asked = questionOf({ kind: "network", host: "registry.npmjs.org:443" });
  const longer = ["session", "project", "everywhere"] as const;
  assert.deepEqual(offered(asked, "allow"), ["once", ...longer, ...longer]); // the host, then its set
  assert.deepEqual(alwaysOf(asked).rules.map(renderRule), [
    '{ decide: allow, effect: network, host: "registry.npmjs.org:443" }',
  ]);
  const { action, verdict } = asked;
  const operation = { name: connectOperation, path: "registry.npmjs.org:443", mode: "r", details: {} } as const;
  const offers = (steps: typeof action.steps) => offersFor({ ...action, steps, operation }, verdict)[0]?.scope;
  assert.equal(offers([]), "session");
  const step = { program: "/usr/bin/true", argv: ["true"], cwd: "/", environment: [], stdin: null, files: [] };
  assert.equal(offers([{ ...step, timeoutMs: 1, stdoutBytes: 1, stderrBytes: 1 }]), "once");
});

const onceOnly: readonly (readonly [string, Question])[] = [
  ["a push", questionOf({ kind: "push", target: "/srv/repo", branch: "main", by: "tool" })],
  ["a push to nobody knows which branch", questionOf({ kind: "push", target: "/srv/repo", branch: null, by: "tool" })],
  ["a program that only the run will know", questionOf({ kind: "run", program: null, argv: [null], at: "inside" })],
  [
    "words that only the run will know",
    questionOf({ kind: "run", program: "/usr/bin/ls", argv: ["ls", null], at: "inside" }),
  ],
  [
    "a file that the agent can change",
    questionAbout([{ kind: "read", path: "/srv" }], { contents: [{ path: "/srv/x.sh", sha256: "0" }] }),
  ],
];
for (const [name, question] of onceOnly) {
  test(`${name} is offered once only, and once is the default`, () => {
    assert.deepEqual(offered(question, "allow"), ["once"]);
    assert.equal(question.offers[0]?.scope, "once");
  });
}

test("what an always would store is one exact rule for each effect that is asked about, no more", () => {
  const effects: Effect[] = [
    { kind: "read", path: "/srv/a" },
    { kind: "read", path: "/srv/a" },
    { kind: "read", path: "/srv/[b]*" },
    { kind: "network", host: "*" },
  ];
  const { rules } = alwaysOf(questionAbout(effects));
  assert.deepEqual(rules.map(renderRule), [
    "{ decide: allow, effect: read, path: /srv/a }",
    '{ decide: allow, effect: read, path: "/srv/\\\\[b]\\\\*" }',
    '{ decide: allow, effect: network, host: "*" }',
  ]);
});

test("an offered rule is about what was asked, whatever is in its words", () => {
  const word = fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom("**", "*", "\\", "[a]", "?", "-", ""));
  const path = fc
    .array(fc.stringMatching(/^[^/\0]{1,6}$/), { minLength: 1, maxLength: 4 })
    .map((names) => `/${names.filter((name) => name !== "." && name !== "..").join("/")}x`);
  const effect: fc.Arbitrary<Effect> = fc.oneof(
    path.map((at): Effect => ({ kind: "read", path: at })),
    path.map((at): Effect => ({ kind: "write", path: at })),
    fc.tuple(path, fc.array(word, { maxLength: 4 })).map(([at, words]) => run(at, ...words)),
  );
  fc.assert(
    fc.property(effect, effect, (asked, other) => {
      for (const text of alwaysOf(questionOf(asked)).rules) {
        const rule = compileRule(text, "r", "test");
        assert.ok(rule.ok);
        assert.ok(matchesRule(rule.value, asked), renderRule(text));
        // Another word is another command.
        if (other.kind === "run" && asked.kind === "run" && asked.argv.join("\0") !== other.argv.join("\0"))
          assert.ok(!matchesRule(rule.value, other), renderRule(text));
      }
    }),
    { numRuns: runs(300) },
  );
});

const neverGeneral = [
  ["/bin/sh", "-c", "ls"],
  ["/usr/bin/bash", "x.sh"],
  ["/usr/bin/python3.11", "x.py"],
  ["/usr/bin/node", "x.js"],
  ["/usr/bin/perl", "-e", "1"],
  ["/usr/bin/npx", "cowsay"],
  ["/usr/bin/npm", "test"],
  ["/usr/bin/make", "all"],
  ["/usr/bin/env", "A=b", "ls"],
  ["/usr/bin/xargs", "ls"],
  ["/usr/bin/timeout", "5", "ls"],
  ["/usr/bin/sudo", "id"],
  ["/usr/bin/rm", "a"],
  ["/usr/bin/find", ".", "-name", "x"],
];
for (const argv of neverGeneral) {
  test(`${argv.join(" ")}: always is for these words, and no pattern`, () => {
    const question = questionOf(run(...argv));
    const offer = alwaysOf(question);
    assert.ok(checkEdited(offer, offer.rules, question.verdict).ok);
    const [exact] = offer.rules as [RuleText];
    const wider: RuleText[] = [
      { decide: "allow", effect: "run", program: argv[0] },
      { ...exact, argv: [...(exact.argv ?? []).slice(0, 1), "**"] },
      { ...exact, argv: [...(exact.argv ?? []).slice(0, -1), "*"] },
      { decide: "allow", effect: "run", argv: exact.argv },
      { decide: "allow", effect: "run", program: "/usr/**" },
    ];
    for (const rule of wider) {
      const checked = checkEdited(offer, [rule], question.verdict);
      assert.ok(!checked.ok, renderRule(rule));
      assert.notEqual(checked.failure.message, "");
    }
    // A reason of one's own changes nothing about what it says.
    assert.ok(checkEdited(offer, [{ ...exact, because: "mine" }], question.verdict).ok);
  });
}

for (const effect of [
  { kind: "privilege", argv: ["sudo", "id"] },
  { kind: "destroy", what: "files", argv: ["rm", "-rf", "x"] },
  { kind: "destroy", what: "git", argv: ["git", "push", "--force"] },
  { kind: "interactive", argv: ["vim", "x"] },
] satisfies Effect[]) {
  test(`${effect.kind} ${effect.argv.join(" ")} is never allowed in general`, () => {
    assert.ok(isNeverGeneral(effect));
    const question = questionOf(effect);
    const offer = alwaysOf(question);
    assert.ok(checkEdited(offer, offer.rules, question.verdict).ok);
    for (const text of [{ argv: [effect.argv[0] as string, "**"] }, { program: effect.argv[0] as string }, {}])
      assert.ok(
        !checkEdited(offer, [{ decide: "allow", effect: effect.kind, ...text } as RuleText], question.verdict).ok,
      );
  });
}

const ls = questionOf(run("/opt/tools/ls", "-l", "src"));
const edits: readonly (readonly [string, Partial<RuleText>, boolean])[] = [
  ["the words after a few", { program: "/opt/tools/ls", argv: ["ls", "-l", "**"] }, true],
  ["a directory of programs", { program: "/opt/tools/**" }, true],
  ["a rule for everything", {}, false],
  ["a pattern for everything", { program: "/**" }, false],
  ["a word for everything", { argv: ["*", "**"] }, false],
  ["another program", { program: "/opt/tools/cat" }, false],
  ["other words", { program: "/opt/tools/ls", argv: ["ls", "-a"] }, false],
  ["a matcher of another effect", { path: "/opt" }, false],
  ["a broken pattern", { argv: ["ls\\"] }, false],
  ["no words", { argv: [] }, false],
];
for (const [name, text, isFine] of edits) {
  test(`edited to ${name}: ${isFine ? "fine" : "refused"}`, () => {
    const rule = { decide: "allow", effect: "run", ...text } as RuleText;
    assert.equal(checkEdited(alwaysOf(ls), [rule], ls.verdict).ok, isFine);
  });
}

test("edited rules must still cover all that was asked, and say what the answer says", () => {
  const question = questionAbout([
    { kind: "read", path: "/srv/a" },
    { kind: "read", path: "/srv/b" },
  ]);
  const offer = alwaysOf(question);
  const rule = (path: string, decide: "allow" | "deny" = "allow"): RuleText => ({ decide, effect: "read", path });
  assert.ok(checkEdited(offer, [rule("/srv")], question.verdict).ok);
  assert.ok(!checkEdited(offer, [rule("/srv/a")], question.verdict).ok);
  assert.ok(!checkEdited(offer, [], question.verdict).ok);
  assert.ok(!checkEdited(offer, [rule("/srv"), rule("/home")], question.verdict).ok);
  assert.ok(!checkEdited(offer, [rule("/srv", "deny")], question.verdict).ok);
  assert.ok(!checkEdited(offer, [rule("/**")], question.verdict).ok);
});

test("what a rule or a grant allows is not asked about, and is in no offer", () => {
  const question = questionAbout([
    { kind: "read", path: "/a" },
    { kind: "run", program: "/x", argv: ["/x"], at: "inside" },
  ]);
  assert.deepEqual(
    askedFindings(question.verdict).map(({ effect }) => effect.kind),
    ["read"],
  );
  assert.equal(alwaysOf(question).rules.length, 1);
});

test("a host of a named set: the set is offered too, after the host, with one rule and what it opens", () => {
  const question = questionOf({ kind: "network", host: "registry.npmjs.org:443" });
  const wider = question.offers.filter(({ sets }) => sets !== undefined);
  assert.deepEqual(
    wider.map(({ decision, scope, sets }) => [decision, scope, sets]),
    (["session", "project", "everywhere"] as const).map((scope) => ["allow", scope, ["npm"]]),
  );
  assert.deepEqual(wider[0]?.rules.map(renderRule), ["{ decide: allow, effect: network, host: npm }"]);
  assert.match(wider[0]?.meaning ?? "", /may reach every host of the set below, in this session/);
  assert.deepEqual(opensOf(wider[0]?.rules ?? []), [
    "reach registry.npmjs.org:443, registry.yarnpkg.com:443: install packages of npm, pnpm and yarn; publish them, with a token",
  ]);
  assert.deepEqual(
    questionOf({ kind: "network", host: "example.org:443" }).offers.filter(({ sets }) => sets),
    [],
  );
  assert.deepEqual(
    questionOf({ kind: "network", host: "registry.npmjs.org:80" }).offers.filter(({ sets }) => sets),
    [],
  );
});

test("several hosts, of two sets and of none: each set once, the other host as it is", () => {
  const hosts = ["pypi.org:443", "files.pythonhosted.org:443", "github.com:443", "example.org:8443"];
  const effects = hosts.map((host): Effect => ({ kind: "network", host }));
  const wider = questionAbout(effects, { rules: [asking("network")] }).offers.find(({ sets }) => sets !== undefined);
  assert.deepEqual(wider?.sets, ["pypi", "github"]);
  assert.deepEqual(
    wider?.rules.map(({ host }) => host),
    ["pypi", "github", "example.org:8443"],
  );
});
