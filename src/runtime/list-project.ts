// Lists the files of a project as git sees them, for a draft that begins. Git runs in a box.

import type { Repository } from "../git/repository.ts";
import { draftInBox } from "../sandbox/box-workspace.ts";
import { ok, type Result } from "../shared/result.ts";
import { repositoryInside, startGit } from "./draft-git.ts";
import { type DraftPlan, endHolder } from "./draft-plan.ts";
import type { CallStart } from "./session-workspace.ts";

export interface ListedFiles {
  readonly tracked: readonly string[];
  /** Files that git neither tracks nor ignores. */
  readonly others: readonly string[];
  /** Files that git ignores, and directories, which end in a slash. */
  readonly ignored: readonly string[];
}

const lists = {
  // Each path has a letter before it: `?` if git does not track it.
  seen: ["ls-files", "-z", "-t", "--cached", "--others", "--exclude-standard"],
  ignored: ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"],
};

export async function listRepository(repository: Repository, call: CallStart): Promise<Result<ListedFiles>> {
  return await listBy((words) => call.readRepository(repository, words));
}

/** For a project that is no repository by itself: git lists it in a draft into which nothing has been copied yet. */
export async function listInside(plan: DraftPlan, rules: string, call: CallStart): Promise<Result<ListedFiles>> {
  const { project, directory, session } = plan;
  await startGit({ directory, repository: null, agent: session.agent, rules }, () => true, call);
  const box = draftInBox({ project, directory });
  const repository = repositoryInside(project);
  return await inHeldDraft(plan, () => listBy((words) => call.runInside(box, { repository, words })));
}

async function listBy(git: (words: readonly string[]) => Promise<Result<Uint8Array>>): Promise<Result<ListedFiles>> {
  const [seen, ignored] = await Promise.all([git(lists.seen), git(lists.ignored)]);
  if (!seen.ok) return seen;
  if (!ignored.ok) return ignored;
  const [tracked, others] = [new Set<string>(), []] as [Set<string>, string[]];
  for (const line of pathsOf(seen.value)) {
    if (line.startsWith("? ")) others.push(line.slice(2));
    else tracked.add(line.slice(2)); // a file with conflicts is listed several times
  }
  return ok({ tracked: [...tracked], others, ignored: pathsOf(ignored.value) });
}

/** A name that is not UTF-8 cannot be passed on. The file is not in the draft. */
function pathsOf(output: Uint8Array): string[] {
  const paths = new TextDecoder().decode(output).split("\0");
  return paths.filter((path) => path !== "" && !path.includes("\ufffd"));
}

/** Runs `work` while the draft is mounted. The holder ends afterwards, because the layer may be changed from outside then. */
async function inHeldDraft<T>(plan: DraftPlan, work: () => Promise<Result<T>>): Promise<Result<T>> {
  const holder = plan.parts.holder(plan.directory, plan.project);
  try {
    const mounted = await holder.mounted();
    const done = mounted.ok ? await work() : mounted;
    const ended = await endHolder(holder);
    return ended.ok ? done : ended;
  } finally {
    holder.close();
  }
}
