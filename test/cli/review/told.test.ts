// After a yes to a push `review` says what came of it: where it landed, or why it did not.

import assert from "node:assert/strict";
import test from "node:test";
import { noTerminal } from "../../fixtures/cli.ts";
import { openDialog } from "../../fixtures/dialog.ts";
import { newPusher } from "../../fixtures/waiting-push.ts";

const skip = noTerminal;

test("it landed: on which branch, as which commit; and a refusal after a yes says why", { skip }, async (t) => {
  const pusher = newPusher(t);
  const review = openDialog(t, pusher, ["review"], { columns: 160 });
  await review.until("Nothing waits");
  const first = pusher.push("one\n");
  await review.until("default git_push: ");
  await review.press("\r", "d", " ", "q", "a", "\r");
  await review.until(/q-\w+: It landed on branch work of /);
  assert.equal((await first).code, 0);
  const landed = pusher.head("work");
  await review.until(`as ${landed.slice(0, 12)}.`);

  const from = review.output().length;
  const second = pusher.push("two\n");
  await review.until("default git_push: ", from);
  pusher.moveOn("work");
  const meanwhile = pusher.head("work");
  await review.press("k", "\r", "d", " ", "q", "a", "\r");
  await review.until(/q-\w+: It failed: /, from);
  assert.notEqual((await second).code, 0);
  assert.equal(pusher.head("work"), meanwhile);
  await review.press("q");
  assert.equal(await review.ended, 0);
});
