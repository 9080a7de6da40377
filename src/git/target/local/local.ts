// A repository on this machine as a target, bare or with work trees.

import { ok, type Result, fail } from "../../../shared/result.ts";
import type { ObjectFormat, ObjectId } from "../../publish/object.ts";
import { branchRef, parseBranchName } from "../../ref-name.ts";
import { gitDirectoryProblem } from "./git-directory-check.ts";
import type { GitWriter } from "./git-runner.ts";
import { checkLocally, type Landed, landLocally } from "./local-land.ts";
import { localDefaultBranch, newBranchBase } from "./local-base.ts";
import { missingObject, ObjectReader, readObjects } from "./local-objects.ts";
import { headId, isSymbolic, refId } from "./local-refs.ts";
import type { LandingContext } from "./local-work-tree-landing.ts";
import { branchOfHead, configValue, workTreesOn } from "./local-work-trees.ts";
import type { Landing, TargetReading, Progress } from "../target.ts";

export interface LocalContext extends LandingContext {
  /** Null for the branch that is checked out, or that a bare repository's HEAD names. */
  readonly branch: string | null;
}

export interface LocalTarget {
  /** `paths`: the paths that the caller will read, so that git can read them in the same process. */
  readState(paths?: readonly string[]): Promise<Result<TargetReading>>;
  /** Fails if the landing would be refused now. Only reads, so that the gate can call it before it asks a person. */
  check(landing: Landing): Promise<Result<undefined>>;
  /** Repeating the same landing finishes an interrupted one. */
  land(landing: Landing, writer: GitWriter, progress: Progress): Promise<Result<Landed>>;
}

export function localTarget(context: LocalContext): LocalTarget {
  return {
    readState: (paths = []) => readLocally(context, paths),
    check: (landing) => checkLocally(landing, context),
    land: (landing, writer, progress) => landLocally(landing, context, writer, progress),
  };
}

async function readLocally(
  { repository, branch: wanted, git }: LocalContext,
  paths: readonly string[],
): Promise<Result<TargetReading>> {
  const { gitDirectory, commonDirectory, workTree } = repository;
  const address = workTree ?? gitDirectory;
  if (configValue(repository, "extensions", "refstorage") === "reftable")
    return fail("tool_failed", `${address} keeps its refs as a reftable, which is not supported yet.`, {
      hint: "git refs migrate --ref-format=files",
    });
  const strange = gitDirectoryProblem([repository], "read");
  if (strange !== null) return strange;
  const format: ObjectFormat = configValue(repository, "extensions", "objectformat") === "sha256" ? "sha256" : "sha1";
  const headBranch = namedBranch(commonDirectory);
  const defaultBranch = localDefaultBranch(repository, headBranch);
  const named = wanted ?? namedBranch(gitDirectory);
  if (named === null)
    return fail("invalid_args", `branch: no branch is checked out in ${address}.`, {
      hint: "Name the branch to use.",
    });
  const parsed = parseBranchName(named);
  if (!parsed.ok) return parsed;
  const branch = parsed.value;
  if (isSymbolic(branch, repository))
    return fail("conflict", `${branch} is only another name for a branch of ${address}.`, {
      hint: "Name the branch that it leads to.",
    });
  const workTrees = workTreesOn(branch, repository);
  const ownId = refId(branchRef(branch), repository);
  const at = ownId ?? (branch === headBranch ? null : headId(repository));
  const names = at === null ? [] : [`${at}^{commit}`, `${at}^{tree}`];
  const along = at === null ? [] : readAlong(at, paths);
  const whole = await readObjects(git, repository, [...names, ...along]);
  // The additional paths may exceed the read limit.
  const objects = whole.ok || along.length === 0 ? whole : await readObjects(git, repository, names);
  if (!objects.ok) return objects;
  const [base = null] = objects.value;
  if (at !== null && base === null) return { ok: false, failure: missingObject(at, repository) };
  const reader = new ObjectReader(git, repository, format);
  for (const object of objects.value) if (object !== null) reader.know(object);
  const baseTree = base === null ? null : /^tree ([0-9a-f]+)\n/.exec(new TextDecoder().decode(base.content))?.[1];
  if (baseTree === undefined) throw new Error(`the commit ${base?.id} of ${address} is broken`);
  const own = ownId === null ? null : base;
  const isNew = own === null && base !== null;
  const newOn = isNew ? await newBranchBase(base.id, { repository, git, headBranch, defaultBranch }) : undefined;
  return ok({
    state: {
      address,
      format,
      branch,
      defaultBranch,
      oldCommit: own?.id ?? null,
      baseCommit: base?.id ?? null,
      baseTree,
      // If the work trees are not known, `check` refuses every landing, but the repository can still be read.
      checkedOut: workTrees.ok ? workTrees.value.map((each) => each.workTree) : [],
      ...(newOn === undefined ? {} : { newOn }),
    },
    readTree: (id) => reader.readTree(id),
    readBlobs: (ids) => reader.readBlobs(ids),
    measureBlobs: (ids) => reader.measureBlobs(ids),
  });
}

const DIRECTORIES_ALONG = 1_000;
const FILES_ALONG = 64;

/**
 * The objects that a commit of these paths needs: the directories above them and, if they are few, the files. Git resolves each from
 * the root.
 */
function readAlong(commit: ObjectId, paths: readonly string[]): string[] {
  const directories = new Set<string>([""]);
  for (const path of paths) {
    for (
      let at = path.lastIndexOf("/");
      at > 0 && !directories.has(path.slice(0, at));
      at = path.lastIndexOf("/", at - 1)
    )
      directories.add(path.slice(0, at));
    if (directories.size > DIRECTORIES_ALONG) return [];
  }
  const all = [...directories, ...(paths.length > FILES_ALONG ? [] : paths)];
  return paths.length === 0 ? [] : all.filter((path) => !/\s/.test(path)).map((path) => `${commit}:${path}`);
}

/** The branch that HEAD names; null if git could read the name as something other than a name. */
function namedBranch(gitDirectory: string): string | null {
  const branch = branchOfHead(gitDirectory);
  return branch === null || /[~^:?*[\\\s\p{Cc}]|\.\.|@\{/u.test(branch) ? null : branch;
}
