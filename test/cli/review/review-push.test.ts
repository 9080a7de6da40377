import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import test, { suite } from "node:test";
import { contentHash } from "../../../src/git/staged.ts";
import { nodeHashes } from "../../../src/process/node-hashes.ts";
import { openStagedStore } from "../../../src/store/staged.ts";
import { noTerminal } from "../../fixtures/cli.ts";
import { type Asker, newAsker } from "../../fixtures/asking.ts";
import { type Dialog, openDialog, pause } from "../../fixtures/dialog.ts";
import { gridOf, ownTitle } from "../../fixtures/screen.ts";
import { type Change, pushQuestion, waitsIn } from "../../fixtures/push-question.ts";

const skip = noTerminal;

const three: readonly Change[] = [
  ["analysis.json", '{\n  "status": "draft"\n}\n', '{\n  "status": "final"\n}\n'],
  ["charts/revenue.svg", null, "<svg/>\n"],
  ["report.md", null, "# Q4 report\n\nRevenue increased by 15%.\n"],
];

/** A review needs a record to write its answer to: the first call makes one. */
function askerWithRecord(...parameters: Parameters<typeof newAsker>): Asker {
  const asker = newAsker(...parameters);
  asker.run(["exec", "--", "true"]);
  return asker;
}

async function pageThrough(review: Dialog, pages: number): Promise<void> {
  for (let page = 0; page < pages; page += 1) await review.press(" ");
}

