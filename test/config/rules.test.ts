import assert from "node:assert/strict";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test, type TestContext } from "node:test";
import { addRule, removeRule } from "../../src/config/amend.ts";
import { describeConfigErrors } from "../../src/config/config-error.ts";
import { type Config, loadConfig } from "../../src/config/load.ts";
import { readRuleArgument } from "../../src/config/rule-argument.ts";
import { loadRuleFiles, ruleDirectory } from "../../src/config/rule-files.ts";
import { judge } from "../../src/policy/evaluate.ts";
import { matchesRule } from "../../src/policy/match.ts";
import { createPolicy } from "../../src/policy/policy.ts";
import type { RuleText } from "../../src/policy/rule.ts";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { action, capability } from "../fixtures/rules.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-rules-")));
after(() => rmSync(root, { recursive: true, force: true }));
for (const name of ["home", "project", "data", "state"]) mkdirSync(join(root, name));
symlinkSync(join(root, "data"), join(root, "project/link"));

function load(rules: string, otherwise = "{}") {
  const configText = `version: 1\npolicy:\n  otherwise: ${otherwise}\n  rules:\n${rules}`;
  return loadConfig({
    configText,
    statePath: join(root, "state"),
    project: join(root, "project"),
    environment: { HOME: join(root, "home") },
  });
}

function loaded(rules: string, otherwise = "{}"): Config {
  const result = load(rules, otherwise);
  assert.ok(result.ok, result.ok ? "" : describeConfigErrors(result.errors));
  return result.config;
}

const wrong: readonly (readonly [title: string, rules: string, expected: RegExp])[] = [
  [
    "an example that should match and does not",
    '    - decide: deny\n      effect: run\n      argv: [git, push, "**"]\n      examples:\n        match: [git push, git pull]\n',
    /^9:27: policy\.rules\[0\]\.examples\.match\[1\]: "git pull" should match the rule, and does not\. Mend the rule or the example\.\n +9 \| .*\n +\| +\^$/,
  ],
  [
    "an example that should not match and does",
    '    - { decide: deny, effect: run, argv: [git, push, "**"], examples: { not_match: ["env A=b git -C x push"] } }\n',
    /^5:85: policy\.rules\[0\]\.examples\.not_match\[0\]: .* should not match the rule, and does\./,
  ],
  [
    "two examples at once",
    "    - { decide: deny, effect: read, path: /a, examples: { match: [/b], not_match: [/a/b] } }\n",
    /^5:67: .*match\[0\][\s\S]*\n5:84: .*not_match\[0\]/,
  ],
  [
    "an example of another kind",
    "    - { decide: deny, effect: read, path: /a, examples: { match: [[a, b]] } }\n",
    /^5:67: .*must be one text/,
  ],
  [
    "an example that is no path",
    "    - { decide: deny, effect: read, path: /a, examples: { match: [a] } }\n",
    /^5:67: .*is not an absolute path/,
  ],
  ["an unknown key", "    - { alow: run }\n", /5:9: policy\.rules\[0\]\.alow: unknown key\./],
  [
    "a slip in a key",
    "    - { decide: deny, effect: run, agrv: [x] }\n",
    /^5:36: policy\.rules\[0\]\.agrv: unknown key\. Did you mean argv\?/,
  ],
  [
    "a slip in a value",
    "    - { decide: alow, effect: run }\n",
    /^5:17: policy\.rules\[0\]\.decide: "alow" is not known\. Use allow, ask or deny\./,
  ],
  [
    "a stray matcher",
    "    - { decide: deny, effect: read, host: x }\n",
    /^5:43: policy\.rules\[0\]\.host: says nothing about the effect read\. A rule about read can have path\./,
  ],
  [
    "a pattern without end",
    '    - { decide: deny, effect: run, argv: [git, "a\\\\"] }\n',
    /^5:42: policy\.rules\[0\]\.argv: .* ends with a lone/,
  ],
  ["no words", "    - { decide: deny, effect: run, argv: [] }\n", /^5:42: policy\.rules\[0\]\.argv: empty/],
  [
    "a bad glob",
    '    - { decide: deny, effect: read, path: "/a/[b" }\n',
    /^5:43: policy\.rules\[0\]\.path: .*not a pattern/,
  ],
  ["a path that goes up", "    - { decide: deny, effect: read, path: /a/../b }\n", /^5:43: policy\.rules\[0\]\.path: /],
  [
    "a relative path",
    "    - { decide: deny, effect: read, path: a/b }\n",
    /^5:43: policy\.rules\[0\]\.path: "a\/b" is not an absolute path\. Begin it with/,
  ],
  [
    "an unknown variable",
    '    - { decide: deny, effect: read, path: "${home}/x" }\n',
    /^5:43: policy\.rules\[0\]\.path: \$\{home\} cannot stand here/,
  ],
  [
    "no host",
    "    - { decide: deny, effect: network, host: 'a b' }\n",
    /^5:46: policy\.rules\[0\]\.host: "a b" is not a host/,
  ],
  [
    "an allow through a link",
    '    - { decide: allow, effect: read, path: "${project}/link/x" }\n',
    /^5:44: .*goes through a link\. Write the real path: .*\/data\/x/,
  ],
  [
    "a push allowed everywhere",
    "    - { decide: allow, effect: push }\n",
    /^5:17: policy\.rules\[0\]\.decide: a push is allowed for one target and one branch\. Name both/,
  ],
  [
    "a push allowed to any target",
    '    - { decide: allow, effect: push, target: "*", branch: reports }\n',
    /^5:46: policy\.rules\[0\]\.target: "\*" is a pattern, and a push .*\. Write one path or URL, such as \$\{project\}\./,
  ],
  [
    "a push allowed to many targets",
    '    - { decide: allow, effect: push, target: "${project}/*.git", branch: reports }\n',
    /^5:46: policy\.rules\[0\]\.target: .* is a pattern/,
  ],
  [
    "a push allowed to any branch",
    '    - { decide: allow, effect: push, target: "${project}", branch: "**" }\n',
    /^5:68: policy\.rules\[0\]\.branch: "\*\*" is a pattern, and a push .*\. Write one branch, such as agent\/tidy\./,
  ],
  [
    "a push allowed to many branches",
    '    - { decide: allow, effect: push, target: "${project}", branch: "r*" }\n',
    /^5:68: policy\.rules\[0\]\.branch: "r\*" is a pattern/,
  ],
  [
    "stars without quotes",
    "    - { decide: deny, effect: run, argv: [git, **] }\n",
    /^5:48: an alias .*Put it in quotes/,
  ],
];

