// Reads redirections: what they open, and what they feed to a standard input.

import type { Redirect, Redirection, SyntaxNode, Word as ParsedWord } from "unbash";
import type { Effect } from "../../action/effect.ts";
import { isDevice } from "../rules/critical-path.ts";
import { atPort, hostOfUrl } from "../rules/host-of.ts";
import { type CommandWord, resolvePathText } from "../words/command-word.ts";

interface Opened {
  readonly effects: readonly Effect[];
  readonly isKnown: boolean;
  /** bash reads `>&-x` as `>&-` and a word x, and the parser as one redirection. */
  readonly isSplit?: boolean;
}

const nothing: Opened = { effects: [], isKnown: true };
const harmless = /^\/dev\/(?:null|zero|full|random|urandom|tty|ptmx|std(?:in|out|err)|fd(?:\/\d+)?)$/;

export function readRedirect(redirect: Redirect, words: readonly CommandWord[], cwd: string | null): Opened {
  const { operator, target } = redirect;
  const isSubstitution = target?.parts?.length === 1 && target.parts[0]?.type === "ProcessSubstitution";
  const [word] = words;
  if (isSubstitution) return nothing;
  if ((operator === ">&" || operator === "<&") && /^(?:\d+-?|-)$/.test(word?.text ?? "")) return nothing;
  if ((operator === ">&" || operator === "<&") && target?.text.startsWith("-") === true)
    return { effects: [], isKnown: false, isSplit: true };
  if (operator === "<&") return { effects: [], isKnown: word?.text !== null };
  const shape = words.length === 1 && word !== undefined ? word.shape : null;
  const socket = /^\/dev\/(?:tcp|udp)\/([^/]*)\/([^/]*)/.exec(shape ?? "");
  if (socket !== null) {
    const host = atPort(hostOfUrl(socket[1] ?? ""), socket[2] ?? null);
    return { effects: [{ kind: "network", host }], isKnown: true };
  }
  // bash refuses a redirection to several files, so a pattern leads to one unknown file, or to none.
  const path = shape === null || (/[*?[]/.test(shape) && word?.text === null) ? null : resolvePathText(shape, cwd);
  if (path === null || word === undefined) return { effects: [], isKnown: false };
  if (harmless.test(path)) return nothing;
  const isKnown = word.text !== null;
  if (operator === "<") return { effects: [{ kind: "read", path }], isKnown };
  const write: Effect = { kind: "write", path };
  return {
    effects: isDevice(path) ? [write, { kind: "destroy", what: "files", argv: [operator, path] }] : [write],
    isKnown,
  };
}

/** What is redirected to standard input, with its text where the script holds it; null: nothing. */
export function inputOf(redirects: readonly Redirection[]): { readonly text: string | null } | null {
  let input: { text: string | null } | null = null;
  for (const redirect of redirects) {
    const { descriptor } = redirect;
    if (descriptor !== undefined && !(descriptor.type === "FileDescriptor" && descriptor.value === 0)) continue;
    if (redirect.type === "HereDoc") input = { text: redirect.body.parts === undefined ? redirect.body.text : null };
    else if (redirect.type === "HereString") input = { text: literalOf(redirect.target) };
    else if (redirect.operator === "<" || redirect.operator === "<>" || redirect.operator === "<&")
      input = { text: null };
  }
  return input;
}

/** What a command writes into a pipe, where its words say it. */
export function printedBy(
  node: SyntaxNode | undefined,
  wordsOf: (word: ParsedWord) => readonly CommandWord[],
): { readonly text: string | null } {
  if (node?.type !== "Command" || node.name === undefined || node.redirects.length > 0) return { text: null };
  const words = [node.name, ...node.args.filter((word) => word.type === "Word")];
  return { text: printedText(words.flatMap(wordsOf)) };
}

/** What `echo` and `printf` print; null: only the run will know. */
function printedText(words: readonly CommandWord[]): string | null {
  const texts = words.flatMap(({ text }) => (text === null ? [] : [text]));
  const [name, ...args] = texts;
  if (texts.length < words.length) return null;
  const lines = (text: string): string => text.replaceAll("\\n", "\n").replaceAll("\\t", "\t");
  if (name === "echo") return lines(args.filter((word, at) => at > 0 || !/^-[neE]+$/.test(word)).join(" "));
  const [format = "", ...values] = args[0] === "--" ? args.slice(1) : args;
  if (name !== "printf" || format.startsWith("-")) return null;
  return lines(values.length === 0 ? format : values.map((value) => format.replace(/%[sb]/, () => value)).join(""));
}

function literalOf(word: Redirect["target"]): string | null {
  const isLiteral = word?.parts?.every(
    (part) =>
      part.type === "Literal" ||
      part.type === "SingleQuoted" ||
      part.type === "AnsiCQuoted" ||
      (part.type === "DoubleQuoted" && part.parts.every((inner) => inner.type === "Literal")),
  );
  return word === undefined || isLiteral === false ? null : word.value;
}
