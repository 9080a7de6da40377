// Writes a rule as one line, for lists, questions and rule files.

import { type Effect, pulledName, type Word } from "../action/effect.ts";
import { escapeGlob } from "../shared/glob.ts";
import { baseName, isAbsolutePath } from "../shared/path.ts";
import type { Decision } from "./decision.ts";
import type { RuleText } from "./rule.ts";
import { escapeWord } from "./word-pattern.ts";

/** The fields of a rule, in the order in which they are written. */
export const ruleFields = [
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

/** One line of YAML. Strings are written as JSON, which is valid YAML; plain words stay unquoted. */
export function renderRule(text: RuleText): string {
  const parts = ruleFields.flatMap((key) => {
    const value = text[key];
    if (value === undefined) return [];
    return [`${key}: ${typeof value === "string" ? renderText(value) : `[${value.map(renderText).join(", ")}]`}`];
  });
  return `{ ${parts.join(", ")} }`;
}

/** For a line that a person edits: control and invisible characters become YAML escapes. */
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

/** The rule that matches exactly this effect; null if a part of the effect is known only at run time. */
export function exactRule(decide: Decision, effect: Effect): RuleText | null {
  switch (effect.kind) {
    case "tool":
      return null;
    case "run": {
      if (effect.program === null || !isAbsolutePath(effect.program)) return null;
      const argv = exactWords(effect.argv);
      // `program` names the file. The first word only adds the name by which it was called.
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
      // A relative path such as `./x` means another file in each directory.
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
