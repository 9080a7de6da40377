import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test, { suite } from "node:test";
import { noTerminal } from "../../fixtures/cli.ts";
import { newAsker } from "../../fixtures/asking.ts";
import { type Dialog, openDialog, pause } from "../../fixtures/dialog.ts";

const skip = noTerminal;
const asked = "leave it unanswered";

/** What the shell says of the terminal when the command is over. */
const thenStty = '"$0" "$@"; code=$?; stty -a | grep -o -- "-\\?icanon"; exit $code';

async function edit(dialog: Dialog, rule: string): Promise<void> {
  const from = dialog.output().length;
  await dialog.press("e");
  await dialog.until("rule: ", from);
  await pause(100);
  dialog.send(`\u0005\u0015${rule}\r`);
  await dialog.until("[Enter] keep", from);
}

async function isStillAsked(dialog: Dialog): Promise<void> {
  await pause(400);
  assert.doesNotMatch(dialog.output(), /sallyport: yes|from outside/);
}

// Each has a terminal and a state of its own, and mostly waits until a key counts.
suite("the prompt", { skip, concurrency: 4 }, () => {
  test("yes, once: it runs now, and the same call is asked about again", async (t) => {
    const asker = newAsker(t);
    const first = openDialog(t, asker, asker.exec, { shell: thenStty });
    await first.until(asked);
    assert.match(first.output(), /read .*outside: no grant covers it/);
    await first.press("o");
    await first.until("yes, once: this call, now");
    await first.press("\r");
    assert.equal(await first.ended, 0);
    assert.match(first.output(), /sallyport: yes, once\.[^]*from outside\r\nicanon/);
    const again = openDialog(t, asker, asker.exec);
    await again.until(asked);
    await again.press("q");
    assert.equal(await again.ended, 126);
    assert.match(again.output(), /left unanswered[^]*review q-/);
  });

  test("yes, this session: not asked again in it, without a terminal either; another session is", async (t) => {
    const asker = newAsker(t);
    const dialog = openDialog(t, asker, [...asker.call, "--session", "one"]);
    await dialog.until(asked);
    await dialog.pressUntil("s", "yes, this session: ");
    await dialog.press("\r");
    assert.equal(await dialog.ended, 0);
    assert.equal(asker.run([...asker.call, "--session", "one"]).code, 0);
    const other = asker.run([...asker.call, "--session", "two"]);
    assert.equal(other.code, 1);
    assert.match(other.out, /"error":"fs_denied".*review q-/);
  });

  test("no, and why: the agent gets the reason; stdout holds the one reply and nothing of the dialog", async (t) => {
    const asker = newAsker(t);
    const dialog = openDialog(t, asker, asker.call, { shell: '"$0" "$@" > reply.json' });
    await dialog.until(asked);
    await dialog.press("r");
    await dialog.until("reason: ");
    dialog.send("nimm die Testdaten, bitte: grün\r");
    assert.equal(await dialog.ended, 1);
    const reply = JSON.parse(readFileSync(`${asker.project}/reply.json`, "utf8")) as Record<string, unknown>;
    assert.equal(reply["error"], "approval_denied");
    assert.match(String(reply["message"]), /nimm die Testdaten, bitte: grün/);
    assert.match(asker.events("approval.answered")[0]?.because[0] ?? "", /^a person: .+ at pts\/\d+$/);
  });

  test("nobody is asked through a pipe, on a terminal in raw mode, or in the background", async (t) => {
    const asker = newAsker(t);
    const ways = [
      'yes o | "$0" "$@"',
      'stty raw; "$0" "$@"; code=$?; stty sane; exit $code',
      'set -m; "$0" "$@" & wait $!',
      '"$0" "$@" 2> errors',
    ];
    for (const shell of ways) {
      const dialog = openDialog(t, asker, asker.exec, { shell });
      assert.equal(await dialog.ended, 126, shell);
      assert.doesNotMatch(dialog.output(), /sallyport asks|from outside/, shell);
    }
    assert.equal(asker.events("approval.answered").length, 0);
    const control = openDialog(t, asker, asker.exec, { shell: '"$0" "$@"' });
    await control.until("sallyport asks");
    control.send("\u0003");
    assert.equal(await control.ended, 130);
  });

  test("always: the rule is shown, can be edited, must still be about the call, and holds from then on", async (t) => {
    const asker = newAsker(t);
    const dialog = openDialog(t, asker, asker.exec, { columns: 120 });
    await dialog.until(asked);
    await dialog.press("p");
    await dialog.until(`{ decide: allow, effect: read, path: ${asker.outside} }`);
    await edit(dialog, "{ decide: allow, effect: read, path: /elsewhere }");
    await dialog.until("not about this call any more");
    await edit(dialog, "{ decide: allow, effect: read, pth: /elsewhere }");
    await dialog.until("Did you mean path?");
    await edit(dialog, `{ decide: allow, effect: read, path: ${asker.root}/out* }`);
    await dialog.press("\r");
    assert.equal(await dialog.ended, 0);
    assert.match(dialog.output(), /yes, always in this project/);
    assert.equal(asker.run([...asker.exec]).code, 0);
    assert.equal(asker.run(["exec", "--project", asker.root, ...asker.exec.slice(1)]).code, 126, "another project");
  });

  test("no, always: from then on it is refused without a question", async (t) => {
    const asker = newAsker(t);
    const dialog = openDialog(t, asker, asker.exec);
    await dialog.until(asked);
    await dialog.press("N");
    await dialog.until("[Enter] keep");
    await dialog.press("\r");
    assert.equal(await dialog.ended, 126);
    const again = openDialog(t, asker, asker.exec);
    assert.equal(await again.ended, 126);
    assert.doesNotMatch(again.output(), /sallyport asks/);
  });

  test("answered elsewhere: the prompt goes away and says so, and the call goes on", async (t) => {
    const asker = newAsker(t);
    const prompt = openDialog(t, asker, asker.exec);
    await prompt.until(asked);
    const [question] = asker.waiting();
    const other = openDialog(t, asker, ["review", question?.id ?? "", "--allow", "once"]);
    assert.equal(await other.ended, 0);
    assert.equal(await prompt.ended, 0);
    assert.match(prompt.output(), /answered elsewhere: yes, once\. \(.+ at pts\/\d+\)[^]*from outside/);
  });

  test("--dangerously-allow-all says yes, loudly", async (t) => {
    const asker = newAsker(t);
    const piped = asker.run(["exec", "--dangerously-allow-all", ...asker.exec.slice(1)]);
    assert.deepEqual([piped.code, piped.out], [0, "from outside\n"]);
    assert.match(piped.err, /WARNING: --dangerously-allow-all/);
    const seen = openDialog(t, asker, ["exec", "--dangerously-allow-all", ...asker.exec.slice(1)]);
    assert.equal(await seen.ended, 0);
    assert.ok(seen.output().includes("\u001b[31;1mWARNING"));
  });
});

