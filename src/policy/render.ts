// A rule as one line: what a person reads in a list and in a question, and what a file holds.

import { type Effect, pulledName, type Word } from "../action/effect.ts";
import { baseName, isAbsolutePath } from "../shared/path.ts";
import type { Decision } from "./decision.ts";
import type { RuleText } from "./rule.ts";
import { escapeWord } from "./word-pattern.ts";

const order = [
  "decide",
  "effect",
  "tool",
  "program",
  "argv",
  "path",
  "host",
  "target",
  "branch",
  "what",
  "because",
] as const;

/** YAML, in one line. JSON's strings are YAML's; plain words stay plain. */
export function renderRule(text: RuleText): string {
  const parts = order.flatMap((key) => {
    const value = text[key];
    if (value === undefined) return [];
    return [`${key}: ${typeof value === "string" ? renderText(value) : `[${value.map(renderText).join(", ")}]`}`];
  });
  return `{ ${parts.join(", ")} }`;
}

/** For a line that a person edits: what could act on a screen, or hide, is written as YAML's escape for it. */
export function editableRule(text: RuleText): string {
  return renderRule(text).replace(/[[^\p{L}\p{N}\p{P}\p{S} ]\p{Default_Ignorable_Code_Point}]/gv, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

function renderText(text: string): string {
  const isPlain = /^[A-Za-z/][A-Za-z0-9_./@+=-]*$/.test(text) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text);
  return isPlain ? text : JSON.stringify(text);
}

/** The rule that is about exactly this effect; null where there is none, because nobody knows all of it. */
export function exactRule(decide: Decision, effect: Effect): RuleText | null {
  switch (effect.kind) {
    case "tool":
      return null;
    case "run": {
      if (effect.program === null || !isAbsolutePath(effect.program)) return null;
      const argv = exactWords(effect.argv);
      // The program says which file it is; by which of its names it was called is all that the first word adds.
      return (
        argv && {
          decide,
          effect: "run",
          program: escapeGlob(effect.program),
          argv: [baseName(argv[0] ?? ""), ...argv.slice(1)],
        }
      );
    }
    case "read":
    case "write":
      return { decide, effect: effect.kind, path: escapeGlob(effect.path) };
    case "network":
      return { decide, effect: "network", host: effect.host };
    case "privilege":
    case "interactive":
    case "destroy": {
      // Which file `./x` is depends on where it is said.
      if (effect.argv[0]?.includes("/") === true && !isAbsolutePath(effect.argv[0])) return null;
      const argv = exactWords(effect.argv);
      const what = effect.kind === "destroy" ? { what: effect.what } : {};
      return argv && { decide, effect: effect.kind, argv, ...what };
    }
    case "push":
      return effect.branch === null
        ? null
        : { decide, effect: "push", target: escapeWord(effect.target), branch: escapeWord(effect.branch) };
    case "pull":
      return { decide, effect: "pull", target: escapeWord(pulledName(effect)) };
  }
}

function exactWords(argv: readonly Word[]): readonly string[] | null {
  if (argv.includes(null) || argv.length === 0) return null;
  return argv.map((word) => escapeWord(word as string));
}

/** The pattern that means exactly this path. */
export function escapeGlob(path: string): string {
  return path.replace(/[*?[\\]/g, "\\$&");
}
