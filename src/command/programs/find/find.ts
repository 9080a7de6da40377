// find and fd: programs that search for files, and start commands for what they find.

import { type Program, program } from "../../rules/program.ts";
import { startCommand, type Started, withMark, withWordsLater } from "../../rules/start-rule.ts";
import { type CommandWord, textsOf } from "../../words/command-word.ts";
import { findDeletes } from "./find-deletes.ts";
import { findForms } from "./find-forms.ts";
import { findCommandLength, startsCommand } from "./find-words.ts";

export const findPrograms: readonly Program[] = [
  program("find", {
    aliases: "gfind",
    shell: findForms,
    effects: [findDeletes],
    starts: ({ args }) => startedByFind(args),
  }),
  program("fd fdfind", { starts: ({ args }) => startedByFd(args) }),
];

function startedByFind(args: readonly CommandWord[]): Started[] {
  const texts = textsOf(args);
  const found: Started[] = [];
  for (let at = 0; at < args.length; at++) {
    if (!startsCommand(texts[at] ?? "")) continue;
    const start = at + 1;
    const length = findCommandLength(texts, start) ?? args.length - start;
    found.push(...startCommand(withMark(args.slice(start, start + length), "{}")));
    at = start + length;
  }
  return found;
}

function startedByFd(args: readonly CommandWord[]): Started[] {
  const at = args.findIndex(({ text }) => /^(?:-x|-X|--exec|--exec-batch)$/.test(text ?? ""));
  if (at < 0) return [];
  const words = args.slice(at + 1);
  return startCommand(words.some(({ text }) => text?.includes("{}")) ? withMark(words, "{}") : withWordsLater(words));
}
