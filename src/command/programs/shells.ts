// Shells, and builtins of the shell that take commands.

import { type Program, program } from "../rules/program.ts";
import { readOptions } from "../rules/read-options.ts";
import {
  joinedScript,
  startCommand,
  type Started,
  startScript,
  unknownStart,
  withMoreWords,
} from "../rules/start-rule.ts";
import type { CommandLine } from "../words/command-line.ts";
import { unknownWord } from "../words/command-word.ts";

export const shells: readonly Program[] = [
  program("sh bash dash zsh ksh ksh93 mksh ash yash rbash", {
    starts: readShell,
  }),
  program("fish csh tcsh pwsh nu xonsh elvish", { starts: () => [unknownStart] }),
  program("eval", {
    starts: ({ args }) => {
      const { operands } = readOptions(args, { stand: "before operands" });
      return operands.length === 0 ? [] : startScript(joinedScript(operands), "this shell");
    },
  }),
  program("source . alias enable bind", {
    starts: ({ name, args }) =>
      args.length === 0 || (name === "alias" && args.every(({ text }) => text !== null && !text.includes("=")))
        ? []
        : [unknownStart],
  }),
  program("trap", {
    starts: ({ args }) => {
      const { operands } = readOptions(args, { stand: "before operands" });
      const [action] = operands;
      return operands.length < 2 || action?.text === "-" || action?.text === ""
        ? []
        : startScript(action, "this shell, later");
    },
  }),
  program("hash", {
    starts: ({ args }) => {
      const path = readOptions(args, { values: "-p" }).value("-p");
      return path === null ? [] : startCommand([path, unknownWord]);
    },
  }),
  program("mapfile readarray complete compgen", {
    starts: ({ args }) => {
      const read = readOptions(args, { values: "-C -c -d -n -O -s -u -A -F -G -P -S -W -X" });
      const callback = read.value("-C");
      const isOpen = args.some(({ text }) => text === null);
      return [...(isOpen ? [unknownStart] : []), ...(callback === null ? [] : startScript(withMoreWords(callback)))];
    },
  }),
];

function readShell({ args }: CommandLine): Started[] {
  let isCommand = false;
  let isInput = false;
  let at = 0;
  for (; at < args.length; at++) {
    const text = args[at]?.text ?? null;
    if (text === null || !/^[-+]/.test(text) || text === "-") break;
    if (text === "--") {
      at++;
      break;
    }
    if (/^--(?:rcfile|init-file)$/.test(text)) at++;
    if (text.startsWith("--")) continue;
    if (text.startsWith("-") && text.includes("c")) isCommand = true;
    if (text.startsWith("-") && text.includes("s")) isInput = true;
    if (/[oO]/.test(text)) at++;
  }
  if (isCommand) return startScript(args[at] ?? null);
  const operand = args[at]?.text;
  if (
    operand === undefined ||
    isInput ||
    operand === "-" ||
    /^\/dev\/(?:stdin|fd\/)|^\/proc\/self\/fd/.test(operand ?? "")
  )
    return [{ kind: "input" }];
  return operand === null ? [unknownStart] : [];
}
