// What a person's shell does in a project, the same inside of a draft and outside: git status, and a part of this repository's tests.

import { bareSpawn } from "./bare-spawn.ts";
import { environment } from "./draft-project.ts";
import type { Candidate } from "./measure.ts";
import type { Goal } from "./topic.ts";

/** Wall time of git alone, by the clock of the bash that runs it: the same script inside and outside. */
export const statusScript =
  "start=$EPOCHREALTIME; git status >/dev/null || exit 1; end=$EPOCHREALTIME; echo $(( ${end/./} - ${start/./} ))";

const suiteFiles = [
  "shared/glob",
  "shared/path",
  "policy/match",
  "policy/word-pattern",
  "policy/rule-index",
  "policy/evaluate",
];
export const suitePackages = ["fast-check", "pure-rand", "zod", "yaml"];

export const suiteTitle = `${suiteFiles.length} files of this repository's unit tests: processor time`;

export function suiteScript(node: string): string {
  return `${node} --test ${suiteFiles.map((name) => `test/${name}.test.ts`).join(" ")} >/dev/null || exit 1; times`;
}

/** User and system time of what bash started: the second line that `times` prints. */
export function childrenMs(printed: string): number {
  const words = printed.trim().split("\n").at(-1)?.split(" ") ?? [];
  const seconds = words
    .map((word) => /^(\d+)m([\d.]+)s$/.exec(word))
    .map((found) => Number(found?.[1]) * 60 + Number(found?.[2]));
  const sum = seconds.reduce((total, one) => total + one, 0);
  if (seconds.length !== 2 || !(sum > 0)) throw new Error(`bash printed no times: ${printed}`);
  return sum * 1000;
}

export function outsideBash(name: string, cwd: string, script: string, read: (printed: string) => number): Candidate {
  return {
    name,
    run: async () => read((await bareSpawn("/bin/bash", ["-c", script], { cwd, environment })).printed),
  };
}

export function atMost(what: string, measured: number, bound: number): Goal {
  return { what, measured, bound, direction: "at most", unit: "×" };
}