for (const [title, rules, expected] of wrong) {
  test(`${title} stops the load, with its place`, () => {
    const result = load(rules);
    assert.ok(!result.ok);
    assert.match(describeConfigErrors(result.errors), expected);
  });
}

test("an otherwise for what is not an effect, or about tools, is refused", () => {
  for (const text of ["{ raed: deny }", "{ tool: deny }", "{ read: no }"])
    assert.equal(load("    []\n", text).ok, false, text);
  assert.deepEqual(loaded("    []\n", "{ read: deny, pull: allow }").policy.otherwise, { read: "deny", pull: "allow" });
});

test("${project} and ~ stand for their places, and links before a pattern are resolved for a no", () => {
  const rules = loaded(`    - { decide: deny, effect: read, path: "\${project}/keys" }
    - { decide: deny, effect: write, path: ~/notes }
    - { decide: deny, effect: read, path: "\${project}/link/*.pem" }
    - { decide: allow, effect: run, program: ~/bin/tool }
`).policy.rules;
  assert.deepEqual(
    rules.map(({ text }) => text.path ?? text.program),
    [`${root}/project/keys`, `${root}/home/notes`, `${root}/data/*.pem`, `${root}/home/bin/tool`],
  );
  const decision = (path: string) =>
    judge(action({ kind: "read", path }), capability, createPolicy({ rules })).decision;
  assert.equal(decision(`${root}/data/a.pem`), "deny");
  assert.notEqual(decision(`${root}/data/a.txt`), "deny");
});

test("the same rule has the same name; its reason and its place in the file say nothing", () => {
  const [one, two, three] = loaded(`    - { decide: deny, effect: run, argv: [x] }
    - { argv: [x], effect: run, decide: deny, because: y }
    - { decide: ask, effect: run, argv: [x] }
`).policy.rules;
  assert.equal(one?.id, two?.id);
  assert.notEqual(one?.id, three?.id);
  assert.match(one?.origin ?? "", /:5$/);
});

test("two thousand rules load, and one more does not", () => {
  const line = (index: number) =>
    `    - { decide: ask, effect: run, argv: [tool${index}, "**"], examples: { match: [tool${index} x] } }\n`;
  const rules = Array.from({ length: 2_000 }, (_, index) => line(index)).join("");
  const config = loaded(rules);
  assert.deepEqual([config.policy.rules.length, config.policy.exampleCount], [2_000, 2_000]);
  const result = load(rules + line(2_000));
  assert.ok(!result.ok);
  assert.match(describeConfigErrors(result.errors), /policy\.rules: too long\. At most 2000 entries\./);
});

