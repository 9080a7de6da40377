// T24: a yes is for what surely is meant, a no for whatever may be.

import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import test, { type TestContext } from "node:test";
import type { Gate } from "../../src/index.ts";
import type { RuleText } from "../../src/policy/rule.ts";
import { scripted } from "../fixtures/approver.ts";
import { makeTestDirectories, openGate, type TestDirectories } from "../fixtures/gate.ts";
import { configWithPolicy, type PolicyText } from "../fixtures/policy.ts";
import { bare, exec, ran, refused } from "../fixtures/run.ts";

function open(t: TestContext, policy: PolicyText): { directories: TestDirectories; gate: Gate } {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const gate = openGate(directories, {}, { configText: configWithPolicy(directories, policy) });
  t.after(() => gate.close());
  return { directories, gate };
}

async function decisionOn(gate: Gate, argv: readonly string[]): Promise<string> {
  const planned = await gate.plan({ tool: "Exec", args: { argv } });
  return planned.ok ? planned.value.verdict.decision : planned.failure.error;
}

test("a file that the agent called echo is not the echo that was allowed", async (t) => {
  const rule: RuleText = { decide: "allow", effect: "run", argv: ["echo", "**"] };
  const { gate, directories } = open(t, { rules: [rule], otherwise: { run: "ask" } });
  const fake = `${directories.root}/echo`;
  writeFileSync(fake, `#!/bin/sh\n/usr/bin/touch ${directories.root}/made\n`);
  chmodSync(fake, 0o755);
  mkdirSync(`${directories.root}/usr/bin`, { recursive: true });
  symlinkSync(fake, `${directories.root}/usr/bin/echo`);
  for (const program of [fake, `${directories.root}/usr/bin/echo`]) refused(await exec(gate, [program, "hi"]));
  assert.ok(!existsSync(`${directories.root}/made`));
  assert.equal(ran(await exec(gate, ["/bin/echo", "hi"])).stdout, "hi\n");

  bare([fake, "hi"]);
  assert.ok(existsSync(`${directories.root}/made`), "control: the file does it");
});

test("a link of the agent's by the name of an allowed program does not make another program that one", async (t) => {
  const rule: RuleText = { decide: "allow", effect: "run", program: "true" };
  const { gate, directories } = open(t, { rules: [rule], otherwise: { run: "ask" } });
  symlinkSync("/usr/bin/touch", `${directories.root}/true`);
  refused(await exec(gate, [`${directories.root}/true`, `${directories.root}/made`]));
  assert.ok(!existsSync(`${directories.root}/made`));
  ran(await exec(gate, ["/usr/bin/true"]));
  bare([`${directories.root}/true`, `${directories.root}/made`]);
  assert.ok(existsSync(`${directories.root}/made`), "control");
});

const allowed: RuleText = { decide: "allow", effect: "run", argv: ["git", "log", "**"] };
const yeses: readonly (readonly [string, boolean])[] = [
  ["/usr/bin/git log", true],
  ["/usr/bin/git log --oneline", true],
  ["/usr/bin/git -c core.pager=./x log", false],
  ["/usr/bin/git -C /elsewhere log", false],
  ["/usr/bin/git --exec-path=/tmp log", false],
  ["/usr/bin/git logout", false],
  ["/usr/bin/git", false],
  ["/usr/bin/env git log", false],
  ["/usr/bin/timeout 5 git log", false],
  ["/usr/lib/git-core/git-log", false],
];
for (const [line, isMeant] of yeses) {
  test(`a yes to "git log" is ${isMeant ? "one" : "none"} to ${line}`, async (t) => {
    const { gate } = open(t, { rules: [allowed], otherwise: { run: "ask" } });
    assert.equal(await decisionOn(gate, line.split(" ")), isMeant ? "allow" : "ask");
  });
}

const forbidden: RuleText = { decide: "deny", effect: "run", argv: ["git", "log", "**"] };
const noes: readonly (readonly [readonly string[], boolean])[] = [
  [["/usr/bin/git", "log"], true],
  [["/usr/bin/git", "-C", "/tmp", "--no-pager", "log", "-p"], true],
  [["/usr/bin/git", "-c", "a.b=c", "log"], true],
  [["/usr/bin/env", "A=b", "git", "log"], true],
  [["/usr/bin/timeout", "5", "git", "log"], true],
  [["/usr/bin/nice", "-n", "5", "/usr/bin/git", "log"], true],
  [["/bin/sh", "-c", "cd /tmp && git log | cat"], true],
  [["/bin/sh", "-c", "g=git; $g log"], true],
  [["/bin/sh", "-c", 'git "$1"', "x", "log"], true],
  [["/bin/sh", "-c", "$(cat x)"], true],
  [["/usr/lib/git-core/git-log", "-p"], true],
  [["/bin/sh", "-c", "cd /usr/lib/git-core && ./git-log -p"], true],
  [["/usr/bin/git", "status"], false],
  [["/usr/lib/git-core/git-status"], false],
  [["/bin/echo", "git", "log"], false],
  [["/bin/echo", "/usr/lib/git-core/git-log"], false],
];
for (const [argv, isMeant] of noes) {
  test(`a no to "git log" ${isMeant ? "holds" : "says nothing"} for ${argv.join(" ")}`, async (t) => {
    const { gate } = open(t, { rules: [forbidden] });
    assert.equal(await decisionOn(gate, argv), isMeant ? "deny" : "allow");
  });
}

test("a link of another name that leads to git is git, for what it pushes and what it destroys", async (t) => {
  const { gate, directories } = open(t, {});
  symlinkSync("/usr/bin/git", `${directories.root}/g`);
  symlinkSync("/usr/bin/true", `${directories.root}/other`);
  const decisions = async (words: readonly string[]) => [
    await decisionOn(gate, [`${directories.root}/g`, ...words]),
    await decisionOn(gate, ["/bin/sh", "-c", `cd ${directories.root} && ./g ${words.join(" ")}`]),
    await decisionOn(gate, [`${directories.root}/other`, ...words]),
  ];
  assert.deepEqual(await decisions(["push", "../x", "main"]), ["deny", "deny", "allow"]);
  assert.deepEqual(await decisions(["reset", "--hard"]), ["deny", "deny", "allow"]);
  assert.deepEqual(await decisions(["status"]), ["allow", "allow", "allow"]);
  assert.match(bare([`${directories.root}/g`, "--version"]).stdout, /^git version/, "control: the link is git");
});

test("a person's always for a command is no yes to the same words of another program", async (t) => {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const approver = scripted(() => ({ scope: "everywhere" }));
  const gate = openGate(
    directories,
    {},
    { approvers: [approver], configText: configWithPolicy(directories, { otherwise: { run: "ask" } }) },
  );
  t.after(() => gate.close());
  ran(await exec(gate, ["/bin/echo", "hi"]));
  ran(await exec(gate, ["/usr/bin/echo", "hi"]));
  assert.equal(approver.asked.length, 1, "control: the same program by its other name is not asked about again");
  writeFileSync(`${directories.root}/echo`, "#!/bin/sh\n");
  chmodSync(`${directories.root}/echo`, 0o755);
  approver.says = () => ({ decision: "deny" });
  for (const argv of [[`${directories.root}/echo`, "hi"], ["/bin/echo", "hi", "you"], ["/bin/echo"]])
    refused(await exec(gate, argv));
  assert.equal(approver.asked.length, 4);
});
