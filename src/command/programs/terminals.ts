// Programs that take over the terminal and wait for a person: monitors, terminal multiplexers, passwords, browsers. A
// program that only reads its input to the end does not wait for a person.

import { interactive } from "../rules/effect-rule.ts";
import type { OptionSpec } from "../rules/option-spec.ts";
import { type Program, program } from "../rules/program.ts";
import { readOptions } from "../rules/read-options.ts";
import { joinedScript, startScript, wrapper } from "../rules/start-rule.ts";
import type { CommandLine } from "../words/command-line.ts";
import { hasWord } from "../words/command-word.ts";

export const showsItself = ({ args }: CommandLine): boolean =>
  hasWord(args, "--version", "--help", "-version", "-help");
const tmuxOptions: OptionSpec = { values: "-c -f -L -S -T", stand: "before operands" };
const screenOptions: OptionSpec = { values: "-S -c -e -h -p -s -t -T", stand: "before operands" };

export const terminalPrograms: readonly Program[] = [
  program("top htop btop atop iotop iftop nethogs nmon glances", {
    effects: interactive(
      (command) =>
        !showsItself(command) && !readOptions(command.args, { values: "-d -n -p -u -U -o -w" }).has("-b", "-v", "-h"),
    ),
  }),
  program("tmux", {
    effects: interactive(({ args }) => {
      const outer = readOptions(args, tmuxOptions);
      const [verb, ...rest] = outer.operands;
      if (verb === undefined) return !outer.has("-V");
      if (verb.text !== null && "attach-session".startsWith(verb.text)) return true;
      return (
        verb.text !== null &&
        "new-session".startsWith(verb.text) &&
        !readOptions(rest, { values: "-c -e -F -f -n -s -t -x -y" }).has("-d")
      );
    }),
    starts: ({ args }) => {
      const [verb, ...rest] = readOptions(args, tmuxOptions).operands;
      if (!/^(?:new.*|neww|split-?w.*|run.*|if.*|respawn.*|pipe.*|popup|display-popup)$/.test(verb?.text ?? ""))
        return [];
      const { operands } = readOptions(rest, { values: "-c -e -F -f -n -s -t -x -y -l -p", stand: "before operands" });
      return operands.length === 0 ? [] : startScript(joinedScript(operands));
    },
  }),
  program("screen", {
    effects: interactive((command) => {
      const { args } = command;
      const read = readOptions(args, screenOptions);
      return (
        !showsItself(command) && !read.has("-X", "-l", "-v", "-Q", "-w") && !(read.has("-m") && read.has("-d", "-D"))
      );
    }),
    starts: wrapper({ ...screenOptions, unless: "-X -Q -ls -list -r -R -x" }),
  }),
  program("passwd chsh chfn kinit nmtui", {
    effects: interactive(
      (command) =>
        !showsItself(command) &&
        !readOptions(command.args).has("-S", "--status", "-l", "--lock", "-u", "--unlock", "--stdin"),
    ),
  }),
  program("gpg gpg2", {
    effects: interactive(
      ({ args }) =>
        !hasWord(args, "--batch") &&
        hasWord(
          args,
          "--gen-key",
          "--generate-key",
          "--full-gen-key",
          "--full-generate-key",
          "--edit-key",
          "--card-edit",
          "--sign-key",
        ),
    ),
  }),
  program("lynx w3m links elinks", {
    effects: interactive(
      ({ args }) =>
        !args.some(({ text }) => text !== null && /^--?(?:dump\w*|source|head|version|help)(?:=|$)/.test(text)),
    ),
  }),
];
