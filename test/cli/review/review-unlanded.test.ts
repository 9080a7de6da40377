// What sessions have not landed, in an open review on a real terminal.

import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { noTerminal } from "../../fixtures/cli.ts";
import { newChanger } from "../../fixtures/changed-session.ts";
import { openDialog } from "../../fixtures/dialog.ts";

// Each has a terminal and a state of its own, and mostly waits until a key counts.
suite("what sessions have not landed", { skip: noTerminal, concurrency: 3 }, () => {
  test("a session opens with its diff, and lands on a branch once what would land was shown", async (t) => {
    const person = newChanger(t, { "a.txt": "one\n" });
    person.bash("fix", "echo two >> a.txt");
    const review = openDialog(t, person, ["review"], { columns: 110 });
    await review.until(/changes \S+ +fix {2}default {2}1 file \+1 -0/);
    assert.match(review.output(), /0 questions wait, 1 not landed/);
    await review.pressUntil("\r", "not landed: session fix");
    await review.until("[l]and [h]ere [x] discard");
    await review.pressUntil("d", /\+│two/);
    await review.pressUntil("q", "[l]and [h]ere [x] discard");
    await review.pressUntil("l", "branch: sallyport/fix");
    await review.pressUntil("\r", "message: Changes of session fix");
    await review.pressUntil("\r", "sallyport asks: push");
    assert.equal(person.git("branch", "--list", "sallyport/*"), "", "nothing lands before the answer");
    await review.pressUntil("a", "1 of 1 file not looked at: a again to approve");
    await review.pressUntil("d", /\+│two/);
    await review.pressUntil("q", "sallyport asks: push");
    await review.pressUntil("a", "yes, once: this call, now");
    await review.pressUntil("\r", /1 file landed as [0-9a-f]{12} on sallyport\/fix/);
    assert.equal(person.git("show", "sallyport/fix:a.txt"), "one\ntwo\n");
    assert.match(String(person.events("session.landed")[0]?.outcome["who"]), / at pts\//);
    await review.press("q");
    assert.equal(await review.ended, 0);
  });

  test("into the files: the conflict is named, r leaves it, a and Enter write it", async (t) => {
    const person = newChanger(t, { "b.txt": "b\n" });
    person.bash("fix", "echo agent > b.txt");
    person.write("b.txt", "mine\n");
    const review = openDialog(t, person, ["review"], { columns: 110 });
    await review.until(/changes \S+ +fix /);
    await review.pressUntil("\r", "[h]ere");
    await review.pressUntil("h", /CONFLICT +b\.txt/);
    await review.pressUntil("r", "It was left as it is.");
    assert.equal(person.read("b.txt"), "mine\n");
    await review.pressUntil("\r", "[h]ere");
    await review.pressUntil("h", /CONFLICT +b\.txt/);
    await review.pressUntil("d", "<<<<<<< here");
    await review.pressUntil("q", /CONFLICT +b\.txt/);
    await review.pressUntil("a", "[Enter] says yes");
    assert.equal(person.read("b.txt"), "mine\n");
    await review.pressUntil("\r", "1 file was changed in the project, 1 with conflict marks");
    assert.match(person.read("b.txt"), /^<<<<<<< here\nmine\n/);
  });

  test("discarding takes two keys, and nothing that was not shown: a session that went on is left", async (t) => {
    const person = newChanger(t, { "a.txt": "one\n" });
    person.bash("fix", "echo two >> a.txt");
    const review = openDialog(t, person, ["review"], { columns: 110 });
    await review.until(/changes \S+ +fix /);
    await review.pressUntil("\r", "[x] discard");
    await review.pressUntil("x", "[Enter] says yes");
    await review.pressUntil("q", "[x] discard");
    assert.match(person.changes("list").out, /fix/);
    person.bash("fix", "echo three >> a.txt");
    await review.pressUntil("x", "[Enter] says yes");
    const from = review.output().length;
    await review.pressUntil("\r", "has changed something since you looked. Nothing was discarded.");
    await review.until(/1 file \+2 -0/, from);
    await review.pressUntil("\r", "[x] discard");
    await review.pressUntil("x", "[Enter] says yes");
    await review.pressUntil("\r", "Discarded. `");
    assert.match(person.changes("list").out, /^No session has work/);
    assert.equal(person.changes("restore", "fix").code, 0);
  });
});
