// Converts an example of a rule to the effects that it stands for.

import type { Effect, EffectKind, Word } from "../action/effect.ts";
import { commandEffects } from "../command/script/script.ts";
import { textOf } from "../command/words/shell-word.ts";
import { scanCommand } from "../command/words/scan.ts";
import { matchersOf } from "../policy/rule.ts";
import { findOnPath } from "../process/find-on-path.ts";
import { tidyPath } from "../shared/path.ts";
import { expandPath, expandTarget } from "./grant-path.ts";
import type { ProjectPaths } from "./config-paths.ts";

/** A string result says why the example stands for nothing. */
export function effectsOfExample(
  kind: EffectKind,
  example: string | readonly string[],
  paths: ProjectPaths,
): readonly Effect[] | string {
  if (typeof example !== "string")
    return matchersOf[kind].includes("argv")
      ? effectsOfCommand(example, paths)
      : "must be one text: only commands can be lists of words";
  switch (kind) {
    case "read":
    case "write": {
      const expanded = expandPath(example, paths);
      return "reason" in expanded ? `cannot be a path: ${expanded.reason}` : [{ kind, path: tidyPath(expanded.path) }];
    }
    case "run":
    case "privilege":
    case "interactive":
    case "destroy":
      return effectsOfCommand(example, paths);
    case "network":
      return [{ kind, host: example }];
    case "tool":
      return [{ kind, tool: example }];
    case "pull":
      return [{ kind, source: expandTarget(example, paths) }];
    case "push": {
      const [target = "", branch = null] = example.split(/\s+(?=\S+$)/);
      return [{ kind, target: expandTarget(target, paths), branch, by: "tool" }];
    }
  }
}

function effectsOfCommand(
  example: string | readonly string[],
  { project, home }: ProjectPaths,
): readonly Effect[] | string {
  let words: readonly Word[];
  if (typeof example === "string") {
    const scanned = scanCommand(example);
    if (!scanned.ok) return `cannot be read: ${scanned.failure.message}`;
    words = scanned.value.words.map((word) => textOf(word));
  } else words = example;
  return commandEffects(words, { cwd: project.real, home, roots: [project.real], findProgram: findOnPath });
}
