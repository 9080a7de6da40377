// Files that others execute later wait for a yes when the call ends. A yes is for their paths, modes and bytes; without it they do not land.

import assert from "node:assert/strict";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import test, { type TestContext } from "node:test";
import { type Gate, queueApprover } from "../../../src/index.ts";
import { answerTo, type ScriptedApprover, scripted, waitingQuestion } from "../../fixtures/approver.ts";
import { type Grants, makeTestDirectories, openGate, type TestDirectories } from "../../fixtures/gate.ts";
import { keptLayers, layersOf } from "../../fixtures/layers.ts";
import { bash } from "../../fixtures/run.ts";

interface Yard extends TestDirectories {
  readonly gate: Gate;
  readonly person: ScriptedApprover;
}

function setUp(t: TestContext, files: Readonly<Record<string, string>> = {}, grants: Grants = {}): Yard {
  const directories = makeTestDirectories();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(`${directories.root}/${name}`), { recursive: true });
    writeFileSync(`${directories.root}/${name}`, text);
  }
  const person = scripted();
  const gate = openGate(directories, grants, { approvers: [person] });
  t.after(() => (gate.close(), directories.remove()));
  return { ...directories, gate, person };
}

// The reader of scripts cannot tell these names, so nobody is asked before the call.
const write = (root: string) =>
  `cd ${root}; v=.vsc""ode; e=.env""rc; echo plain > plain; mkdir -p $v; printf 'one\\ntwo\\n' > $v/tasks.json; printf 'echo hi\\n' > $e; chmod 755 $e`;

test("a yes lands them, with exactly what was shown; the rest landed before anybody was asked", async (t) => {
  const { root, state, gate, person } = setUp(t);
  let before: boolean[] = [];
  person.says = () => ((before = ["plain", ".envrc", ".vscode"].map((name) => existsSync(`${root}/${name}`))), {});
  const { not_kept, exit_code } = await bash(gate, write(root));
  assert.equal(exit_code, 0);
  assert.deepEqual([person.asked.length, not_kept ?? []], [1, []]);
  assert.deepEqual(before, [true, false, false]);
  assert.equal(readFileSync(`${root}/.vscode/tasks.json`, "utf8"), "one\ntwo\n");
  assert.equal(readFileSync(`${root}/.envrc`, "utf8"), "echo hi\n");
  assert.equal(statSync(`${root}/.envrc`).mode & 0o777, 0o755);
  assert.deepEqual(layersOf(state), []);

  const { text, offers, action } = person.asked[0] as (typeof person.asked)[0];
  for (const line of [`+ ${root}/.envrc (mode 755)`, "| echo hi", `+ ${root}/.vscode/tasks.json (mode 644)`, "| one", "| two"]) assert.ok(text.includes(line), `${line}: ${text}`); // prettier-ignore
  assert.deepEqual([...new Set(offers.map(({ decision, scope }) => `${decision} ${scope}`))].filter((one) => one.startsWith("allow")), ["allow once"]); // prettier-ignore
  assert.deepEqual(action.steps, []);
});

test("the question, the answer and the landing are on record, the landing before it happens", async (t) => {
  const { root, gate, person } = setUp(t);
  await bash(gate, write(root));
  const digest = person.asked[0]?.action.digest;
  const entries = [...gate.journal.entries()].filter((entry) => entry.digest === digest);
  assert.deepEqual(entries.map(({ event }) => event), ["approval.requested", "approval.answered", "tool.call.dispatched"]); // prettier-ignore
});

test("a no keeps them out, and the reply names them, the reason and where they are kept", async (t) => {
  const { root, state, gate, person } = setUp(t);
  person.says = () => ({ decision: "deny", reason: "not on my machine" });
  const { not_kept = [] } = await bash(gate, write(root));
  assert.deepEqual(not_kept.map(({ path }) => path).sort(), [`${root}/.envrc`, `${root}/.vscode`]);
  for (const { reason } of not_kept) assert.match(reason, /others execute it later.*A person said no: not on my machine.*kept for a day in .*kept-/); // prettier-ignore
  assert.deepEqual([existsSync(`${root}/plain`), existsSync(`${root}/.envrc`), existsSync(`${root}/.vscode`)], [true, false, false]); // prettier-ignore
  assert.equal(keptLayers(state).length, 1);
});

test("an answer that comes after the call counts for the next one that writes the same, and for no other bytes", async (t) => {
  const directories = makeTestDirectories();
  const { root } = directories;
  const gate = openGate(directories, {}, { approvers: [({ queue }) => queueApprover(queue)] });
  t.after(() => (gate.close(), directories.remove()));
  const first = await bash(gate, write(root));
  const question = await waitingQuestion(gate);
  for (const { reason } of first.not_kept ?? [])
    assert.match(reason, new RegExp(`A person can answer .*${question.id}`));
  const settled = await gate.answerService.answer(question.id, answerTo(question));
  assert.ok("decision" in settled);
  const other = await bash(gate, write(root).replace("echo hi", "echo other"));
  assert.equal(other.not_kept?.length, 2, "other bytes are another question");
  assert.equal(existsSync(`${root}/.envrc`), false);
  assert.deepEqual((await bash(gate, write(root))).not_kept ?? [], []);
  assert.equal(readFileSync(`${root}/.envrc`, "utf8"), "echo hi\n");
});

