import assert from "node:assert/strict";
import { appendFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { openApprovals } from "../../../src/store/approvals.ts";
import { newCliUser, noTerminal, onTerminal, type CliUser } from "../../fixtures/cli.ts";

const noPush = '{ decide: deny, effect: run, argv: [git, push, "**"] }';

function json(person: CliUser, ...args: string[]): Record<string, unknown> {
  const { out, err } = person.run(["policy", ...args, "--json"]);
  assert.equal(err, "");
  return JSON.parse(out) as Record<string, unknown>;
}

interface Listed {
  readonly id: string;
  readonly scope: string;
  readonly rule: string;
  readonly from: string | null;
  readonly by: string | null;
  readonly agent: string | null;
  readonly session: string | null;
}

const listed = (person: CliUser, ...flags: string[]) =>
  json(person, "list", ...flags) as unknown as {
    rules: Listed[];
    answers: Listed[];
    otherwise: Record<string, { decide: string | null }>;
  };

function answerForSession(person: CliUser, session: string, path: string): string {
  const approvals = openApprovals(person.state);
  try {
    const origin = { question: "q-1", who: "ana", at: Date.now(), agent: "default", session, project: person.project };
    return approvals.sessionAnswers.add([{ decide: "allow", effect: "read", path }], origin)[0] as string;
  } finally {
    approvals.close();
  }
}

test("where nothing was added, list says so, shows what holds otherwise, and makes nothing", (t) => {
  const person = newCliUser(t, undefined, { hasState: false });
  const { code, out, err } = person.run(["policy", "list", "--session"]);
  assert.deepEqual([code, err], [0, ""]);
  assert.match(out, /^No rules and no remembered answers/);
  assert.match(out, /\nOtherwise\n {2}tool +allowed by tool_grants/);
  assert.equal(existsSync(person.state), false);
  assert.deepEqual([listed(person).rules, listed(person).answers], [[], []]);
});

test("a rule is added, listed, holds, and is removed; each change is in the record", (t) => {
  const person = newCliUser(t);
  const added = person.run(["policy", "add", noPush, "--because", "not from here"]);
  assert.deepEqual([added.code, added.err], [0, ""]);
  const [, id = ""] =
    /^Stored (r-[0-9a-f]{8}), for .*\/project:\n {2}\{ decide: deny, .*because: "not from here" \}\n {2}in .*\.yaml\nIt holds .*remove r-/.exec(
      added.out,
    ) ?? [];
  assert.notEqual(id, "", added.out);
  const list = person.run(["policy", "list"]).out;
  assert.match(
    list,
    new RegExp(
      `^Rules of this project \\(.*\\)\\n {2}${id} {2}deny {3}\\{ decide: deny, effect: run, argv: \\[git, push, "\\*\\*"\\] \\}\\n +because: not from here\\n +by `,
    ),
  );
  const [rule] = listed(person).rules;
  assert.deepEqual([rule?.id, rule?.scope, rule?.rule, rule?.agent], [id, "project", noPush, null]);
  const refused = JSON.parse(person.run(["call", "Exec", '{"argv":["/usr/bin/git","-C",".","push"]}']).out) as {
    ok: boolean;
    because?: string[];
  };
  assert.equal(refused.ok, false);
  assert.match(JSON.stringify(refused), new RegExp(`not from here \\(rule ${id}, this project\\)`));
  assert.equal(listed(person, "--project", person.home).rules.length, 0);

  const removed = person.run(["policy", "remove", id]);
  assert.deepEqual([removed.code, removed.err], [0, ""]);
  assert.match(removed.out, new RegExp(`^Removed ${id} from this project:\\n {2}\\{ decide: deny`));
  assert.equal(listed(person).rules.length, 0);
  const changes = JSON.parse(person.run(["audit", "list", "--event", "policy.changed", "--json"]).out) as {
    outcome: Record<string, unknown>;
  }[];
  assert.deepEqual(
    changes.map(({ outcome }) => [Object.keys(outcome)[0], outcome["id"], outcome["scope"]]),
    [
      ["removed", id, "project"],
      ["added", id, "project"],
    ],
  );
  assert.match(person.run(["audit", "list"]).out, /policy\.changed .*added, project: \{ decide: deny/);
  assert.equal(person.run(["audit", "verify"]).code, 0);
});

test("add takes a scope, an agent and examples, and says it all as JSON", (t) => {
  const person = newCliUser(t);
  const shape = json(
    person,
    "add",
    "{ decide: ask, effect: run, program: curl, examples: { match: [curl x], not_match: [wget x] } }",
    "--everywhere",
    "--agent",
    "default",
  );
  assert.deepEqual(Object.keys(shape), ["id", "scope", "agent", "rule", "file"]);
  assert.deepEqual([shape["scope"], shape["agent"]], ["everywhere", "default"]);
  assert.ok(existsSync(String(shape["file"])));
  assert.deepEqual(
    listed(person, "--project", person.home).rules.map(({ id, agent }) => [id, agent]),
    [[shape["id"], "default"]],
  );
  assert.equal(json(person, "check")["examples"], 2);
  assert.deepEqual(Object.keys(json(person, "remove", String(shape["id"]))), ["id", "removed", "rule"]);
});

const wrong: readonly (readonly [args: string[], expected: RegExp])[] = [
  [
    ["{ decide: alow, effect: run }"],
    /^sallyport: 1:11: decide: "alow" is not known\. Use allow, ask or deny\.\n +1 \| .*\n +\| +\^\n$/,
  ],
  [["{ decide: deny, effect: read, argv: [x] }"], /1:37: argv: says nothing about the effect read/],
  [["{ decide: deny, effect: run, argv: [git, **] }"], /1:42: .*Put it in quotes/],
  [
    ["{ decide: deny, effect: run, argv: [git], examples: { match: [rm] } }"],
    /examples\.match\[0\]: "rm" should match/,
  ],
  [["deny"], /a rule is a map/],
  [[noPush, "--agent", "nobody"], /--agent: there is no agent "nobody"/],
  [[noPush, "--because", ""], /--because: empty/],
  [[], /missing required argument/],
];

test("a rule that is wrong is not stored, and the place is shown", (t) => {
  const person = newCliUser(t);
  for (const [args, expected] of wrong) {
    const { code, out, err } = person.run(["policy", "add", ...args]);
    assert.deepEqual([code, out], [2, ""], args.join(" "));
    assert.match(err, expected);
  }
  assert.equal(existsSync(join(person.home, ".config/sallyport/rules")), false);
});

test("remove knows what is in the configuration, what is in a session, and what is near", (t) => {
  const person = newCliUser(t);
  appendFileSync(person.configFile, "policy:\n  rules:\n    - { decide: deny, effect: run, program: curl }\n");
  const [written] = listed(person).rules;
  assert.match(written?.from ?? "", /^config\.yaml:11$/);
  const refused = person.run(["policy", "remove", written?.id ?? ""]);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /is written in the configuration: .*config\.yaml, line 11\n/);
  const near = person.run(["policy", "remove", `${written?.id.slice(0, -1)}x`]);
  assert.deepEqual([near.code, near.err.includes(`Did you mean ${written?.id}?`)], [1, true]);
  for (const id of ["../../config", "nothing-like-it", "\u001b[2J"]) {
    const { code, err } = person.run(["policy", "remove", id]);
    assert.equal(code, 1);
    assert.match(err, /there is no rule and no answer .*\nhint: `\S.* policy list --session/);
    assert.ok(!err.includes("\u001b"));
  }
  assert.ok(existsSync(person.configFile));

  const [one, two] = [answerForSession(person, "s1", "/a"), answerForSession(person, "s2", "/b")];
  assert.deepEqual(listed(person).answers, []);
  assert.deepEqual(
    listed(person, "--session").answers.map(({ id, session }) => [id, session]),
    [
      [one, "s1"],
      [two, "s2"],
    ],
  );
  assert.deepEqual(
    listed(person, "--session", "s2").answers.map(({ id }) => id),
    [two],
  );
  assert.match(
    person.run(["policy", "list", "--session"]).out,
    /Answers of sessions\n {2}s-\w+ {2}allow {2}\{ decide: allow, effect: read, path: \/a \}\n +for the agent default, in the session s1, by ana, .*question q-1, until /,
  );
  assert.match(person.run(["policy", "remove", one]).out, /from its session/);
  assert.deepEqual(
    listed(person, "--session").answers.map(({ id }) => id),
    [two],
  );
});

test("check counts what holds, and says all that is wrong", (t) => {
  const person = newCliUser(t);
  appendFileSync(
    person.configFile,
    "policy:\n  rules:\n    - { decide: deny, effect: run, program: curl, examples: { match: [curl x] } }\n",
  );
  person.run(["policy", "add", noPush]);
  const fine = person.run(["policy", "check"]);
  assert.deepEqual(fine, { code: 0, out: "In order: 2 rules, 0 answers, 1 example holds.\n", err: "" });
  assert.deepEqual(json(person, "check"), { ok: true, rules: 2, answers: 0, examples: 1, errors: [], warnings: [] });

  const directory = join(person.home, ".config/sallyport/rules/everywhere");
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "bad.yaml"), "decide: deny\neffect: run\nalow: 1\n");
  appendFileSync(person.configFile, "    - { decide: no, effect: run }\n    - { decide: deny, effect: runn }\n");
  const { code, out } = person.run(["policy", "check"]);
  assert.equal(code, 1);
  assert.match(
    out,
    /config\.yaml:12:17: policy\.rules\[1\]\.decide[\s\S]*config\.yaml:13:31: policy\.rules\[2\]\.effect[\s\S]*bad\.yaml:3:1: alow: unknown key[\s\S]*\nNot in order: 3 errors\./,
  );
  const shape = json(person, "check") as unknown as {
    ok: boolean;
    errors: { file: string; line: number; column: number }[];
  };
  assert.deepEqual(
    [shape.ok, shape.errors.map(({ line, column }) => [line, column])],
    [
      false,
      [
        [12, 17],
        [13, 31],
        [3, 1],
      ],
    ],
  );
  // What is broken can be taken away by its name, although nothing loads.
  assert.equal(person.run(["policy", "remove", "bad"]).code, 0);
  assert.deepEqual(readdirSync(directory), []);
  assert.equal(person.run(["policy", "check", "--config", join(person.home, "nowhere.yaml")]).code, 1);
});

test("check warns of rules that never decide", (t) => {
  const person = newCliUser(t, ["{ path: ROOT/project, mode: rw, hide: [.env] }"]);
  const rules = [
    '{ decide: deny, effect: run, argv: [git, push, "**"] }',
    '{ decide: allow, effect: run, argv: [git, push, "**"] }',
    '{ decide: deny, effect: run, argv: [git, push, "**"], because: again }',
    "{ decide: deny, effect: read, path: /data }",
    "{ decide: ask, effect: read, path: /data/inner }",
    '{ decide: allow, effect: read, path: "${project}/.env" }',
    `{ decide: allow, effect: read, path: ${person.state} }`,
    "{ decide: allow, effect: run, argv: [./build.sh] }",
    // These can decide.
    "{ decide: allow, effect: read, path: /dat }",
    "{ decide: deny, effect: run, argv: [git, push, --force] }",
  ];
  appendFileSync(person.configFile, `policy:\n  rules:\n${rules.map((rule) => `    - ${rule}\n`).join("")}`);
  const { warnings, ok } = json(person, "check") as unknown as {
    ok: boolean;
    warnings: { origin: string; reason: string }[];
  };
  const lines = warnings.map(({ origin, reason }) => `${Number(origin.split(":")[1]) - 11} ${reason}`);
  assert.equal(ok, true);
  assert.deepEqual(
    lines.map((line) => line.replace(/r-\w{8}/, "r-X")),
    [
      "1 rule r-X (config.yaml:11) decides deny about all of it",
      "2 says the same as rule r-X (config.yaml:11)",
      "4 rule r-X (config.yaml:14) decides deny about all of it",
      "5 `hide` keeps that path from everybody",
      "6 the gate keeps its record and its rules there",
      "7 a program is allowed by its name or its whole path, not by a relative one",
    ],
  );
  assert.equal(person.run(["policy", "check"]).out.match(/^warning: /gm)?.length, 6);
});

test("explain shows each effect, what decides and what does not, and runs nothing", (t) => {
  const person = newCliUser(t);
  appendFileSync(person.configFile, "policy:\n  rules:\n    - { decide: allow, effect: run, program: echo }\n");
  person.run(["policy", "add", '{ decide: deny, effect: run, argv: [echo, bad, "**"] }', "--because", "it is bad"]);
  const call = (...argv: string[]) => JSON.stringify({ argv });
  const { code, out } = person.run(["policy", "explain", "Exec", call("/bin/echo", "bad")]);
  assert.equal(code, 1);
  assert.match(
    out,
    /deny {3}run .*echo\n[\s\S]* deny {2}rule r-\w+ \(this project\) decides: the strictest that matches\n +because: it is bad/,
  );
  assert.match(
    out,
    /allow rule r-\w+ \(config\.yaml:11\) does not decide: a rule that says deny matches too, and is stricter/,
  );
  assert.match(
    out,
    /\nThe whole: deny, the strictest of \d+\.\nrefused: .*\nNothing was run, and nothing was written down\.\n$/,
  );
  assert.equal(person.run(["policy", "explain", "Exec", "-"], { input: call("/bin/echo", "good") }).code, 0);
  const shape = json(person, "explain", "Exec", call("/bin/echo", "good")) as {
    effects: { effect: { kind: string }; by: string; rules: { decides: boolean }[] }[];
  };
  assert.deepEqual(Object.keys(shape), ["ok", "decision", "outcome", "meaning", "effects"]);
  const run = shape.effects.find(({ effect }) => effect.kind === "run");
  assert.deepEqual([run?.by, run?.rules.map(({ decides }) => decides)], ["rules", [true]]);
  assert.equal(person.run(["audit", "list", "--event", "received"]).out, "No entries match.\n");
  assert.equal(person.run(["policy", "explain", "Exec", "{"]).code, 2);
  assert.match(person.run(["policy", "explain", "Nope"]).out, /would be refused \(tool_not_found\)/);
});

test("explain says whether a remembered answer would answer", (t) => {
  const person = newCliUser(t);
  const outside = join(person.root, "outside");
  mkdirSync(outside);
  const args = ["policy", "explain", "Exec", JSON.stringify({ argv: ["/bin/ls"], cwd: outside }), "--session", "s1"];
  const before = person.run(args);
  assert.equal(before.code, 1);
  assert.match(before.out, /no remembered answer covers it[\s\S]*asks: a person would be asked about 1 of/);
  const id = answerForSession(person, "s1", outside);
  const after = person.run(args);
  assert.match(
    after.out,
    new RegExp(`the remembered answer ${id} says yes to it[\\s\\S]*runs: it would run: remembered answers`),
  );
  assert.equal(after.code, 0);
  assert.equal(person.run([...args.slice(0, -1), "s2"]).code, 1);
});

test("on a terminal the list has colour and fits the width", { skip: noTerminal }, async (t) => {
  const person = newCliUser(t);
  person.run([
    "policy",
    "add",
    '{ decide: deny, effect: run, argv: [git, push, "**", some, more, words, to, make, it, a, long, line] }',
    "--because",
    "a reason of many words ".repeat(8),
  ]);
  const { screen, code } = await onTerminal(person, ["policy", "list"], { columns: 60 });
  assert.equal(code, 0);
  assert.ok(screen.includes("\u001b[31mdeny"));
  // oxlint-disable-next-line no-control-regex
  const lines = screen.replaceAll(/\u001b\[[\d;]*m/g, "").split("\r\n");
  assert.deepEqual(
    lines.filter((line) => line.length > 60 && !line.startsWith("Rules of")),
    [],
  );
  const plain = await onTerminal(person, ["policy", "list"], { env: { NO_COLOR: "1" } });
  assert.ok(!plain.screen.includes("\u001b[31m"));
});

test("help is there for each, with examples", (t) => {
  const person = newCliUser(t);
  for (const name of ["list", "add", "remove", "check", "explain"]) {
    const { code, out } = person.run(["policy", name, "--help"]);
    assert.equal(code, 0);
    assert.match(out, /Examples:\n {2}(?:echo .*\| )?sallyport policy/);
  }
  assert.match(person.run(["policy", "--help"]).out, /list[\s\S]*add[\s\S]*remove[\s\S]*check[\s\S]*explain/);
});