// How soon after something a key comes matters here: alone.
test("what was typed before the question was drawn, or at once after it, answers nothing", { skip }, async (t) => {
  const asker = newAsker(t);
  const dialog = openDialog(t, asker, asker.exec);
  dialog.send("o");
  for (let typed = 0; typed < 500 && !dialog.output().includes("unanswered"); typed += 1) {
    dialog.send("os\r"[typed % 3] as string);
    await pause(30);
  }
  dialog.send("o");
  await pause(100);
  dialog.send("o");
  await isStillAsked(dialog);
  await dialog.press("n");
  assert.equal(await dialog.ended, 126);
  assert.doesNotMatch(dialog.output(), /from outside/);
  assert.equal(asker.events("approval.answered").length, 1);
});

test("pastes, key sequences, Enter and a single key answer nothing; a key and then Enter do", { skip }, async (t) => {
  const asker = newAsker(t);
  const dialog = openDialog(t, asker, asker.exec);
  await dialog.until(asked);
  for (const text of ["so", "o\r", "\u001bOs", "\u001b[200~o\u001b[201~", "\r", " ", "y", "\u001b"]) {
    await dialog.press(text);
    await isStillAsked(dialog);
  }
  // The bytes of a sequence, or of a paste, one by one.
  for (const text of ["\u001b", "O", "s"]) {
    dialog.send(text);
    await pause(10);
  }
  await isStillAsked(dialog);
  await dialog.press("\u001b"); // on a busy machine the last of these bytes came late enough to be a key
  await dialog.pressUntil("o", "yes, once: this call, now");
  await isStillAsked(dialog);
  await dialog.press("\r");
  assert.equal(await dialog.ended, 0);
});

test("Ctrl-C, SIGTERM and time leave the terminal as it was", { skip }, async (t) => {
  const asker = newAsker(t, "approvals: { timeout_s: 3 }\n");
  const interrupted = openDialog(t, asker, asker.exec, { shell: thenStty });
  await interrupted.until(asked);
  await interrupted.press("\u0003");
  assert.equal(await interrupted.ended, 130);
  const late = openDialog(t, asker, asker.call, { shell: thenStty });
  assert.equal(await late.ended, 1);
  assert.match(late.output(), /nobody answered in time[^]*approval_timeout/);
  const slow = newAsker(t);
  const ended = openDialog(t, slow, slow.exec, {
    shell: thenStty.replace('"$0"', () => `bash -c 'echo "pid $$."; exec "$@"' - "$0"`),
  });
  await ended.until(asked);
  await pause(300);
  process.kill(Number(/pid (\d+)\./.exec(ended.output())?.[1]), "SIGTERM");
  assert.equal(await ended.ended, 143);
  for (const one of [interrupted, late, ended]) assert.match(one.output(), /\bicanon\r\n$/);
});