test("what is replaced or deleted waits too, also with the directory above it", async (t) => {
  const { root, gate, person } = setUp(t, {
    ".envrc": "old\n",
    "sub/.npmrc": "x\n",
    "sub/other": "x\n",
    ".vimrc": "v\n",
  });
  const script = `cd ${root}; e=.env""rc; v=.vim""rc; echo new > $e; rm -r sub; rm $v; ln -s target $v`;
  person.says = () => ({ decision: "deny" });
  await bash(gate, script);
  assert.deepEqual([".envrc", "sub/.npmrc", ".vimrc"].map((name) => readFileSync(`${root}/${name}`, "utf8")), ["old\n", "x\n", "v\n"]); // prettier-ignore
  assert.equal(existsSync(`${root}/sub/other`), false);
  person.says = () => ({});
  assert.deepEqual((await bash(gate, script)).not_kept ?? [], []);
  assert.equal(readFileSync(`${root}/.envrc`, "utf8"), "new\n");
  assert.deepEqual([existsSync(`${root}/sub/.npmrc`), readlinkSync(`${root}/.vimrc`)], [false, "target"]);
  const { text } = person.asked[1] as (typeof person.asked)[0];
  for (const line of [`M ${root}/.envrc`, `- ${root}/sub/.npmrc`, `M ${root}/.vimrc (a link)`]) assert.ok(text.includes(line), `${line}: ${text}`); // prettier-ignore
});

test("somebody else's change while the person thinks is not overwritten", async (t) => {
  const { root, gate, person } = setUp(t, { ".envrc": "old\n" });
  person.says = () => (writeFileSync(`${root}/.envrc`, "theirs\n"), {});
  const { not_kept = [] } = await bash(gate, `cd ${root}; e=.env""rc; echo agent > $e`);
  assert.match(not_kept[0]?.reason ?? "", /Somebody else changed .*\.envrc meanwhile.*kept for a day/);
  assert.equal(readFileSync(`${root}/.envrc`, "utf8"), "theirs\n");
});

const never: Readonly<Record<string, readonly [script: string, held: string, path?: string]>> = {
  "a git directory": ["g=.g''it; mkdir -p $g/hooks; echo x > $g/hooks/post-commit", ".git"],
  "a git directory in such a directory": ["v=.vsc''ode; g=.g''it; mkdir -p $v/$g/hooks; echo x > $v/$g/hooks/post-commit", ".vscode"], // prettier-ignore
  "where a link of such a name leads": ["echo x > tools/vscode/tasks.json", "tools/vscode", "tools/vscode/tasks.json"],
  "bytes that are not text": ["e=.env''rc; printf '\\377\\376' > $e", ".envrc"],
  "more than can be shown": ["e=.env''rc; head -c 20000 /dev/zero | tr '\\0' x > $e", ".envrc"],
};
for (const [what, [script, held, path = held]] of Object.entries(never)) {
  test(`nobody is asked, and it does not land: ${what}`, async (t) => {
    const { root, gate, person } = setUp(t, { "linked/x": "", "tools/vscode/x": "" });
    symlinkSync("../tools/vscode", `${root}/linked/.vscode`);
    const { not_kept = [] } = await bash(gate, `cd ${root}; t=tools; ${script.replace("> tools", "> $t")}`);
    assert.deepEqual([person.asked.length, not_kept.map((one) => one.path)], [0, [`${root}/${held}`]]);
    assert.equal(lstatSync(`${root}/${path}`, { throwIfNoEntry: false }), undefined);
  });
}

test("a rule that allows the path needs nobody", async (t) => {
  const rules = [{ decide: "allow", effect: "write", path: "/**/.vscode/**" }];
  const { root, gate, person } = setUp(t, {}, { policy: { rules } });
  await bash(gate, `cd ${root}; v=.vsc""ode; mkdir $v; echo x > $v/tasks.json`);
  assert.deepEqual([person.asked.length, existsSync(`${root}/.vscode/tasks.json`)], [0, true]);
});

test("a file of the host that the call moves to a name that others execute later lands after a yes", async (t) => {
  const { root, gate, person } = setUp(t, { script: "echo hi\n" });
  const { not_kept } = await bash(gate, `cd ${root}; e=.env""rc; mv script $e; echo more >> $e`);
  assert.deepEqual([person.asked.length, not_kept ?? [], existsSync(`${root}/script`)], [1, [], false]);
  assert.equal(readFileSync(`${root}/.envrc`, "utf8"), "echo hi\nmore\n");
});