// Each has a terminal and a state of its own, and mostly waits until a key counts.
suite("a push in a review", { skip, concurrency: 4 }, () => {
  test("a push: what it does, each file's diff, and a yes once all was looked at", async (t) => {
    const asker = askerWithRecord(t);
    const asked = await waitsIn(
      asker.state,
      pushQuestion(three, { branch: "main", isProtected: true, isNewBranch: true }),
    );
    const review = openDialog(t, asker, ["review"]);
    await review.until("push to /home/you/project");
    await review.press("\r");
    await review.until("[d]iff [a]pprove [r]eject [?]help");
    for (const text of [
      "(high risk)",
      "PROTECTED BRANCH",
      "NEW BRANCH",
      "9fceb02d0ae5 → 1a2b3c4d5e6f",
      "╎ Add quarterly report",
    ])
      assert.ok(review.grid().rows.join("\n").includes(text), text);
    assert.ok(review.grid().rows.includes("│→[ ] M analysis.json (24 B, +1 -1)"));
    await review.press("d");
    await review.until(/2 {3}-│ {2}"status": "draft"/);
    await pageThrough(review, 3); // at the end of a file, space opens the next
    await review.until("All files were looked at");
    await review.press("q");
    await pause(200);
    assert.equal(review.grid().rows.filter((row) => row.includes("[x]")).length, 3);
    await review.press("a");
    await review.until("yes, once: this call, now");
    await review.press("\r");
    await review.until("yes, once.");
    assert.deepEqual([(await asked.answer())?.decision, (await asked.answer())?.scope], ["allow", "once"]);
    await review.press("q");
    assert.equal(await review.ended, 0);
  });

  test("what is new since the last push of the same work is said in the list of files, and above a file's lines", async (t) => {
    const asker = askerWithRecord(t);
    const question = pushQuestion(three);
    const diff = question.diff?.map((file, n) => ({
      ...file,
      since: n === 0 ? ("changed" as const) : ("same" as const),
    }));
    await waitsIn(asker.state, { ...question, diff });
    const review = openDialog(t, asker, ["review"]);
    await review.until("push to /home/you/project");
    await review.press("\r");
    await review.until("[d]iff [a]pprove [r]eject [?]help");
    const { rows } = review.grid();
    assert.ok(rows.includes("│→[ ] M analysis.json (new since the last push, 24 B, +1 -1)"));
    assert.match(rows.join("\n"), /report\.md \(as in the last push, /);
    await review.press("d");
    await review.until(/2 {3}-│ {2}"status": "draft"/);
    assert.match(review.grid().rows.join("\n"), /since.*new since the last push/);
  });

  test("a script with a NUL: its lines are there, and a yes before they were seen names it", async (t) => {
    const asker = askerWithRecord(t);
    const bytes = Buffer.from("#!/bin/sh\necho hi\n# \0\ntouch PWNED\n");
    const question = pushQuestion([["run.sh", null, bytes]]);
    const diff = question.diff?.map((file) => ({ ...file, warned: ["it is a program and not text"] }));
    const asked = await waitsIn(asker.state, { ...question, diff });
    const review = openDialog(t, asker, ["review", "q-0000abcd"]);
    await review.until("[a]pprove");
    assert.ok(review.grid().rows.includes("│→[ ] + run.sh (34 B, +4 -0, not text)"), review.grid().rows.join("\n"));
    await review.press("a");
    await review.until("1 of 1 file not looked at, run.sh (it is a program and not text) among them");
    assert.equal(await asked.answer(), null);
    await review.press("d");
    await review.until(/3 \+│# \\x00[^]*4 \+│touch PWNED/);
    await review.until("it is a program and not text");
    await review.press("a");
    await review.until("yes, once: this call, now");
    await review.press("\r");
    await review.until("yes, once.");
  });

  test("what is too large to be compared is gone through in parts; without its bytes it stays unseen", async (t) => {
    const asker = askerWithRecord(t);
    const bytes = Buffer.from(`\0${"\n".repeat(300_000)}touch PWNED\n`);
    const question = pushQuestion([["pad.sh", null, bytes]]);
    const newId = spawnSync("git", ["hash-object", "--stdin"], { input: bytes, encoding: "utf8" }).stdout.trim();
    await waitsIn(asker.state, { ...question, diff: question.diff?.map((file) => ({ ...file, newId })) });
    const openLast = async (): Promise<Dialog> => {
      const review = openDialog(t, asker, ["review", "q-0000abcd"]);
      await review.until("[a]pprove");
      await review.press("d");
      await review.until("file 1 of 5: pad.sh, part 1 of 5");
      await review.press("p");
      await review.until("That is the first file.");
      return review;
    };
    const without = await openLast();
    await without.until("Its bytes are not kept here any more: this part is not shown.");
    await without.press("a");
    await without.until("4 of 5 files and parts of files not looked at, 1 in part, pad.sh");
    await without.press("q", "q", "q");
    const after = { contentHash: contentHash(nodeHashes, bytes), size: bytes.length, mode: "100644" as const };
    const store = openStagedStore(asker.state);
    const commit = { id: "c-2", session: question.session, agent: "default", message: "x", createdAt: Date.now() };
    store.stage({ ...commit, files: [{ path: "pad.sh", operation: "create", before: null, after }] }, [
      { hash: after.contentHash, bytes },
    ]);
    store.close();
    const review = await openLast();
    await review.press("n", "n", "n", "n");
    await review.until("file 5 of 5: pad.sh, part 5 of 5");
    await review.press("G");
    await review.until(/300001 \+│touch PWNED/);
  });

  test("reject asks why, and the reason is in the answer; n and p only move", async (t) => {
    const asker = askerWithRecord(t);
    const asked = await waitsIn(asker.state, pushQuestion(three));
    const review = openDialog(t, asker, ["review", "q-0000abcd"]);
    await review.until("[a]pprove");
    await review.press("n", "n", "p");
    await pause(200);
    assert.ok(review.grid().rows.includes("│→[ ] + charts/revenue.svg (7 B, +1 -0)"));
    await review.press("\r", "n");
    await review.until("file 3 of 3: report.md");
    assert.equal(await asked.answer(), null);
    await review.press("r");
    await review.until("reason: ");
    review.send("name the source of the 15 %\r");
    await review.until("The agent is told: name the source");
    assert.deepEqual(
      [(await asked.answer())?.decision, (await asked.answer())?.reason],
      ["deny", "name the source of the 15 %"],
    );
  });

  test("hostile names, messages and lines act on nothing, at 80x24, 40x12 and in ASCII", async (t) => {
    const asker = askerWithRecord(t);
    const screen = "\u001b[2J\u001b[H[a]pprove\u0007";
    assert.equal(gridOf(`a push${screen}`, 80, 24).rows[0], "[a]pprove", "the control: as it is, it takes the screen");
    await waitsIn(
      asker.state,
      pushQuestion(
        [
          [`a${screen}\u202egpj.exe`, null, `safe\n\u001b[1A\u001b[2K+other\ngood\r-bad\n${"x".repeat(9_000)}EVIL\n`],
          ["b (1 B, +0 -0)\n[x] + c", "\t\n", `\t  \n${screen}\n\\ No newline at end of file`],
        ],
        { message: `safe\u202e txt.exe\r\n${screen}`, branch: `x${screen}`, author: screen, warnings: [screen] },
      ),
    );
    const sizes = [
      [80, 24, {}],
      [40, 12, {}],
      [80, 24, { LANG: "C", NO_COLOR: "1" }],
    ] as const;
    const reading = sizes.map(async ([columns, rows, env]) => {
      const review = openDialog(t, asker, ["review", "q-0000abcd"], { columns, rows, env });
      await review.until("[d]iff");
      const name = `${columns}x${rows}`;
      for (const key of [" ", " ", " ", "d", " ", " ", "G", "n", " ", "?", "q", "q", "G"]) {
        await review.press(key);
        await pause(100);
        const grid = review.grid(); // it fails at whatever is not ours
        assert.equal(grid.overflows, 0, name);
        assert.equal(grid.rows.filter((row) => /^\[(?:d|n\/p)\]?/.test(row)).length <= 1, true, grid.rows.join("\n"));
      }
      const drawn = review.output().replaceAll(ownTitle, "").replaceAll("\u001b", "");
      if ("LANG" in env) assert.match(drawn, /^[\x20-\x7e\r\n]*$/);
      await review.press("q", "q");
      assert.equal(await review.ended, 0, name);
    });
    await Promise.all(reading);
  });

  test("50,000 lines open at once and scroll; a part of them is not looked at", async (t) => {
    const asker = askerWithRecord(t);
    const lines = Array.from({ length: 50_000 }, (_, at) => `line number ${at}`);
    const asked = await waitsIn(asker.state, pushQuestion([["big.txt", null, `${lines.join("\n")}\n`]]));
    const review = openDialog(t, asker, ["review", "q-0000abcd"]);
    await review.until("[d]iff");
    await review.press("d");
    await review.until("line number 10");
    await review.press("G");
    await review.until("line number 49999");
    review.send("\u001b[A".repeat(20));
    await review.until("line number 49960");
    await review.press("g", "/");
    await review.until("text: ");
    review.send("NUMBER 31234\r".toLowerCase());
    await review.until("Found in row 31,");
    await pause(100);
    assert.match(review.grid().rows[1] ?? "", /31235 \+│line number 31234$/);
    await review.press("a");
    await review.until("1 of 1 file looked at in part: a again to approve");
    assert.equal(await asked.answer(), null);
    await review.press("q", "q", "q");
    assert.equal(await review.ended, 0);
  });

  test("what stands above the files has to be seen whole, and again in another width", async (t) => {
    const asker = askerWithRecord(t);
    const message = Array.from({ length: 30 }, (_, at) => `reason ${at}`).join("\n");
    const asked = await waitsIn(asker.state, pushQuestion(three, { message }));
    const review = openDialog(t, asker, ["review", "q-0000abcd"]);
    await review.until("[a]pprove");
    await review.press("a", "a");
    await review.until("Not yet: not all that stands above the files");
    await review.press(" ", " ", "a");
    await review.until("3 of 3 files not looked at");
    const from = review.output().length;
    review.resize(50, 14);
    await review.until(/back {2}1-12/, from);
    await review.press("a");
    await review.until("Not yet", from);
    assert.equal(await asked.answer(), null);
  });

  test("answered by somebody else: it says so, and takes no answer any more", async (t) => {
    const asker = askerWithRecord(t);
    await waitsIn(asker.state, pushQuestion(three));
    const review = openDialog(t, asker, ["review", "q-0000abcd"], { columns: 120 });
    await review.until("[a]pprove");
    const other = openDialog(t, asker, ["review", "q-0000abcd", "--deny", "--reason", "not now"]);
    assert.equal(await other.ended, 0);
    assert.match(other.output(), /M analysis\.json/);
    await review.until(/Answered by .+ at pts.*: no\. The agent is told: not now/);
    await review.press("a", "a");
    await pause(300);
    assert.equal(asker.events("approval.answered").length, 1);
  });

  test("what is staged and not asked about stands below the questions, and its diff can be read", async (t) => {
    const asker = askerWithRecord(t);
    const store = openStagedStore(asker.state);
    const content = Buffer.from("# Draft\n");
    const after = { contentHash: contentHash(nodeHashes, content), size: content.length, mode: "100644" as const };
    const kept = { hash: after.contentHash, bytes: content };
    const file = { path: "draft.md", operation: "create" as const, before: null, after };
    const commit = { session: "default-00000001", agent: "default", files: [file], createdAt: Date.now() };
    store.stage({ ...commit, id: "c-1", message: "Draft\u001b[2J" }, [kept]);
    store.stage({ ...commit, id: "c-2", message: "Add quarterly report" }, [kept]); // the question's
    store.close();
    await waitsIn(asker.state, pushQuestion(three, { message: "Add quarterly report\n\nSallyport-Agent: default\n" }));
    const review = openDialog(t, asker, ["review"]);
    await review.until("Review: 1 question waits, 1 staged");
    await review.until("1 file: Draft\\x1b[2J");
    await review.press("j", "\r");
    await review.until("staged: not asked about yet");
    await review.press("a", "d");
    await review.until("1 +│# Draft");
    await review.press("q", "q", "q");
    assert.equal(await review.ended, 0);

    const once = asker.run(["review", "--once"]).out.trim().split("\n");
    assert.equal(once.length, 2);
    assert.match(once[1] ?? "", /^staged +\d+s +c-1 +default-00000001 +1 file: Draft\\x1b\[2J$/);
    const listed = (...flags: string[]) =>
      (JSON.parse(asker.run(["review", "--json", ...flags]).out) as Record<string, unknown>[]).map(({ kind, id }) => [
        kind,
        id,
      ]);
    assert.deepEqual(listed(), [["question", "q-0000abcd"]]);
    assert.deepEqual(listed("--staged"), [
      ["question", "q-0000abcd"],
      ["staged", "c-1"],
    ]);
    const shown = JSON.parse(asker.run(["review", "--json", "--staged"]).out) as Record<string, unknown>[];
    assert.deepEqual(shown[1]?.["files"], [{ path: "draft.md", operation: "create", size: 8 }]);
    assert.equal(shown[1]?.["message"], "Draft\u001b[2J");
    assert.equal(asker.run(["review", "--staged"]).code, 2);
  });

  test("NO_COLOR has no colours, a dumb terminal no sequences, and word marks are there all the same", async (t) => {
    const asker = askerWithRecord(t);
    await waitsIn(asker.state, pushQuestion(three));
    for (const [env, isForbidden] of [
      [
        { NO_COLOR: "1" },
        (shown: string) => shown.split("\u001b[").some((part, at) => at > 0 && /^[\d;]*m/.test(part)),
      ],
      [{ TERM: "dumb" }, (shown: string) => shown.includes("\u001b")],
    ] as const) {
      const review = openDialog(t, asker, ["review", "q-0000abcd"], { env });
      await review.until("[d]iff");
      await review.press("d");
      await review.until(/\^│ {13}\^{5}/);
      await review.press("q", "q", "q");
      assert.equal(await review.ended, 0);
      assert.equal(isForbidden(review.output()), false);
    }
  });

  test("--json has the push and what its diff counts; --diff is what git apply takes", async (t) => {
    const asker = askerWithRecord(t);
    await waitsIn(asker.state, pushQuestion(three));
    const [question] = JSON.parse(asker.run(["review", "q-0000abcd", "--json"]).out) as [
      { push: { branch: string; files: unknown[] }; diff: { path: string; added: number; removed: number }[] },
    ];
    assert.deepEqual([question.push.branch, question.push.files.length], ["agent/report", 3]);
    assert.deepEqual(
      question.diff.map(({ path, added, removed }) => [path, added, removed]),
      [
        ["analysis.json", 1, 1],
        ["charts/revenue.svg", 1, 0],
        ["report.md", 3, 0],
      ],
    );
    const target = join(asker.root, "target");
    for (const [path, before] of three)
      if (before !== null) {
        mkdirSync(dirname(join(target, path)), { recursive: true });
        writeFileSync(join(target, path), before as string);
      }
    const diff = asker.run(["review", "q-0000abcd", "--diff"]);
    assert.equal(diff.code, 0);
    const applied = spawnSync("git", ["apply", "-"], { cwd: target, input: diff.out, encoding: "utf8" });
    assert.equal(applied.status, 0, applied.stderr);
    const shown = openDialog(t, asker, ["review", "q-0000abcd", "--diff"], { env: { NO_COLOR: "1" } });
    assert.equal(await shown.ended, 0);
    assert.match(shown.output(), /3 \+│Revenue increased by 15%\./);
    assert.equal(asker.run(["review", "--diff"]).code, 2);
    asker.run([...asker.call]);
    const other = asker.waiting().find(({ id }) => id !== "q-0000abcd");
    assert.equal(asker.run(["review", other?.id ?? "", "--diff"]).code, 1);
  });

  test("the prompt shows a push on a screen of its own, and gives the terminal back", async (t) => {
    const asker = askerWithRecord(t);
    const asked = await waitsIn(asker.state, pushQuestion(three));
    const script = join(import.meta.dirname, "../../fixtures/prompt-push.ts");
    const keys = dirname(asker.configFile);
    const shell = `echo before; "$0" "${script}" "${asker.state}" "${keys}" q-0000abcd; code=$?; stty -a | grep -o -- "-\\?icanon"; exit $code`;
    const left = openDialog(t, asker, [], { shell });
    await left.until("[d]iff");
    await left.press("q");
    assert.equal(await left.ended, 0);
    assert.match(left.output(), /left unanswered[^]*\bicanon\r\n$/);
    assert.equal(await asked.answer(), null);
    const prompt = openDialog(t, asker, [], { shell });
    await prompt.until("[d]iff");
    await prompt.press("d", " ", " ", " ", "a", "\r");
    assert.equal(await prompt.ended, 0);
    assert.equal(prompt.grid().isAlternate, false);
    assert.match(prompt.output().split("\u001b[?1049l").at(-1) ?? "", /^sallyport: yes, once\.\r\nicanon\r\n$/);
    assert.equal((await asked.answer())?.decision, "allow");
  });
});

// How soon after something a key comes matters here: alone.
test(
  "not looked at: said, and a second key chooses yes all the same; another key in between starts anew",
  { skip },
  async (t) => {
    const asker = askerWithRecord(t);
    const asked = await waitsIn(asker.state, pushQuestion(three));
    const review = openDialog(t, asker, ["review", "q-0000abcd"]);
    await review.until("[a]pprove");
    await review.press("a");
    await review.until("3 of 3 files not looked at: a again to approve");
    await review.pressUntil("d", "file 1 of ");
    await review.pressUntil("q", "sallyport asks: push");
    await review.press("a");
    await review.until("2 of 3 files not looked at: a again to approve");
    // Typed too soon after the reminder, it does not count.
    review.send("a");
    await pause(700);
    assert.equal(await asked.answer(), null);
    await review.press("a");
    await review.until("yes, once: this call, now");
    assert.equal(await asked.answer(), null);
    await review.press("\r");
    await review.until("yes, once.");
    assert.equal((await asked.answer())?.decision, "allow");
  },
);
