// Splits a git command line as people type it (`log -n 5 main -- src/a.ts`) into the arguments of the Git tool.

import { fail, ok, type Result } from "../../shared/result.ts";
import { separateFlags } from "../flag.ts";
import { flagTables, type GitOperation, gitOperations } from "./flags.ts";

export interface TypedRequest {
  readonly op: GitOperation;
  readonly args: readonly string[];
  readonly ref?: string;
  readonly path?: string;
}

/** Only splits. The Git tool checks whether each part is allowed. */
export function splitTypedWords(words: readonly string[]): Result<TypedRequest> {
  const name = (words[0] ?? "").replaceAll("-", "_");
  const op = gitOperations.find((candidate) => candidate === name);
  if (op === undefined) {
    return fail("invalid_args", `${JSON.stringify(words[0] ?? "")} is not one of the read-only operations.`, {
      hint: `There are ${gitOperations.join(", ").replaceAll("_", "-")}.`,
    });
  }
  const end = words.indexOf("--");
  const before = words.slice(1, end < 0 ? undefined : end);
  const paths = end < 0 ? [] : words.slice(end + 1);
  const { args, operands: others } = separateFlags(before, flagTables.get(op) ?? new Map());
  // For blame and ls-files, a word without `--` is more often a file than a commit.
  const isPathFirst = end < 0 && (op === "ls_files" || (op === "blame" && others.length > 0));
  const refs = isPathFirst ? others.slice(0, -1) : others;
  const files = isPathFirst ? others.slice(-1) : paths;
  if (refs.length > 1)
    return fail("invalid_args", `There are two revisions, ${refs.slice(0, 2).join(" and ")}.`, {
      hint: `Write a range, like ${refs[0]}..${refs[1]}.`,
    });
  if (files.length > 1)
    return fail("invalid_args", "There is more than one path.", { hint: "Give one path after --." });
  return ok({
    op,
    args,
    ...(refs[0] === undefined ? {} : { ref: refs[0] }),
    ...(files[0] === undefined ? {} : { path: files[0] }),
  });
}
