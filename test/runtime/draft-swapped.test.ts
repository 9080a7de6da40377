// Programs of a session swap directories and files for links that lead out, while other calls of the same draft are being planned, built
// and carried out, by two gates. No call reads or changes anything outside, and the draft stays usable.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { readHolder, roomOfHolder } from "../../src/sandbox/draft-holder.ts";
import { mergedPath } from "../../src/sandbox/keeper-program.ts";
import { type DraftGate, makeProject, openDraft, type Project } from "../fixtures/draft-gate.ts";
import { isFull } from "../fixtures/runs.ts";

const ROUNDS = isFull ? 6 : 2;
const MOST_SWAPS = 1_000_000;

/** Swaps each name with a link, in one step of the kernel, until there is a file `stop`. Prints how often. */
const swapper = (outside: string) => `
import ctypes, os, time
libc = ctypes.CDLL(None, use_errno=True)
EXCHANGE = 2
pairs = [("d", "${outside}"), ("m", "${outside}"), ("f.txt", "${outside}/secret"), (".git/refs/heads", "${outside}"), (".git/info", "${outside}")]
for name, target in pairs:
  os.symlink(target, name + ".link")
count = 0
while not os.path.exists("stop") and count < ${MOST_SWAPS}:
  for name, _ in pairs:
    if libc.renameat2(-100, name.encode(), -100, (name + ".link").encode(), EXCHANGE) != 0:
      raise OSError(ctypes.get_errno(), name)
  count += 1
  time.sleep(0.0002)
for name, _ in pairs:
  if os.path.islink(name):
    os.rename(name, name + ".old")
    os.rename(name + ".link", name)
print(count)
`;

/** The same in several steps, with hard links, and with a directory that is gone in between: then another call may make it. */
const mover = (outside: string) => `
count=0
while [ ! -e stop ] && [ $count -lt ${MOST_SWAPS} ]; do
  mv -T e e.real; ln -sT ${outside} e; ln e.real/b.txt linked; rm -rf e linked; mv -T e.real e; mkdir -p n/n/n; mv n n2; rm -r n2; count=$((count + 1))
done
echo $count`;

const calls: readonly (readonly [tool: string, args: Record<string, unknown>])[] = [
  ["Bash", { script: "cat a.txt; cat d/secret e/secret m/secret f.txt; echo x > d/made; echo x > m/made; true" }],
  ["Bash", { script: "cat secret; echo x > made; true", cwd: "/workspace/d" }],
  ["Exec", { argv: ["/usr/bin/touch", "made"], cwd: "/workspace/e" }],
  ["Git", { op: "status", repo: "/workspace" }],
  ["read_file", { path: "d/secret" }],
  ["read_file", { path: "f.txt" }],
  ["write_file", { path: "d/made", content: "x" }],
  ["write_file", { path: "e/deep/made", content: "x" }],
  ["write_file", { path: "f.txt", content: "f\n" }],
  ["edit_file", { path: "d/b.txt", old_text: "b", new_text: "b" }],
  ["delete_file", { path: "d/secret" }],
  ["delete_file", { path: "m/made" }],
  ["list_files", { path: "e" }],
  ["search_files", { pattern: "SECRET" }],
  ["git_status", {}],
  ["git_diff", {}],
  ["git_stage", { files: ["d/b.txt", "f.txt"], message: "x" }],
];

/** Each call on each gate, all gates at the same time. */
async function callAll(gates: readonly DraftGate[]): Promise<string[]> {
  const replies = await Promise.all(
    gates.map(async (gate) => {
      const said: string[] = [];
      for (const [tool, args] of calls) said.push(`${tool} ${JSON.stringify(await gate.reply(tool, args))}`);
      return said;
    }),
  );
  return replies.flat();
}

const outsideOf = ({ outside }: Project) =>
  readdirSync(outside)
    .sort()
    .map((name) => `${name}: ${readFileSync(join(outside, name), "utf8")}`);

/** What a program without our care would do at the same place: it is led out. */
async function controlIsLedOut(project: Project): Promise<void> {
  const drafts = join(project.state, "drafts");
  const draft = join(drafts, readdirSync(drafts)[0] ?? "");
  const mounted = mergedPath(roomOfHolder(draft, readHolder(draft)));
  const led = { read: false, written: false };
  for (let tries = 0; tries < 100_000 && !(led.read && led.written); tries += 1) {
    try {
      led.read ||= readFileSync(join(mounted, "d/secret"), "utf8") === "SECRET\n";
    } catch {
      // it is the directory just now
    }
    writeFileSync(join(mounted, "d/control"), "");
    led.written = existsSync(join(project.outside, "control"));
    if (tries % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual(led, { read: true, written: true }, "control: the swapping leads others out");
  rmSync(join(project.outside, "control"));
}

test("calls that are made while others swap directories for links see and change nothing outside", async (t) => {
  const project = makeProject(t, {
    ".gitignore": "*.log\n",
    "a.txt": "a\n",
    "f.txt": "f\n",
    "d/b.txt": "b\n",
    "e/b.txt": "b\n",
    "m/t.txt": "t\n",
    "m/x.log": "x\n",
  });
  for (const name of ["b.txt", "t.txt", "secret", ...[...Array(ROUNDS).keys()].map((n) => `later-${n}.txt`)])
    writeFileSync(join(project.outside, name), "SECRET\n");
  const before = outsideOf(project);
  const gates = [openDraft(t, project), openDraft(t, project)];
  const [one, two] = gates as [DraftGate, DraftGate];
  await one.bash("rm -r m; mkdir m; echo t > m/t.txt"); // the kernel renames no directory that the project has too
  const swapping = one.reply("Python", { code: swapper(project.outside), timeout_s: 300 });
  const moving = two.reply("Bash", { script: mover(project.outside), timeout_s: 300 });
  let ended = false;
  void Promise.race([swapping, moving]).then(() => (ended = true));
  while (!ended && !(await two.bash("ls -A")).includes("d.link")) continue;
  assert.equal(ended, false, "control: both swap until they are told to stop");

  const replies: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    project.write(`m/later-${round}.txt`, "later\n"); // which the next call hides in the draft
    replies.push(...(await callAll(gates)));
  }
  replies.push(JSON.stringify(await one.reply("git_pull", {})));
  await controlIsLedOut(project);
  await one.bash("touch stop");
  for (const reply of [await swapping, await moving]) {
    assert.ok(reply.ok, JSON.stringify(reply));
    const { stdout, stderr } = reply.result as { stdout: string; stderr: string };
    assert.ok(Number(stdout) > 0, `control: swapped ${stdout} times: ${stderr}`);
  }
  assert.deepEqual(outsideOf(project), before);
  for (const reply of replies) {
    assert.doesNotMatch(reply.replaceAll(/"pattern":"SECRET"/g, ""), /SECRET|"internal"/);
    if (reply.startsWith("Bash") && !reply.includes('"ok":false')) assert.match(reply, /"stdout":"a|"stdout":""/);
  }
  for (const tool of ["Bash", "search_files", "git_status"])
    assert.ok(
      replies.some((reply) => reply.startsWith(`${tool} {"ok":true`)),
      `${tool} never worked`,
    );

  assert.equal(
    await two.bash(
      "cat a.txt; echo mine > d/mine.txt; cat d/mine.txt d/b.txt; git add -A; git commit -qm x; git log -1 --format=%s",
    ),
    "a\nmine\nb\nx\n",
  );
  assert.equal((await one.reply("git_status", {})).ok, true);
  assert.deepEqual(outsideOf(project), before);
});
