// The cases about the terminal itself, on a real one.

import { strict as assert } from "node:assert";
import type { TestContext } from "node:test";
import { join } from "node:path";
import { newAsker } from "../fixtures/asking.ts";
import { openDialog } from "../fixtures/dialog.ts";

export const onTerminal: Readonly<Record<string, (t: TestContext) => Promise<void>>> = {
  "appr-bind-child-writes-tty": noTerminalInTheBox,
  "appr-bind-raw-mode": rawMode,
  "appr-bind-concurrent-prompts": oneAfterAnother,
};

const forged = "Approve? y";

/** A program has no terminal to write to; its output goes through us, after the answer. */
async function noTerminalInTheBox(t: TestContext): Promise<void> {
  const asker = newAsker(t);
  const writeTo = (files: string) =>
    `for f in ${files}; do printf '${forged.replace("?", "\\077")}' > $f; done; echo done`;
  const script = writeTo("/dev/tty /dev/pts/* /dev/console /proc/self/fd/0");
  const dialog = openDialog(t, asker, [
    "exec",
    "--cwd",
    asker.outside,
    "--",
    "sh",
    "-c",
    `(sleep 0.1; ${script}) 2>/dev/null & wait; ${script}`,
  ]);
  await dialog.until("leave it unanswered");
  const shown = dialog.output().length;
  await dialog.pressUntil("o", "yes, once: this call, now");
  await dialog.press("\r");
  assert.equal(await dialog.ended, 0);
  assert.match(dialog.output(), /done/);
  assert.ok(!dialog.output().slice(shown).includes(forged), "nothing of it is on the screen");
  // Outside the box it writes to its own terminal alone: others are of people who work on this machine.
  const control = openDialog(t, asker, [], { shell: writeTo("/dev/tty /proc/self/fd/0") });
  await control.ended;
  assert.ok(control.output().includes(forged), "control: without us it is");
}

async function rawMode(t: TestContext): Promise<void> {
  const asker = newAsker(t);
  const raw = openDialog(t, asker, asker.exec, { shell: 'stty raw -echo; "$0" "$@"; code=$?; stty sane; exit $code' });
  raw.send("o");
  assert.equal(await raw.ended, 126);
  assert.doesNotMatch(raw.output(), /sallyport asks|from outside/);
  assert.equal(asker.events("approval.answered").length, 0);
  const control = openDialog(t, asker, asker.exec);
  await control.until("leave it unanswered");
  await control.pressUntil("o", "yes, once: this call, now");
  await control.press("\r");
  assert.equal(await control.ended, 0);
}

/** Two calls of one process: the second question is not on the screen before the first is answered. */
async function oneAfterAnother(t: TestContext): Promise<void> {
  const asker = newAsker(t);
  const program = join(import.meta.dirname, "two-prompts.ts");
  const dialog = openDialog(t, asker, [asker.outside], { shell: `"$0" ${program} "$2"`, rows: 60 });
  const asked = "leave it unanswered";
  await dialog.until(asked);
  const first = dialog.output();
  assert.equal(first.split(asked).length - 1, 1, "one question");
  assert.equal(["first", "second"].filter((name) => first.includes(`echo ${name}`)).length, 1);
  await dialog.pressUntil("o", "yes, once: this call, now");
  await dialog.press("\r");
  await dialog.until(asked, first.length);
  const before = dialog.output();
  assert.match(before, /yes, once/);
  await dialog.press("n");
  assert.equal(await dialog.ended, 0);
  const replies = /replies: (.*)/.exec(dialog.output())?.[1]?.trim().split(" ").sort();
  assert.deepEqual(replies, ["approval_denied", "ran"], "each answer is for its own question");
  const questions = asker.events("approval.answered").map(({ outcome }) => outcome["question"]);
  assert.equal(new Set(questions).size, 2);
}