test("loading takes about as long for each of many rules as for each of few", () => {
  const time = (count: number) => {
    const rules = Array.from(
      { length: count },
      (_, index) => `    - { decide: ask, effect: run, argv: [tool${index}, "**"] }\n`,
    ).join("");
    const started = performance.now();
    loaded(rules);
    return performance.now() - started;
  };
  time(200);
  const few = Math.min(time(200), time(200), time(200));
  // Ten times as many in, at most, thirty times the time: a square would be a hundred.
  assert.ok(Math.min(time(2_000), time(2_000)) < few * 30);
});

function stored(t: TestContext) {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const places = {
    configDirectory: join(directories.base, "config/sallyport"),
    project: directories.project,
    home: directories.base,
  };
  const add = (text: RuleText, more: Partial<Parameters<typeof addRule>[0]> = {}, at = places) =>
    addRule({ scope: "project", text, isAnswer: false, agent: null, by: "ana", question: null, at: 0, ...more }, at);
  return { directories, places, add };
}

const deny: RuleText = { decide: "deny", effect: "run", argv: ["echo", "**"], because: 'so: "it" is\n#no' };

test("a stored rule is read as it was written, with who and when", (t) => {
  const { places, add } = stored(t);
  const id = add(deny, { agent: "default", question: "q-1" });
  const [read] = loadRuleFiles(places).stored;
  assert.deepEqual(
    [read?.id, read?.rule.id, read?.text, read?.agent, read?.by, read?.question, read?.added],
    [id, id, deny, "default", "ana", "q-1", "1970-01-01T00:00:00.000Z"],
  );
  assert.equal(add(deny, { agent: "default" }), id);
  assert.notEqual(add(deny), id);
  const directory = ruleDirectory("project", places);
  assert.deepEqual(
    readdirSync(directory).filter((name) => name.includes("draft")),
    [],
  );
  assert.equal(readFileSync(join(directory, "project"), "utf8"), `${places.project}\n`);
  assert.equal(removeRule({ id, scope: "project" }, places), true);
  assert.equal(removeRule({ id, scope: "project" }, places), false);
});

test("rules that are added or removed while a gate is open hold from the next call on", async (t) => {
  const { directories, places, add } = stored(t);
  const gate = openGate(directories);
  t.after(() => gate.close());
  const decision = async () => {
    const planned = await gate.plan({ tool: "Exec", args: { argv: ["/bin/echo", "hi"] } });
    return planned.ok ? planned.value.verdict.decision : planned.failure.error;
  };
  // Within one tick of the file system's clock, too.
  for (let round = 0; round < 20; round += 1) {
    assert.equal(await decision(), "allow");
    const id = add(deny);
    assert.equal(await decision(), "deny");
    const everywhere = add(deny, { scope: "everywhere" });
    removeRule({ id, scope: "project" }, places);
    assert.equal(await decision(), "deny");
    removeRule({ id: everywhere, scope: "everywhere" }, places);
  }
  add(deny, { agent: "somebody-else" });
  assert.equal(await decision(), "allow");
});

test("a rules file that cannot be read stops every call, and is told with its line", async (t) => {
  const { directories, places, add } = stored(t);
  const gate = openGate(directories);
  t.after(() => gate.close());
  add(deny, { scope: "everywhere" });
  const broken = join(ruleDirectory("everywhere", places), "broken.yaml");
  writeFileSync(broken, "decide: deny\neffect: run\nargs: [x]\n");
  const reply = await gate.call({ tool: "Exec", args: { argv: ["/bin/true"] } });
  assert.ok(!reply.ok);
  assert.match(reply.message, /rules cannot be read.*broken\.yaml:3:1: args: unknown key/);
  assert.throws(() => openGate(directories), /broken\.yaml:3:1: args: unknown key\. Did you mean argv\?/);
  unlinkSync(broken);
  const next = await gate.call({ tool: "Exec", args: { argv: ["/bin/true"] } });
  assert.ok(next.ok || next.error !== "permission_denied", JSON.stringify(next));
});

test("a file in the place of the rules is not the same as no rules", async (t) => {
  const { directories, places } = stored(t);
  const gate = openGate(directories);
  t.after(() => gate.close());
  const call = () => gate.plan({ tool: "Exec", args: { argv: ["/bin/true"] } });
  assert.equal((await call()).ok, true);
  writeFileSync(join(places.configDirectory, "rules"), "in the way");
  const refused = await call();
  assert.ok(!refused.ok && refused.failure.error === "permission_denied", JSON.stringify(refused));
  unlinkSync(join(places.configDirectory, "rules"));
  assert.equal((await call()).ok, true);
});

