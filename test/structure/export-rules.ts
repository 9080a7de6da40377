// Exported names are unique over src/: a name means one thing, and a search for it finds one declaration.

import { codeOnly } from "./source-scan.ts";
import type { Sources } from "./rules.ts";

/** Names that each entry point for another library promises, in the form of that library. */
export const sharedExports: ReadonlyMap<string, readonly string[]> = new Map([
  ["gateTools", ["adapters/ai-sdk.ts", "adapters/anthropic.ts"]],
  ["gateRunnableTools", ["adapters/anthropic.ts", "adapters/openai.ts"]],
]);

const declaration =
  /^export\s+(?:declare\s+|abstract\s+|async\s+)*(?:function\s*\*?|const|let|var|class|interface|type|namespace)\s+([\w$]+)/gm;

/** What a file declares and exports under its own name; what it only passes on from another file is not its own. */
function declaredExports(source: string): string[] {
  const names = [...codeOnly(source).matchAll(declaration)].map((match) => match[1] as string);
  return [...new Set(names)]; // a type and a value may share their name, a function may have overloads
}

export function exportProblems(sources: Sources): string[] {
  const files = new Map<string, string[]>();
  for (const [path, source] of sources)
    for (const name of declaredExports(source)) files.set(name, [...(files.get(name) ?? []), path]);
  const doubled = [...files].filter(([name, paths]) => {
    const allowed = sharedExports.get(name) ?? [];
    return paths.length > 1 && !paths.every((path) => allowed.includes(path));
  });
  const unused = [...sharedExports].filter(([name, paths]) =>
    paths.some((path) => files.get(name)?.includes(path) !== true),
  );
  return [
    ...doubled.map(([name, paths]) => `${name} is exported by ${paths.join(" and ")}`),
    ...unused.map(([name]) => `${name} is among \`sharedExports\`, and not every file there exports it`),
  ];
}
