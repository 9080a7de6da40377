// What shells read, and the shell's own words that take commands.

import { unknownWord } from "./command-word.ts";
import {
  innerCommand,
  type Inner,
  innerRow,
  type InnerRow,
  joinedScript,
  innerScript,
  unknownInner,
  withMore,
} from "./inner-row.ts";
import { readLoose } from "./loose-options.ts";
import type { RiskyCommand } from "./risk-row.ts";

const shellNames = "sh bash dash zsh ksh ksh93 mksh ash yash rbash";

export const shellInner: readonly InnerRow[] = [
  innerRow(
    shellNames,
    [
      ["sh -c 'rm x'", "rm x"],
      ["bash -ec 'rm x' name arg", "rm x"],
      ["bash -o pipefail -c 'rm x'", "rm x"],
      ["bash --norc -O extglob -lc 'rm x; ls'", "rm x", "ls"],
      ["bash -c -- 'rm x'", "rm x"],
      ["bash <<< 'rm x'", "rm x"],
      ["bash <<'E'\nrm x\nE", "rm x"],
      ["sh +x -c 'rm x'", "rm x"],
      ["bash x.sh"],
    ],
    readShell,
  ),
  innerRow("fish csh tcsh pwsh nu xonsh elvish", [["fish -c 'rm x'", "…"]], () => [unknownInner]),
  innerRow(
    "eval",
    [
      ["eval 'rm x'", "rm x"],
      ["eval rm x ';' ls", "rm x", "ls"],
      ['eval "$x"', "…"],
      ["eval -- 'rm x'", "rm x"],
    ],
    ({ args }) => {
      const { operands } = readLoose(args, { stand: "before operands" });
      return operands.length === 0 ? [] : innerScript(joinedScript(operands), "this shell");
    },
  ),
  innerRow(
    "source . alias enable bind",
    [["source x", "…"], [". ./x", "…"], ["alias a=b", "…"], ["alias"]],
    ({ name, args }) =>
      args.length === 0 || (name === "alias" && args.every(({ text }) => text !== null && !text.includes("=")))
        ? []
        : [unknownInner],
  ),
  innerRow(
    "trap",
    [["trap 'rm x' EXIT", "rm x"], ["trap -- 'rm x' INT TERM", "rm x"], ["trap - EXIT"], ["trap '' INT"], ["trap -p"]],
    ({ args }) => {
      const { operands } = readLoose(args, { stand: "before operands" });
      const [action] = operands;
      return operands.length < 2 || action?.text === "-" || action?.text === ""
        ? []
        : innerScript(action, "this shell, later");
    },
  ),
  innerRow("hash", [["hash -p /bin/rm ls; ls", "/bin/rm …"], ["hash -r"]], ({ args }) => {
    const path = readLoose(args, { values: "-p" }).value("-p");
    return path === null ? [] : innerCommand([path, unknownWord]);
  }),
  innerRow(
    "mapfile readarray complete compgen",
    [
      ["mapfile -C 'rm x' -c 1 a", "rm x …"],
      ["compgen -C 'rm x'", "rm x …"],
    ],
    ({ args }) => {
      const read = readLoose(args, { values: "-C -c -d -n -O -s -u -A -F -G -P -S -W -X" });
      const callback = read.value("-C");
      const isOpen = args.some(({ text }) => text === null);
      return [...(isOpen ? [unknownInner] : []), ...(callback === null ? [] : innerScript(withMore(callback)))];
    },
  ),
];

function readShell({ args }: RiskyCommand): Inner[] {
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
  if (isCommand) return innerScript(args[at] ?? null);
  const operand = args[at]?.text;
  if (
    operand === undefined ||
    isInput ||
    operand === "-" ||
    /^\/dev\/(?:stdin|fd\/)|^\/proc\/self\/fd/.test(operand ?? "")
  )
    return [{ kind: "input" }];
  return operand === null ? [unknownInner] : [];
}
