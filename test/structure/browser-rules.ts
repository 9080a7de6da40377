// What must also run in a browser takes nothing of node: no module of it, and no global that only node has.

import { builtinModules } from "node:module";
import { dirname, join, normalize } from "node:path/posix";
import type { Sources } from "./rules.ts";
import { codeOnly, importsOf } from "./source-scan.ts";

/** Folders and files, each with all that it imports. `browser.ts` is the entry of the package for browsers. */
const pure = [
  "shared/",
  "action/",
  "policy/",
  "command/",
  "approval/",
  "workspace/memory",
  "workspace/pack",
  "git/publish",
  "git/target/github/github.ts",
  "git/target/github/github-api.ts",
  "git/target/github/device-sign-in.ts",
  "tools/builtin.ts",
  "runtime/run.ts",
  "browser.ts",
  "browser/",
  "tools/bash.ts",
  "tools/python.ts",
  "web/live.ts",
  "web/log-routes.ts",
  "web/queue-routes.ts",
  "web/session-routes.ts",
  "adapters/ai-sdk.ts",
];

/**
 * Templates hold text as well as code, so a word alone is not enough where it is an ordinary one. A workspace can be
 * refreshed too: of timers only those count that are named so, or used at once.
 */
const nodeGlobals =
  /(?<![.\w$])(?:Buffer|setImmediate|clearImmediate|__dirname|__filename|NodeJS)\b|(?<![.\w$])process(?:\??\.\w|\[)|=\s*process\b|(?<![.\w$])global\.\w|\bimport\.meta\b|\.(?:unref|hasRef)\s*\(|(?:[tT]imer|[tT]imeout|[iI]nterval|\))\??\.refresh\s*\(/g;

const isBuiltin = (from: string): boolean => from.startsWith("node:") || builtinModules.includes(from);

function usesOfNode(path: string, sources: Sources, seen: Set<string>): string[] {
  if (seen.has(path)) return [];
  seen.add(path);
  const source = sources.get(path) ?? "";
  const globals = new Set(codeOnly(source).match(nodeGlobals));
  return [
    ...[...globals].map((text) => `${path} uses ${text.trim()}`),
    ...importsOf(source)
      .filter(({ typeOnly }) => !typeOnly)
      .flatMap(({ from }) => {
        if (isBuiltin(from)) return [`${path} imports ${from}`];
        return from.startsWith(".") ? usesOfNode(normalize(join(dirname(path), from)), sources, seen) : [];
      }),
  ];
}

export function pureProblems(path: string, sources: Sources): string[] {
  return pure.some((start) => path.startsWith(start))
    ? usesOfNode(path, sources, new Set()).map((text) => `${path} must run in a browser, but ${text}`)
    : [];
}
