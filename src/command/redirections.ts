// What a redirection opens.

import type { Redirect, Redirection } from "unbash";
import type { Effect } from "../action/effect.ts";
import { type CommandWord, resolvePath } from "./command-word.ts";
import { hostOfUrl } from "./host-of.ts";
import { isDevice } from "./vital-place.ts";

interface Opened {
  readonly effects: readonly Effect[];
  readonly isKnown: boolean;
  /** bash reads `>&-x` as `>&-` and a word x. */
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
  const socket = /^\/dev\/(?:tcp|udp)\/([^/]*)\//.exec(shape ?? "");
  if (socket !== null) return { effects: [{ kind: "network", host: hostOfUrl(socket[1] as string) }], isKnown: true };
  // bash refuses a redirection to several files, so a pattern leads to one, or nowhere.
  const path = shape === null || (/[*?[]/.test(shape) && word?.text === null) ? null : resolvePath(shape, cwd);
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

/** What feeds standard input; its text where that is written down. null: no redirection of it. */
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
