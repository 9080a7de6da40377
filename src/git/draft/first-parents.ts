// Lists the commits of a draft from its first one on, each the first parent of the next.

import { fail, ok, type Result } from "../../shared/result.ts";
import type { ObjectId } from "../publish/object.ts";
import { brokenAnswer, type DraftGit, textOrNull } from "./draft-git.ts";

export interface ChainCommit {
  readonly id: ObjectId;
  readonly parents: readonly ObjectId[];
}

const MOST_COMMITS = 1_000;

/** The commits after `base`, up to `tip`. Oldest first. */
export async function firstParents(
  git: DraftGit,
  base: ObjectId,
  tip: ObjectId,
): Promise<Result<readonly ChainCommit[]>> {
  if (tip === base) return ok([]);
  const words = ["rev-list", "--first-parent", "--parents", "--reverse", `--max-count=${MOST_COMMITS + 1}`];
  const said = await git.read([...words, `${base}..${tip}`], "");
  if (!said.ok) return said;
  const lines = (textOrNull(said.value) ?? "?").split("\n").slice(0, -1);
  if (lines.some((line) => !/^[0-9a-f]{40,64}(?: [0-9a-f]{40,64})*$/.test(line)))
    return brokenAnswer("a commit has no id");
  const chain = lines.map((line): ChainCommit => {
    const [id = "", ...parents] = line.split(" ");
    return { id, parents };
  });
  if (chain.length > MOST_COMMITS)
    return fail("tool_failed", `The session has more than ${MOST_COMMITS} commits.`, {
      hint: "Nothing was changed. Put some together, then call again.",
    });
  if (chain[0]?.parents[0] !== base)
    return fail("tool_failed", `The commits are not based on ${base}, the first commit of the session.`, {
      hint: `Nothing was changed. Switch to the branch with the work, or run \`git rebase ${base}\`; then call again.`,
    });
  return ok(chain);
}
