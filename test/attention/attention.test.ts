// The counting of `npm run attention`: one of its days as it is, and days that must be counted as faults.

import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultConfigText } from "../../src/config/default.ts";
import { bash, type Day, land, read, write } from "./day.ts";
import { nodeDays } from "./node-days.ts";
import { type DayCount, playDay } from "./play-day.ts";
import { faultLines, figuresOf } from "./report.ts";

const counted = ({ questions }: DayCount) => questions.map(({ judged, about }) => [judged, ...about]);

test("a day with the default configuration is one question, about the diff", async () => {
  const day = nodeDays.find(({ name }) => name === "review") as Day;
  const count = await playDay(day);
  const push = "push the project sallyport/review";
  assert.deepEqual(counted(count), [
    ["needed", push],
    ["needed", push],
  ]);
  assert.deepEqual([count.missed, count.wrongAlways, faultLines(count)], [[], [], []]);
  const { waited_s: waited, ...figures } = figuresOf(count);
  assert.ok(waited >= 10, `two questions are read in ${waited} s`);
  assert.deepEqual(figures, {
    day: "a review with changes",
    calls: 11,
    questions: 2,
    hosts: 0,
    needed: 2,
    needless: 0,
    wrong: 0,
    missed: 0,
    always: 0,
    wrong_always: 0,
    looks: 2,
    is_met: true,
  });
});

const small: Day = {
  name: "small",
  title: "a small day",
  files: { "a.txt": "a\n" },
  looks: 1,
  landed: { file: "a.txt", holds: /^b$/m },
  moves: [write("a.txt", "b\n"), bash("wc -l a.txt"), ...land("b")],
};

test("the control: a configuration that asks about a harmless program is needless", async () => {
  const configText = defaultConfigText.replace("rules: []", "rules: [{ decide: ask, effect: run, program: wc }]");
  assert.notEqual(configText, defaultConfigText);
  const count = await playDay(small, { configText });
  assert.deepEqual(counted(count), [
    ["needless", "run wc -l a.txt"],
    ["needed", "push the project sallyport/small"],
  ]);
  const { needless, always, wrong_always: wrongAlways, is_met: isMet } = figuresOf(count);
  assert.deepEqual({ needless, always, wrongAlways, isMet }, { needless: 1, always: 1, wrongAlways: 0, isMet: false });
});

test("the control: a question that opens more than the task needs is wrong, and so is its always", async () => {
  const expected = { about: /^network web\.test:443$/, says: "yes", because: "it is another server" } as const;
  const greedy = bash("true", { needs: () => ({ network: true }), expected });
  const count = await playDay({ ...small, moves: [greedy, ...small.moves] });
  assert.deepEqual(counted(count)[0], ["wrong", "network *"]);
  assert.deepEqual(count.missed, ["it is another server"]);
  assert.ok(count.wrongAlways.includes("the whole network"), String(count.wrongAlways));
  const { wrong, missed, is_met: isMet } = figuresOf(count);
  assert.deepEqual({ wrong, missed, isMet }, { wrong: 1, missed: 1, isMet: false });
});

test("the control: what is not asked although a person should decide it is missed", async () => {
  const expected = { about: /^read /, says: "yes", because: "somebody should look" } as const;
  const count = await playDay({ ...small, moves: [{ ...read("a.txt"), expected }, ...small.moves] });
  assert.deepEqual(faultLines(count), ["a small day: not asked: somebody should look"]);
});
