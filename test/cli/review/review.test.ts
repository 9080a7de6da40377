import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import test, { suite } from "node:test";
import { noTerminal } from "../../fixtures/cli.ts";
import { newAsker } from "../../fixtures/asking.ts";
import { openDialog, pause } from "../../fixtures/dialog.ts";

const skip = noTerminal;

// Each has a terminal and a state of its own, and mostly waits until a key counts.
suite("a review", { skip, concurrency: 4 }, () => {
  test("a call without a terminal waits for an open review, and goes on with its yes", async (t) => {
    const asker = newAsker(t);
    const review = openDialog(t, asker, ["review"]);
    await review.until("Nothing waits");
    const waiting = asker.begin(asker.call);
    await review.until("default Exec: /usr/bin/cat note"); // by itself
    await review.press("\r");
    await review.until("1-22 of");
    await review.press("a");
    await review.until("Not yet: the rest of the question was not on the screen");
    await review.press(" ", " ", "a");
    await review.until("yes, this session: every script and program of this agent may read the path");
    await review.press("\r");
    await review.until("yes, for this session.");
    assert.doesNotMatch(review.output(), /has ended/);
    const { code, out } = await waiting.done;
    assert.equal(code, 0);
    assert.match(out, /from outside/);
    assert.equal(asker.run([...asker.call]).code, 0, "the session's yes holds");
    await review.press("q");
    assert.equal(await review.ended, 0);
    assert.equal(review.grid().isAlternate, false);
  });

  test("a new question rings the bell and is in the window's title, which comes back at the end", async (t) => {
    const asker = newAsker(t);
    const review = openDialog(t, asker, ["review"]);
    await review.until("Nothing waits");
    assert.ok(review.output().startsWith("\u001b[22;2t"), "the title is kept");
    assert.ok(review.output().includes("\u001b]2;Sallyport: 0 questions wait\u0007"));
    const from = review.output().length;
    const waiting = asker.begin(asker.call);
    await review.until("default Exec: /usr/bin/cat note");
    assert.ok(review.output().slice(from).includes("\u001b]2;Sallyport: 1 question waits\u0007\u0007"));
    const rung = review.output().split("\u0007").length;
    await review.press("\r", "r");
    await review.until("reason: ");
    review.send("\r");
    await waiting.done;
    await review.until("Nothing waits", from);
    assert.equal(review.output().split("\u0007").length, rung + 1, "the title alone");
    await review.press("q");
    assert.equal(await review.ended, 0);
    assert.ok(review.output().includes("\u001b[23;2t"));
  });

  test("after a yes, the review says what came of it: the exit code of the program, or why it failed", async (t) => {
    const asker = newAsker(t);
    const review = openDialog(t, asker, ["review"]);
    await review.until("Nothing waits");
    for (const [file, end] of [
      ["note", /q-\w+: It ran: exit 0 after [\d.]+ m?s\./],
      ["none-of-this", /q-\w+: It ran: exit 1 after [\d.]+ m?s\./],
    ] as const) {
      const from = review.output().length;
      const waiting = asker.begin([...asker.exec.slice(0, -1), file]);
      await review.until(`Exec: /usr/bin/cat ${file}`);
      await review.press("\r", " ", " ", "o", "\r");
      await review.until("yes, once.", from);
      await waiting.done;
      await review.until(end, from);
    }
    await review.press("q");
    assert.equal(await review.ended, 0);
  });

  test("a reason of several lines: a backslash at the end of a line asks for one more, and the agent gets each", async (t) => {
    const asker = newAsker(t);
    const review = openDialog(t, asker, ["review"]);
    await review.until("Nothing waits");
    const waiting = asker.begin(asker.call);
    await review.until("default Exec: /usr/bin/cat note");
    await review.press("\r", "r");
    await review.until("reason: ");
    let from = review.output().length;
    review.send("not there\\\r");
    await review.until("reason: ", from);
    from = review.output().length;
    review.send("rather the copy\r");
    const { out } = await waiting.done;
    assert.match(out, /wrote what should change/);
    assert.match(out, /"not there"[^]*"rather the copy"/);
    assert.equal(asker.events("approval.answered")[0]?.outcome["reason"], "not there\nrather the copy");
    await review.press("q");
    assert.equal(await review.ended, 0);
  });

  test("at 48 columns a row still shows the command, and says whether a call waits; no line is wider", async (t) => {
    const asker = newAsker(t);
    const review = openDialog(t, asker, ["review"], { columns: 48 });
    await review.until("Nothing waits");
    const waiting = asker.begin(asker.call);
    await review.until("waits  /usr/bin/cat note");
    for (const row of review.grid().rows) assert.ok(row.length <= 48, row);
    const from = review.output().length;
    waiting.kill();
    await review.until(/> \d+\w {2}\/usr\/bin\/cat note/, from);
    assert.doesNotMatch(review.grid().rows.join("\n"), /waits {2}/);
    // The control: a wide screen has the id, too.
    review.resize(120, 24);
    await review.until(/q-\w+ {2}default Exec: \/usr\/bin\/cat note {2}\(session default \S+ [0-9a-f]{6}/);
    await review.press("q");
    assert.equal(await review.ended, 0);
  });

  test("a longer answer shows what else it answers before Enter, and answers it", async (t) => {
    const asker = newAsker(t);
    const review = openDialog(t, asker, ["review"]);
    await review.until("Nothing waits");
    const calls = ["note", "./note", ".//note"].map((file) => asker.begin([...asker.exec.slice(0, -1), file]));
    await review.until("3 questions wait");
    await review.press("\r", " ", " ", "o");
    assert.doesNotMatch(review.grid().rows.join("\n"), /also answers/, "once is once");
    await review.press("x", "\u007f", "s");
    await review.until("It also answers 2 waiting questions:");
    const shown = review.grid().rows.filter((row) => /^ {2}\/usr\/bin\/cat \.{0,1}\/{0,2}note/.test(row));
    assert.equal(shown.length, 2, review.grid().rows.join("\n"));
    await review.press("\r");
    await review.until("2 other questions were answered with it.");
    for (const { done } of calls) assert.match((await done).out, /from outside/);
    await review.until("Nothing waits");
    await review.press("q");
    assert.equal(await review.ended, 0);
  });

  test("a number chooses a ready-made width of an always, and Enter keeps its rule", async (t) => {
    const asker = newAsker(t);
    const inner = join(asker.outside, "inner");
    mkdirSync(inner);
    const review = openDialog(t, asker, ["review"], { columns: 120 });
    await review.until("Nothing waits");
    const call = asker.begin(["exec", "--cwd", inner, "--", "pwd"]);
    await review.until("1 question waits");
    await review.press("\r", " ", " ", "p");
    await review.until("[2] The directory around it");
    assert.match(review.grid().rows.join("\n"), /\[1\]\*Exactly this/);
    await review.press("2");
    await review.until(/\[2\]\*The directory around it/);
    await review.press("\r");
    await review.until("yes, always in this project.");
    assert.equal((await call.done).code, 0);
    const [changed] = asker.events("policy.changed");
    assert.deepEqual(changed?.outcome["added"], [`{ decide: allow, effect: read, path: ${asker.outside} }`]);
    await review.press("q");
    assert.equal(await review.ended, 0);
  });

  test("/ shows the questions with a text in them, and / alone shows all again", async (t) => {
    const asker = newAsker(t);
    const review = openDialog(t, asker, ["review"]);
    await review.until("Nothing waits");
    const calls = ["note", "other"].map((file) => asker.begin([...asker.exec.slice(0, -1), file]));
    await review.until("2 questions wait");
    await review.pressUntil("/", "filter:");
    review.send("cat OTHER\r");
    await review.until("1 of 2 questions wait with cat OTHER");
    const rows = () => review.grid().rows.filter((row) => row.includes("/usr/bin/cat"));
    assert.deepEqual([rows().length, rows()[0]?.includes("cat other")], [1, true]);
    await review.pressUntil("/", "filter:");
    review.send("\u0015none of these\r");
    await review.until("No question that waits fits what was chosen.");
    await review.pressUntil("/", "filter:");
    const from = review.output().length;
    review.send("\u0015\r");
    await review.until("Review: 2 questions wait", from);
    assert.equal(rows().length, 2);
    await review.press("q");
    assert.equal(await review.ended, 0);
    for (const call of calls) call.kill();
  });

  test("reject asks for a reason, which the agent gets", async (t) => {
    const asker = newAsker(t);
    const review = openDialog(t, asker, ["review"]);
    await review.until("Nothing waits");
    const waiting = asker.begin(asker.call);
    await review.until("default Exec: /usr/bin/cat note");
    await review.press("\r", "r");
    await review.until("reason: ");
    review.send("not on this machine\r");
    await review.until("The agent is told: not on this machine");
    const { code, out } = await waiting.done;
    assert.equal(code, 1);
    assert.match(out, /"error":"approval_denied","message":"A person said no: not on this machine"/);
  });

  test("time is up: approval_timeout, the question stays, and a later yes is picked up by the same call", async (t) => {
    const asker = newAsker(t, "approvals: { timeout_s: 2 }\n");
    const review = openDialog(t, asker, ["review"]);
    await review.until("Nothing waits");
    const { code, out } = await asker.begin(asker.call).done;
    assert.deepEqual([code, (JSON.parse(out) as { error: string }).error], [1, "approval_timeout"]);
    await review.press("q");
    await review.ended;
    const [question] = asker.waiting();
    const late = openDialog(t, asker, ["review", question?.id ?? "", "--allow", "once"]);
    assert.equal(await late.ended, 0);
    assert.match(late.output(), /yes, once\. The call has ended[^]* until \d\d-\d\d \d\d:\d\d/);
    assert.equal(asker.run([...asker.call]).code, 0);
    assert.equal(asker.run([...asker.call]).code, 1, "once is once");
  });

  test("a caller that is killed leaves its question, and who comes back finds the answer", async (t) => {
    const asker = newAsker(t);
    const review = openDialog(t, asker, ["review"], { rows: 50 });
    await review.until("Nothing waits");
    const killed = asker.begin(asker.call);
    await review.until("default Exec: /usr/bin/cat note");
    killed.kill();
    await killed.done;
    await review.pressUntil("\r", "[a]pprove");
    await review.pressUntil("o", "yes, once: this call, now");
    await review.press("\r");
    await review.until("yes, once. The call has ended");
    assert.equal(asker.run([...asker.call]).code, 0);
  });

  test("a review that is killed is noticed: the call ends and says where to answer", async (t) => {
    const asker = newAsker(t);
    const review = openDialog(t, asker, ["review"]);
    await review.until("Nothing waits");
    const waiting = asker.begin(asker.call);
    await review.until("default Exec: /usr/bin/cat note");
    review.kill("SIGKILL");
    const { code, out } = await waiting.done;
    assert.equal(code, 1);
    assert.match(out, /"error":"fs_denied".*review q-/);
  });

  test("two who answer at once: one counts, the other is told", async (t) => {
    const asker = newAsker(t);
    asker.run([...asker.call]);
    const [question] = asker.waiting();
    const id = question?.id ?? "";
    const seen = openDialog(t, asker, ["review", id], { rows: 50 });
    await seen.until("[a]pprove");
    const both = [
      openDialog(t, asker, ["review", id, "--allow", "once"]),
      openDialog(t, asker, ["review", id, "--deny"]),
    ];
    const codes = await Promise.all(both.map(({ ended }) => ended));
    assert.deepEqual(
      codes.toSorted((a, b) => a - b),
      [0, 1],
      both.map((one) => one.output()).join("\n"),
    );
    await seen.until(/Answered by .+ at pts/);
    await seen.press("o", "\r");
    await pause(300);
    assert.equal(asker.events("approval.answered").length, 1);
  });

  test("two identical calls share a question: its yes is used once, and the other is asked about again", async (t) => {
    const asker = newAsker(t);
    const review = openDialog(t, asker, ["review"], { rows: 50 });
    await review.until("Nothing waits");
    const calls = [asker.begin(asker.call), asker.begin(asker.call)];
    await review.until("default Exec: /usr/bin/cat note");
    while (asker.events("approval.requested").length < 2) await pause(100);
    assert.equal(asker.waiting().length, 1);
    await review.pressUntil("\r", "[a]pprove");
    await review.pressUntil("o", "yes, once: this call, now");
    await review.press("\r");
    await review.until("yes, once.");
    await Promise.race(calls.map((call) => call.done));
    while (asker.waiting().length === 0) await pause(100);
    await review.pressUntil("\r", "[a]pprove");
    await review.pressUntil("o", "yes, once: this call, now");
    await review.press("\r");
    const done = await Promise.all(calls.map((call) => call.done));
    assert.deepEqual(
      done.map(({ code }) => code),
      [0, 0],
    );
  });

  test("--allow and --deny work on a terminal alone; looking works everywhere", async (t) => {
    const asker = newAsker(t);
    assert.deepEqual(asker.run(["review", "--json"]), { code: 0, out: "[]\n", err: "" });
    assert.match(asker.run(["review"]).out, /^Nothing waits for an answer\.\n$/);
    asker.run([...asker.call]);
    const [question] = asker.waiting();
    const id = question?.id ?? "";
    for (const answer of [["--allow", "once"], ["--deny"]]) {
      const piped = asker.run(["review", id, ...answer], { input: "y\n" });
      assert.equal(piped.code, 2);
      assert.match(piped.err, /an answer is a person's: it needs a terminal/);
    }
    const toPipe = openDialog(t, asker, ["review", id, "--allow", "once"], {
      shell: '"$0" "$@" | cat; exit ${PIPESTATUS[0]}',
    });
    assert.equal(await toPipe.ended, 2);
    assert.equal(asker.waiting().length, 1);
    assert.match(asker.run(["review", id]).out, /sallyport asks \(low risk\)/);
    assert.match(asker.run(["review"]).out, /^low .* default Exec: \/usr\/bin\/cat note/);
    assert.equal(asker.run(["review", "q-none"]).code, 1);
    assert.equal(asker.run(["review", id, "--allow", "forever"]).code, 2);
    const answered = openDialog(t, asker, ["review", id, "--deny", "--reason", "no"]);
    assert.equal(await answered.ended, 0);
    assert.equal(await openDialog(t, asker, ["review", id, "--allow", "once"]).ended, 1);
  });

  test("NO_COLOR has no colours, and a dumb terminal no sequences at all", async (t) => {
    const asker = newAsker(t);
    asker.run([...asker.call]);
    for (const [env, isForbidden] of [
      [
        { NO_COLOR: "1" },
        (shown: string) => shown.split("\u001b[").some((part, at) => at > 0 && /^[\d;]*m/.test(part)),
      ],
      [{ TERM: "dumb" }, (shown: string) => shown.includes("\u001b")],
    ] as const) {
      const review = openDialog(t, asker, ["review"], { env, rows: 60 });
      await review.until("1 question waits");
      await review.press("\r");
      await review.until("[a]pprove");
      await review.press("q", "q");
      assert.equal(await review.ended, 0);
      assert.equal(isForbidden(review.output()), false);
    }
    const ascii = openDialog(t, asker, ["review", "--once", "--state", asker.state], { env: { LANG: "C" } });
    assert.equal(await ascii.ended, 0);
    assert.match(ascii.output(), /^[\x20-\x7e\r\n]+$/);
  });
});

// How soon after something a key comes matters here: alone.
test("keys that came before a question was on the screen answer nothing", { skip }, async (t) => {
  const asker = newAsker(t);
  asker.run([...asker.call]);
  const review = openDialog(t, asker, ["review"], { rows: 50 });
  await review.until("default Exec: /usr/bin/cat note");
  await review.press("\r");
  for (const key of "aosnn") {
    review.send(key);
    await pause(60);
  }
  await review.until("[a]pprove");
  await pause(500);
  assert.equal(asker.waiting().length, 1);
  await review.press("n"); // the control: the same key, later
  await review.until(": no.");
  assert.equal(asker.waiting().length, 0);
});

test(
  "no line is longer than the screen, at any size and while it changes; a yes then needs reading again",
  { skip },
  async (t) => {
    const asker = newAsker(t);
    const argv = ["/usr/bin/cat", "note", `${"wide 日本語 ".repeat(30)}`];
    asker.run(["call", "Exec", JSON.stringify({ argv, cwd: asker.outside })]);
    const sizes = [
      [80, 24],
      [40, 12],
      [30, 8],
    ] as const;
    const reading = sizes.map(async ([columns, rows]) => {
      const review = openDialog(t, asker, ["review"], { columns, rows });
      await review.until("1 question waits");
      await review.press("?", "q", "\r");
      await review.until("[a]pprove");
      for (let page = 0; page < 30 && !/-(\d+) of \1\b/.test(review.grid().rows.at(-1) ?? ""); page += 1) {
        review.send("\u001b[6~");
        await pause(60);
      }
      assert.equal(review.grid().overflows, 0, `${columns}x${rows}`);
      await review.press("q", "q");
      assert.equal(await review.ended, 0);
    });
    await Promise.all(reading);
    const review = openDialog(t, asker, ["review"], { rows: 60, columns: 100 });
    await review.until("1 question waits");
    await review.press("\r");
    await review.until("[a]pprove");
    const from = review.output().length;
    review.resize(50, 14);
    await review.until(/1-12 of/, from);
    await review.press("a");
    await review.until("Not yet", from);
  },
);
