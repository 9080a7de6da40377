// Parses git's progress on stderr into numbers: `Writing objects:  40% (4/10), 1.20 MiB`.

import type { Progress } from "../target.ts";

const words: readonly (readonly [RegExp, string])[] = [
  [/^Receiving objects/, "objects received"],
  [/^Resolving deltas/, "deltas resolved"],
  [/^Writing objects/, "objects sent"],
  [/^Indexing objects|^Unpacking objects/, "objects indexed"],
];

/** The returned function takes text as it arrives. A line may be split anywhere, and ends in CR or LF. */
export function progressReader(progress: Progress): (text: string) => void {
  let rest = "";
  return (text) => {
    const lines = (rest + text).split(/[\r\n]+/);
    rest = (lines.pop() ?? "").slice(-1_000);
    for (const line of lines) {
      // Progress of the server itself has the prefix `remote: ` and is not reported.
      const counted = /^([A-Z][a-z]+ [a-z]+): +\d+% \((\d+)\/(\d+)\)/.exec(line);
      const what = words.find(([pattern]) => counted !== null && pattern.test(counted[1] as string))?.[1];
      if (counted !== null && what !== undefined) progress(Number(counted[2]), Number(counted[3]), what);
    }
  };
}
