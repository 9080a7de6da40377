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
    await review.press("\r");
    await review.until("not landed: session fix");
    await review.until("[l]and [h]ere [x] discard");
    await review.press("d");
    await review.until(/\+│two/);
    await review.press("q", "l");
    await review.until("branch: sallyport/fix");
    await review.press("\r");
    await review.until("message: Changes of session fix");
    await review.press("\r");
    await review.until("sallyport asks: push");
    assert.equal(person.git("branch", "--list", "sallyport/*"), "", "nothing lands before the answer");
    await review.press("a");
    await review.until("1 of 1 file not looked at: a again to approve");
    await review.press("d", "q", "a");
    await review.until("yes, once: this call, now");
    await review.press("\r");
    await review.until(/1 file landed as [0-9a-f]{12} on sallyport\/fix/);
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
    await review.press("\r", "h");
    await review.until(/CONFLICT +b\.txt/);
    await review.press("r");
    await review.until("It was left as it is.");
    assert.equal(person.read("b.txt"), "mine\n");
    const from = review.output().length;
    await review.press("\r", "h");
    await review.until(/CONFLICT +b\.txt/, from);
    await review.press("d");
    await review.until("<<<<<<< here", from);
    await review.press("q", "a");
    await review.until("[Enter] says yes", from);
    assert.equal(person.read("b.txt"), "mine\n");
    await review.press("\r");
    await review.until("1 file was changed in the project, 1 with conflict marks", from);
    assert.match(person.read("b.txt"), /^<<<<<<< here\nmine\n/);
  });

  test("discarding takes two keys, and nothing that was not shown: a session that went on is left", async (t) => {
    const person = newChanger(t, { "a.txt": "one\n" });
    person.bash("fix", "echo two >> a.txt");
    const review = openDialog(t, person, ["review"], { columns: 110 });
    await review.until(/changes \S+ +fix /);
    await review.press("\r", "x");
    await review.until("[Enter] says yes");
    await review.press("q");
    assert.match(person.changes("list").out, /fix/);
    person.bash("fix", "echo three >> a.txt");
    await review.press("x", "\r");
    await review.until("has changed something since you looked. Nothing was discarded.");
    const from = review.output().length;
    await review.until(/1 file \+2 -0/, from);
    await review.press("\r", "x", "\r");
    await review.until("Discarded. `", from);
    assert.match(person.changes("list").out, /^No session has work/);
    assert.equal(person.changes("restore", "fix").code, 0);
  });
});
