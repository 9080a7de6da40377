// The ready-made widths of an answer: which there are, and how far each reaches.

import assert from "node:assert/strict";
import test from "node:test";
import type { Effect } from "../../src/action/effect.ts";
import { checkEdited } from "../../src/approval/offer.ts";
import { readyScopes } from "../../src/approval/ready-scopes.ts";
import { matchesRule } from "../../src/policy/match.ts";
import { renderRule } from "../../src/policy/render.ts";
import { compileRule } from "../../src/policy/rule.ts";
import { questionAbout } from "../fixtures/approver.ts";
import fc from "../fixtures/fast-check.ts";
import { runs } from "../fixtures/runs.ts";

const home = "/home/ann";
const run = (...argv: string[]): Effect => ({ kind: "run", program: argv[0] as string, argv, at: "start" });

function scopesOf(effects: readonly Effect[], decision: "allow" | "deny" = "allow") {
  const rules = effects.map(({ kind }) => ({ decide: "ask", effect: kind }) as const);
  const { offers, verdict } = questionAbout(effects, { rules });
  const offer = offers.find((one) => one.decision === decision && one.scope === "project");
  if (offer === undefined) return { offer, verdict, found: [] };
  return { offer, verdict, found: readyScopes(offer, verdict, home) };
}

const shown = (effects: readonly Effect[], decision?: "allow" | "deny") =>
  scopesOf(effects, decision).found.map(({ width, rules }) => [width, ...rules.map(renderRule)]);

test("a path: exactly it, and the directory around it", () => {
  assert.deepEqual(shown([{ kind: "read", path: "/srv/data/a.csv" }]), [
    ["exact", "{ decide: allow, effect: read, path: /srv/data/a.csv }"],
    ["directory", "{ decide: allow, effect: read, path: /srv/data }"],
  ]);
  assert.deepEqual(
    shown([
      { kind: "write", path: "/srv/data/a*" },
      { kind: "write", path: "/srv/data/b" },
    ]),
    [
      [
        "exact",
        '{ decide: allow, effect: write, path: "/srv/data/a\\\\*" }',
        "{ decide: allow, effect: write, path: /srv/data/b }",
      ],
      ["directory", "{ decide: allow, effect: write, path: /srv/data }"],
    ],
    "two files of one directory are one rule",
  );
});

test("never a directory of the root, a home or what holds one, nor around what is hidden", () => {
  for (const path of [
    "/var/log",
    "/etc/hosts",
    "/home/ann/notes",
    "/home/ann",
    "/home",
    "/home/ann/.ssh/config",
    "/srv/a/.env",
    "/",
  ])
    assert.deepEqual(
      shown([{ kind: "read", path }]).map(([width]) => width),
      ["exact"],
      path,
    );
});

test("a program: its words, its command, or any words; of an interpreter its words alone", () => {
  assert.deepEqual(shown([run("/opt/tools/lint", "check", "src", "--fix")]), [
    ["exact", '{ decide: allow, effect: run, program: /opt/tools/lint, argv: [lint, check, src, "--fix"] }'],
    ["command", '{ decide: allow, effect: run, program: /opt/tools/lint, argv: [lint, check, "**"] }'],
    ["program", "{ decide: allow, effect: run, program: /opt/tools/lint }"],
  ]);
  assert.deepEqual(
    shown([run("/usr/bin/python3", "-c", "print(1)")]).map(([width]) => width),
    ["exact"],
  );
  assert.deepEqual(
    shown([run("/usr/bin/bash", "run", "this", "now")]).map(([width]) => width),
    ["exact"],
  );
  assert.deepEqual(
    shown([run("/opt/tools/lint")]).map(([width]) => width),
    ["exact"],
    "without words there is nothing to widen",
  );
});

test("a host: its port, or any; a no has widths as well", () => {
  assert.deepEqual(shown([{ kind: "network", host: "example.org:443" }]), [
    ["exact", '{ decide: allow, effect: network, host: "example.org:443" }'],
    ["host", "{ decide: allow, effect: network, host: example.org }"],
  ]);
  assert.deepEqual(
    shown([{ kind: "network", host: "*" }]).map(([width]) => width),
    ["exact"],
  );
  for (const host of ["localhost:4873", "127.0.0.1:80", "10.0.0.1:22", "[::1]:80"])
    assert.deepEqual(
      shown([{ kind: "network", host }]).map(([width]) => width),
      ["exact"],
      host,
    );
  assert.deepEqual(shown([{ kind: "network", host: "example.org:443" }], "deny")[1], [
    "host",
    "{ decide: deny, effect: network, host: example.org }",
  ]);
});

test("of several things, each is widened in its own way, and the others stay exact", () => {
  assert.deepEqual(
    shown([
      { kind: "read", path: "/srv/data/a.csv" },
      { kind: "network", host: "example.org:443" },
    ]),
    [
      [
        "exact",
        "{ decide: allow, effect: read, path: /srv/data/a.csv }",
        '{ decide: allow, effect: network, host: "example.org:443" }',
      ],
      [
        "directory",
        "{ decide: allow, effect: read, path: /srv/data }",
        '{ decide: allow, effect: network, host: "example.org:443" }',
      ],
      [
        "host",
        "{ decide: allow, effect: read, path: /srv/data/a.csv }",
        "{ decide: allow, effect: network, host: example.org }",
      ],
    ],
  );
});

const name = fc.constantFrom("a", "data", ".ssh", "*", "log", "ann", "home", "x y");
const path = fc.array(name, { minLength: 0, maxLength: 5 }).map((names) => `/${names.join("/")}`);
const word = fc.constantFrom("/usr/bin/git", "/usr/bin/env", "/opt/x/tool", "build", "-c", "**", "sh");
const effect: fc.Arbitrary<Effect> = fc.oneof(
  path.map((at): Effect => ({ kind: "read", path: at })),
  path.map((at): Effect => ({ kind: "write", path: at })),
  fc.constantFrom("example.org:443", "10.0.0.1:22", "*", "[::1]:80").map((host): Effect => ({ kind: "network", host })),
  fc.array(word, { minLength: 1, maxLength: 4 }).map((argv) => run(...argv)),
);

test("the first is what is offered; every other is about what was asked, covers all of it, and would be taken from a person", () => {
  const property = fc.property(fc.array(effect, { minLength: 1, maxLength: 3 }), (effects) => {
    const { offer, verdict, found } = scopesOf(effects);
    if (offer === undefined) return;
    assert.deepEqual(found[0], { width: "exact", rules: offer.rules });
    for (const { width, rules } of found) {
      assert.ok(width === "exact" || checkEdited(offer, rules, verdict).ok);
      const compiled = rules
        .map((text) => compileRule(text, "r", "test"))
        .flatMap((rule) => (rule.ok ? [rule.value] : []));
      for (const one of effects) assert.ok(compiled.some((rule) => matchesRule(rule, one)));
    }
  });
  fc.assert(property, { numRuns: runs(2_000) });
});
