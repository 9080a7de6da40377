// S12: in a terminal one stray key said yes: who typed `ls` had opened a session. Now a key only chooses, Enter says it,
// and a word that is typed by mistake chooses nothing. On a real terminal.

import assert from "node:assert/strict";
import test from "node:test";
import { noTerminal } from "../fixtures/cli.ts";
import { newAsker } from "../fixtures/asking.ts";
import { type Dialog, openDialog, pause } from "../fixtures/dialog.ts";

const skip = noTerminal;

async function type(dialog: Dialog, text: string, everyMs: number): Promise<void> {
  for (const character of text) {
    dialog.send(character);
    await pause(everyMs);
  }
}

async function isOpen(dialog: Dialog, after: string): Promise<void> {
  await pause(450);
  assert.doesNotMatch(dialog.output(), /sallyport: yes|yes, once\.|from outside/, after);
}

test("the prompt: a key, a word, a paste say nothing; a key and then Enter do", { skip }, async (t) => {
  const asker = newAsker(t);
  const dialog = openDialog(t, asker, asker.exec);
  await dialog.until("leave it unanswered");
  await pause(500);
  await type(dialog, "ls", 600);
  await isOpen(dialog, "ls, slowly: the s is of a word");
  await dialog.until('"ls" is no answer');
  await dialog.press("\r");
  for (const word of ["ls\r", "ps\r"]) {
    await type(dialog, word, 500);
    await isOpen(dialog, `${JSON.stringify(word)}, slowly`);
  }
  for (const word of ["cargo\r", "s\r"]) {
    await type(dialog, word, 90);
    await isOpen(dialog, `${JSON.stringify(word)}, as people type`);
    await dialog.press("\u001b");
  }
  for (const pasted of ["s\r", "\u001b[200~s\r\u001b[201~"]) {
    await dialog.press(pasted);
    await isOpen(dialog, `${JSON.stringify(pasted)}, pasted`);
  }
  await dialog.press("\u001b", "s");
  await dialog.until("yes, this session: every script and program of this agent may read");
  await isOpen(dialog, "the key alone");
  await dialog.press("\r"); // the control: chosen, read, said
  assert.equal(await dialog.ended, 0);
  const [answered, ...others] = asker.events("approval.answered");
  assert.deepEqual(others, []);
  assert.equal(answered?.outcome["scope"], "session");
  assert.match(
    String(answered?.outcome["means"]),
    /^every script and program of this agent may read the path below and all in it, in this session/,
  );
});

test("review: the same", { skip }, async (t) => {
  const asker = newAsker(t);
  asker.run([...asker.call]);
  const dialog = openDialog(t, asker, ["review", asker.waiting()[0]?.id ?? ""], { rows: 50 });
  await dialog.until("[a]pprove");
  await pause(500);
  await type(dialog, "ls\r", 500);
  await isOpen(dialog, "ls, slowly");
  await dialog.press("a");
  await dialog.until("yes, this session: every script");
  await isOpen(dialog, "the key alone");
  await dialog.press("x");
  await dialog.until('"sx" is no answer');
  await dialog.press("\r");
  await isOpen(dialog, "left with another key");
  await dialog.pressUntil("o", "yes, once: this call, now");
  await dialog.press("\r");
  await dialog.until("yes, once.");
  assert.equal(asker.events("approval.answered")[0]?.outcome["scope"], "once");
});
