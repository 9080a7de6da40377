// Lists the newest commits of a draft, each the first parent of the next.

import { fail, ok, type Result } from "../../shared/result.ts";
import type { ObjectId } from "../publish/object.ts";
import { brokenAnswer, type DraftGit, textOrNull } from "./draft-git.ts";

export interface ChainCommit {
  readonly id: ObjectId;
  readonly parents: readonly ObjectId[];
}

const MOST_COMMITS = 1_000;

export interface CommitChain {
  readonly from: ObjectId;
  /** The commits after `from`, oldest first. */
  readonly chain: readonly ChainCommit[];
}

/** The commits up to `tip`: after the newest of `starts` that is among them, otherwise after `base`. Only these are counted. */
export async function firstParents(
  git: DraftGit,
  base: ObjectId,
  tip: ObjectId,
  starts: readonly ObjectId[] = [],
): Promise<Result<CommitChain>> {
  if (tip === base) return ok({ from: base, chain: [] });
  // For git, `--max-count` counts the newest, also with `--reverse`.
  const words = ["rev-list", "--first-parent", "--parents", "--reverse", `--max-count=${MOST_COMMITS + 1}`];
  const said = await git.read([...words, `${base}..${tip}`], "");
  if (!said.ok) return said;
  const lines = (textOrNull(said.value) ?? "?").split("\n").slice(0, -1);
  if (lines.some((line) => !/^[0-9a-f]{40,64}(?: [0-9a-f]{40,64})*$/.test(line)))
    return brokenAnswer("a commit has no id");
  const newest = lines.map((line): ChainCommit => {
    const [id = "", ...parents] = line.split(" ");
    return { id, parents };
  });
  const at = newest.findLastIndex(({ id }) => starts.includes(id));
  const chain = newest.slice(at + 1);
  if (chain.length > MOST_COMMITS)
    return fail("tool_failed", `There are more than ${MOST_COMMITS} commits.`, {
      hint: "Nothing was changed. Name a range of fewer commits, or put some together; then call again.",
    });
  const start = newest[at]?.id;
  if (start !== undefined) return ok({ from: start, chain });
  if (chain[0]?.parents[0] !== base)
    return fail("tool_failed", `The commits are not based on ${base}, the first commit of the session.`, {
      hint: `Nothing was changed. Switch to the branch with the work, or run \`git rebase ${base}\`; then call again.`,
    });
  return ok({ from: base, chain });
}
