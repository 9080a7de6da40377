// Editors, and programs that start an editor, a pager or a preview.

import { interactive } from "../rules/effect-rule.ts";
import type { OptionSpec } from "../rules/option-spec.ts";
import { type Program, program } from "../rules/program.ts";
import { readOptions } from "../rules/read-options.ts";
import { optionStarting, type Started, startScript, unknownStart } from "../rules/start-rule.ts";
import { hasWord, knownWord } from "../words/command-word.ts";
import { showsItself } from "./terminals.ts";

const vimOptions: OptionSpec = { values: "-c -S -u -U -i -T -w -W -t -r -q --cmd" };
const vimWaits = interactive((command) => {
  const read = readOptions(command.args, vimOptions);
  const isSilent = read.has("-s") && (command.name === "ex" || read.has("-e", "-E"));
  return !showsItself(command) && !isSilent && !read.has("--headless", "-h");
});

export const editors: readonly Program[] = [
  program("vim vi view nvim ex vimdiff rvim", {
    effects: [vimWaits],
    starts: ({ args }) => {
      const read = readOptions(args, vimOptions);
      const plus = read.operands.flatMap(({ text }) =>
        text?.startsWith("+") === true ? [knownWord(text.slice(1))] : [],
      );
      const commands = [...read.valuesOf("-c", "--cmd"), ...plus].map(({ text }) => text ?? "");
      return [
        ...commands.flatMap(startedByEditor),
        { kind: "input", read: (text) => text.split("\n").flatMap(startedByEditor) },
      ];
    },
  }),
  program("gvim nvimdiff gview elvis nvi", { effects: [vimWaits] }),
  program("ed", {
    starts: () => [{ kind: "input", read: (text) => text.split("\n").flatMap(startedByEditor) }],
  }),
  program(
    "nano pico emacs emacsclient joe jed micro mcedit ne kak hx helix mg dialog whiptail mc ranger nnn lf tig lazygit",
    {
      effects: interactive(
        (command) => !showsItself(command) && !hasWord(command.args, "--batch", "-batch", "-V", "--script"),
      ),
    },
  ),
  program("man", {
    starts: optionStarting({ values: "-P --pager -H --html -C -L -m -M -S -s -e -E -p -r" }, "-P --pager -H --html"),
  }),
  program("fzf sk", {
    starts: optionStarting(
      { values: "--preview --bind -q --query -f --filter -d --delimiter -n --nth" },
      "--preview --bind",
    ),
  }),
];

/** One command of vi's family: `!rm x`, `:silent! r !rm x`, `call system("rm x")`. */
function startedByEditor(line: string): Started[] {
  if (
    /\b(?:system|systemlist|job_start|term_start|jobstart|termopen|os\.execute|popen)\s*\(|\bpy(?:thon)?3?x?\b|\bperl\b|\blua\b/.test(
      line,
    )
  )
    return [unknownStart];
  const found =
    /^[\s:]*(?:(?:sil(?:ent)?!?|keepj\w*|noa\w*|exe\w*)\s+)*["']?(?:\d+,?[\d$]*|%|\.|\$)?\s*(?:(?:r(?:ead)?|w(?:rite)?|te(?:rminal)?)\s+)?!+\s*(.*)$/.exec(
      line,
    );
  return found === null ? [] : startScript(knownWord(found[1] ?? ""));
}
