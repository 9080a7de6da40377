// T26: a yes to a file that the agent can change is for the bytes that were judged, once.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import test, { type TestContext } from "node:test";
import type { Gate, Question } from "../../src/index.ts";
import { scripted, type ScriptedApprover } from "../fixtures/approver.ts";
import { makeTestDirectories, openGate, type TestDirectories } from "../fixtures/gate.ts";
import { bare, exec, ran, refused } from "../fixtures/run.ts";

interface Bench {
  readonly directories: TestDirectories;
  readonly script: string;
  readonly approver: ScriptedApprover;
  readonly gate: Gate;
}

const good = "#!/bin/sh\necho good\n";
const evil = (directories: TestDirectories) => `#!/bin/sh\necho evil; touch ${directories.root}/made\n`;

function newBench(t: TestContext): Bench {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const script = `${directories.root}/x.sh`;
  writeFileSync(script, good);
  chmodSync(script, 0o755);
  const approver = scripted();
  const gate = openGate(directories, {}, { approvers: [approver] });
  t.after(() => gate.close());
  return { directories, script, approver, gate };
}

/** Each is a way to start the script; the working directory makes it a question. */
const ways: readonly (readonly [string, (script: string) => readonly string[]])[] = [
  ["itself", (script) => [script]],
  ["a shell", (script) => ["/bin/sh", script]],
  ["a shell with options", (script) => ["/bin/bash", "-e", script]],
  ["env", (script) => ["/usr/bin/env", "A=b", script]],
  ["a wrapper", (script) => ["/usr/bin/timeout", "5", script]],
  ["a wrapper and a shell", (script) => ["/usr/bin/nice", "/bin/sh", script]],
  ["a shell's line", (script) => ["/bin/sh", "-c", script]],
  ["a shell's line with a shell", (script) => ["/bin/sh", "-c", `sh ${script}`]],
];

for (const [name, argv] of ways) {
  test(`through ${name}: changed between the yes and the start, it does not run; and a yes is once only`, async (t) => {
    const { directories, script, approver, gate } = newBench(t);
    const call = () => exec(gate, argv(script), { cwd: directories.outside });
    assert.equal(ran(await call()).stdout, "good\n");
    const [first] = approver.asked as [Question];
    assert.deepEqual(
      first.action.contents.map(({ path }) => path),
      [script],
    );
    assert.deepEqual(
      first.offers.filter(({ decision }) => decision === "allow").map(({ scope }) => scope),
      ["once"],
    );
    assert.match(first.text, /sha256 [0-9a-f]{64}/);

    approver.says = () => {
      writeFileSync(script, evil(directories));
      return {};
    };
    assert.equal(refused(await call()).error, "changed");
    assert.ok(!existsSync(`${directories.root}/made`));

    approver.says = () => ({ decision: "deny" });
    refused(await call());
    const second = approver.asked[2] as Question;
    assert.notEqual(second.action.digest, first.action.digest, "other bytes are another action");

    bare(argv(script), { cwd: directories.outside });
    assert.ok(existsSync(`${directories.root}/made`), "control: what was put there does it");
  });
}

test("a yes that was remembered for a program does not hold once the agent can change what it runs", async (t) => {
  const { directories, script, approver, gate } = newBench(t);
  approver.says = () => ({ scope: "session" });
  ran(await exec(gate, ["/bin/echo"], { cwd: directories.outside }));
  ran(await exec(gate, ["/bin/echo"], { cwd: directories.outside }));
  assert.equal(approver.asked.length, 1);
  approver.says = () => ({ decision: "deny" });
  refused(await exec(gate, ["/bin/sh", script], { cwd: directories.outside }));
  assert.equal(approver.asked.length, 2);
});

test("the script is swapped all the time: nobody's yes is used for other bytes than were shown", async (t) => {
  const { directories, script, approver, gate } = newBench(t);
  writeFileSync(`${directories.outside}/good`, good);
  writeFileSync(`${directories.outside}/evil`, evil(directories));
  const put = (name: string) =>
    `cp ${directories.outside}/${name} ${directories.root}/n && mv ${directories.root}/n ${script}`;
  const swapper = spawn("/bin/bash", ["-c", `while :; do ${put("evil")}; ${put("good")}; done`], { stdio: "ignore" });
  t.after(() => swapper.kill("SIGKILL"));
  // A person who knows the good one, and says yes to nothing else.
  const wanted = await goodHash(gate, directories);
  approver.says = ({ action }) => ({ decision: action.contents[0]?.sha256 === wanted ? "allow" : "deny" });
  const seen: Record<string, number> = { changed: 0, approval_denied: 0 };
  const isSwapped = () => (seen["approval_denied"] ?? 0) > 0 && (seen["changed"] ?? 0) > 0;
  // On a busy machine the two seldom meet at first.
  for (let round = 0; round < 60 || (round < 1_000 && !isSwapped()); round += 1) {
    const before = approver.asked.length;
    const reply = await exec(gate, ["/bin/sh", script], { cwd: directories.outside });
    const shown = approver.asked[before]?.action.contents[0]?.sha256;
    if (reply.ok || reply.error === "changed") assert.equal(shown, wanted, JSON.stringify(reply));
    if (!reply.ok) seen[reply.error] = (seen[reply.error] ?? 0) + 1;
  }
  assert.ok(isSwapped(), `the swapper was at work: ${JSON.stringify(seen)}`);
});

async function goodHash(gate: Gate, directories: TestDirectories): Promise<string | undefined> {
  mkdirSync(`${directories.root}/copy`, { recursive: true });
  writeFileSync(`${directories.root}/copy/draft`, good);
  renameSync(`${directories.root}/copy/draft`, `${directories.root}/copy/x.sh`);
  const planned = await gate.plan({ tool: "Exec", args: { argv: ["/bin/sh", `${directories.root}/copy/x.sh`] } });
  assert.ok(planned.ok);
  rmSync(`${directories.root}/copy`, { recursive: true });
  return planned.value.action.contents[0]?.sha256;
}
