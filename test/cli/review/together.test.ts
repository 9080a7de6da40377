// Questions that ask for the same in `review`: under one heading, chosen by filters, and answered with one action.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { suite, type TestContext } from "node:test";
import { type Asker, newAsker } from "../../fixtures/asking.ts";
import { noTerminal } from "../../fixtures/cli.ts";
import { type Dialog, openDialog, pause } from "../../fixtures/dialog.ts";

const skip = noTerminal;
const same = ["note", "./note", ".//note", ".///note"];

/** Calls that wait, and are alike: all of them read one directory. */
function beginAlike(asker: Asker, count: number) {
  return same.slice(0, count).map((file) => asker.begin([...asker.exec.slice(0, -1), file]));
}

async function openList(t: TestContext, asker: Asker, size: { columns?: number; rows?: number } = {}): Promise<Dialog> {
  const review = openDialog(t, asker, ["review"], size);
  await review.until("Nothing waits");
  return review;
}

const screen = (review: Dialog) => review.grid().rows.join("\n");

suite("questions that are alike", { skip, concurrency: 3 }, () => {
  test("a yes is for those that were on the screen whole and have their mark; the others wait on", async (t) => {
    const asker = newAsker(t);
    const review = await openList(t, asker);
    const calls = beginAlike(asker, 4);
    await review.until("4 ask for the same, [t]: read ");
    await review.pressUntil("t", "4 questions ask for the same.");
    await review.pressUntil("a", "Not yet: no question with its mark was on the screen whole");
    assert.match(screen(review), /→ \[x\] 1 of 4, not read to its end/);
    await review.pressUntil(" ", "[a]pprove 1 [r]eject 4");
    await review.pressUntil("a", "yes, once, to 1 question. For each: this call, now");
    assert.match(screen(review), /3 questions with the mark were not on the screen whole, and wait on/);
    await review.pressUntil("\r", "1 question: yes, once.");
    assert.equal(asker.waiting().length, 3);

    await review.pressUntil("t", "3 questions ask for the same.");
    await review.pressUntil("n", "→ [x] 2 of 3");
    await review.pressUntil("x", "→ [ ] 2 of 3");
    const without = /\[ \] 2 of 3.*(q-[0-9a-f]+)/.exec(screen(review))?.[1];
    for (let page = 0; page < 20 && !screen(review).includes("[a]pprove 2"); page += 1) {
      await review.press(page === 0 ? "\u001b[H" : " ");
      await pause(100);
    }
    await review.pressUntil("a", "yes, once, to 2 questions.");
    assert.doesNotMatch(screen(review), /not on the screen whole/, "what has no mark is not counted");
    await review.pressUntil("\r", "2 questions: yes, once.");
    const left = asker.waiting();
    assert.equal(left.length, 1);
    assert.equal(left[0]?.id, without, "the one without its mark");
    const answered = asker.events("approval.answered");
    assert.deepEqual(
      answered.map(({ outcome }) => [outcome["decision"], outcome["scope"]]),
      Array.from({ length: 3 }, () => ["allow", "once"]),
    );
    await review.press("q");
    assert.equal(await review.ended, 0);
    for (const call of calls) call.kill();
  });

  test("a no is for all with their mark, with a reason for the agents; one that was answered elsewhere is left", async (t) => {
    const asker = newAsker(t);
    const review = await openList(t, asker);
    const calls = beginAlike(asker, 3);
    await review.until("3 ask for the same");
    await review.pressUntil("t", "3 questions ask for the same.");
    const [first] = asker.waiting();
    const other = openDialog(t, asker, ["review", first?.id ?? "", "--deny"]);
    assert.equal(await other.ended, 0);
    await review.until("[r]eject 2");
    await review.pressUntil("r", "No to 2 questions. Why not?");
    await review.until("reason: ");
    review.send("use the copy\r");
    await review.until("2 questions: no.");
    const replies = await Promise.all(calls.map(({ done }) => done));
    assert.equal(replies.filter(({ out, err }) => `${out}${err}`.includes("use the copy")).length, 2);
    assert.deepEqual(
      replies.map(({ code }) => code === 0),
      [false, false, false],
    );
    await review.press("q");
    assert.equal(await review.ended, 0);
  });

  test("f filters by risk and sorts, at 48 columns too, and no line is wider", async (t) => {
    const asker = newAsker(t);
    writeFileSync(join(asker.outside, "tool"), "#!/bin/sh\necho done\n", { mode: 0o755 });
    const review = await openList(t, asker, { columns: 48 });
    const calls = [...beginAlike(asker, 2), asker.begin(["exec", "--", join(asker.outside, "tool")])];
    await review.until("3 questions wait");
    await review.until("2 ask for the same, [t]");
    const questions = () => review.grid().rows.filter((row) => /^[> ] +(?:medium )?\d+s /.test(row));
    await review.pressUntil("f", "[ ] oldest first");
    assert.match(screen(review), /\[x\] agents and sessions take turns/);
    for (const row of review.grid().rows) assert.ok(row.length <= 48, row);
    assert.equal(review.grid().overflows, 0);
    await review.press("j", "j", "j");
    await review.pressUntil("\r", "[x] highest risk first");
    await review.press("j");
    await review.until(/> \[ \] (?:medium|low) \(\d\)/);
    if (/> \[ \] low/.test(screen(review))) await review.pressUntil("j", /> \[ \] medium \(1\)/);
    await review.pressUntil("\r", "1 of 3 questions wait with risk medium");
    await review.pressUntil("q", "[Enter] open");
    assert.equal(questions().length, 1, screen(review));
    assert.match(questions()[0] ?? "", /^> medium /);
    await review.press("f");
    await review.pressUntil("c", "3 questions wait, highest risk first");
    await review.pressUntil("f", "[Enter] open");
    assert.equal(questions().length, 3, screen(review));
    assert.match(questions()[0] ?? "", /medium/, "the order stays");
    await review.pressUntil("?", "f: order and filters");
    for (const row of review.grid().rows) assert.ok(row.length <= 48, row);
    await review.press("q");
    await review.pressUntil("j", /> .*cat \S*note/);
    await review.pressUntil("t", "2 questions ask for the same.");
    await review.pressUntil("?", "x: takes the mark of the question away");
    await review.press(" ", " ", " ");
    assert.equal(review.grid().overflows, 0);
    await review.press("q", "q");
    assert.equal(await review.ended, 0);
    for (const call of calls) call.kill();
  });

  test("a question that stands alone has no heading, and t opens nothing", async (t) => {
    const asker = newAsker(t);
    const review = await openList(t, asker);
    const [call] = beginAlike(asker, 1);
    await review.until("1 question waits");
    assert.doesNotMatch(screen(review), /ask for the same/);
    await review.pressUntil("t", "No other question in the list asks for the same.");
    await review.press("q");
    assert.equal(await review.ended, 0);
    call?.kill();
  });
});

// How soon after something a key comes matters here: alone.
test("keys that came before the screen, and typed words, answer none of them", { skip }, async (t) => {
  const asker = newAsker(t);
  for (const file of same.slice(0, 2)) asker.run([...asker.exec.slice(0, -1), file]);
  assert.equal(asker.waiting().length, 2, "both wait: nobody could be asked");
  const review = openDialog(t, asker, ["review"], { rows: 100 });
  await review.until("2 ask for the same");
  await review.pressUntil("t", "2 questions ask for the same.");
  for (const key of ["a", "\r", "a", "\r"]) {
    review.send(key);
    await pause(60);
  }
  assert.equal(asker.waiting().length, 2);
  await review.press("l");
  await review.until(/is no answer/);
  for (const key of ["a", "\r"]) {
    review.send(key);
    await pause(150);
  }
  review.send("a\r"); // pasted
  await pause(500);
  assert.equal(asker.waiting().length, 2);
  await pause(2_000); // a word is forgotten after a while
  await review.pressUntil("a", "yes, once, to 2 questions."); // the control: the same keys, later and alone
  await review.pressUntil("\r", "2 questions: yes, once.");
  assert.equal(asker.waiting().length, 0);
  await review.press("q");
  assert.equal(await review.ended, 0);
});