test("what a stored rule may not be: an answer that says no, an example that fails, an empty file", (t) => {
  const { places, add } = stored(t);
  add(deny);
  const file = join(ruleDirectory("project", places), "x.yaml");
  for (const [text, expected] of [
    ["decide: deny\neffect: run\nanswer: true\n", /only a yes is remembered/],
    ["decide: deny\neffect: read\npath: /a\nexamples: { match: [/b] }\n", /x\.yaml:4:21: examples\.match\[0\]/],
    ["", /the file is empty/],
  ] as const) {
    writeFileSync(file, text);
    assert.match(describeConfigErrors(loadRuleFiles(places).errors), expected);
  }
});

test("a project's rules belong to its real path", async (t) => {
  const { directories, places, add } = stored(t);
  const [other, alias] = [join(directories.base, "other"), join(directories.base, "alias")];
  mkdirSync(other);
  symlinkSync(directories.project, alias);
  add(deny);
  const count = async (project: string) => {
    const gate = openGate(directories, {}, { project });
    try {
      const planned = await gate.plan({ tool: "Exec", args: { argv: ["/bin/echo"] } });
      return planned.ok ? planned.value.verdict.decision : "failed";
    } finally {
      gate.close();
    }
  };
  assert.deepEqual(
    [await count(directories.project), await count(alias), await count(other)],
    ["deny", "deny", "allow"],
  );
  assert.equal(loadRuleFiles({ ...places, project: other }).stored.length, 0);
});

test("a rule that is typed is checked as strictly, and its examples are tried", () => {
  const read = (text: string) => readRuleArgument(text, { project: join(root, "project"), home: join(root, "home") });
  const said = (text: string) => {
    const result = read(text);
    return result.ok ? "" : describeConfigErrors(result.errors);
  };
  assert.ok(read('{"decide":"deny","effect":"run","argv":["git","push","**"],"examples":{"match":["git push"]}}').ok);
  assert.match(
    said("{ decide: deny, effect: run, argv: [git], examples: { match: [rm] } }"),
    /^1:63: examples\.match\[0\]: "rm" should match/,
  );
  assert.match(said(""), /^1:1: decide: missing\./);
  assert.match(said("deny"), /^1:1: a rule is a map/);
  assert.match(said("{ decide: deny, effect: run"), /^1:28: not valid YAML/);
});

test("a push is allowed to one target and one branch, wherever the rule is kept; ask and deny take patterns", async (t) => {
  const wide = { effect: "push", target: "*", branch: "r*" } as const;
  const read = (text: string) => readRuleArgument(text, { project: join(root, "project"), home: join(root, "home") });
  assert.equal(read(`{ decide: allow, effect: push, target: /srv/x, branch: "r*" }`).ok, false);
  assert.ok(
    read(`{ decide: allow, effect: push, target: /srv/x, branch: "r\\\\*" }`).ok,
    "a star that is meant as one",
  );
  for (const decide of ["ask", "deny"] as const)
    assert.equal(loaded(`    - ${JSON.stringify({ ...wide, decide })}\n`).policy.rules.length, 1);
  const { directories, places, add } = stored(t);
  const gate = openGate(directories);
  t.after(() => gate.close());
  const says = async () => {
    const planned = await gate.plan({ tool: "Exec", args: { argv: ["/bin/true"] } });
    return planned.ok ? "" : planned.failure.message;
  };
  for (const isAnswer of [false, true]) {
    assert.equal(await says(), "");
    const id = add({ ...wide, decide: "allow" }, { isAnswer });
    assert.match(await says(), /rules cannot be read.*target: "\*" is a pattern/);
    assert.ok(removeRule({ id, scope: "project" }, places));
  }
});

test("a star in the name of the project is no pattern in ${project}", () => {
  const project = join(root, "pro*ject");
  mkdirSync(project);
  const rule = readRuleArgument('{ decide: allow, effect: push, target: "${project}", branch: reports }', {
    project,
    home: join(root, "home"),
  });
  assert.ok(rule.ok);
  const matches = (target: string) => matchesRule(rule.rule, { kind: "push", target, branch: "reports", by: "tool" });
  assert.deepEqual([matches(project), matches(join(root, "pro-other-ject"))], [true, false]);
});

test("a push's target can be written from the project or the home, in the rule and in its examples", () => {
  const read = (text: string) => readRuleArgument(text, { project: join(root, "project"), home: join(root, "home") });
  const rule = (target: string, more = "") => read(`{ decide: ask, effect: push, target: "${target}"${more} }`);
  for (const [written, meant] of [
    ["${project}", join(root, "project")],
    ["${project}/shop.git", join(root, "project/shop.git")],
    ["~/shop.git", join(root, "home/shop.git")],
    ["https://example.org/*", "https://example.org/*"],
  ] as const) {
    const found = rule(written);
    assert.ok(found.ok);
    assert.equal(found.rule.text.target, meant);
  }
  assert.ok(rule("${project}", ', examples: { match: ["${project} main"], not_match: ["/elsewhere main"] }').ok);
});
