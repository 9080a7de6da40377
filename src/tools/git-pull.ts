// git_pull: copies files of a repository into the workspace. The result names the commit.

import { z } from "zod";
import type { Effect } from "../action/effect.ts";
import { isHarmless } from "../command/harmless-content.ts";
import { looksSecret } from "../command/sensitive.ts";
import { contentHash, contentHashes, type PulledFile } from "../git/staged.ts";
import type { GitTarget, TargetReading } from "../git/target/target.ts";
import { isHidden } from "../policy/capability.ts";
import type { Failure } from "../shared/failure.ts";
import { limits } from "../shared/limits.ts";
import { isAbsolutePath, joinPath } from "../shared/path.ts";
import { fail, inField, ok, type Result } from "../shared/result.ts";
import { parseLinkTarget } from "../workspace/link.ts";
import { rootPath, spellWorkspacePath, type WorkspacePath } from "../workspace/path.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { gitTarget, targetOnDisk } from "./commits/git-target.ts";
import { firstOf, planProjectPull, pulledList, pullResult } from "./commits/pull-shapes.ts";
import { argumentText } from "./programs/program-arguments.ts";
import { type Incoming, type OnConflict, planChanges } from "../git/publish/push/pull-changes.ts";
import type { Targets } from "../git/publish/push/opened-target.ts";
import type { SessionCommits } from "../git/publish/push/session-commits.ts";
import { checkCapacity, type Listed, listTree, parsePaths } from "../git/publish/pull-tree.ts";
import type { Plan, PlanContext, TargetTool, WorkPlan } from "./tool.ts";
import { planOfWork } from "./files/workspace-plan.ts";

const pullArguments = z
  .strictObject({
    source: gitTarget
      .optional()
      .describe("`branch`: else the repository's default branch. In a draft, without source: its project."),
    paths: z
      .array(argumentText.min(1).max(limits.pathBytes))
      .min(1)
      .max(1_000)
      .optional()
      .describe("Files, directories or globs (src/**/*.ts); . is all of it."),
    destZone: z.enum(["workspace"]).optional(),
    onConflict: z
      .enum(["fail", "overwrite", "keep-both"])
      .optional()
      .describe("Where a file of the workspace would be lost. Default fail."),
  })
  .meta({ examples: [{ source: { type: "local", path: "." }, paths: ["templates/", "src/**/*.ts"] }] });

const LEFT_NAMED = 20;

type PullArguments = z.infer<typeof pullArguments>;

export const gitPullTool: TargetTool<PullArguments> = {
  name: "git_pull",
  title: "Pull files into the workspace",
  description:
    "Copies files of a repository's branch into the workspace. Nothing of the repository runs, and nothing in it changes. In a draft, {} brings what the project has now, uncommitted work too, and rebases yours on it.",
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: "always" },
  arguments: pullArguments,
  result: pullResult,
  needs: "targets",
  plan: planPull,
};

interface FilePull {
  /** With a path on the disk. */
  readonly source: GitTarget;
  readonly paths: readonly string[];
  readonly onConflict: OnConflict;
}

async function planPull(
  { source, paths, onConflict = "fail" }: PullArguments,
  context: PlanContext,
  commits: SessionCommits,
  targets: Targets,
): Promise<Result<Plan>> {
  const { projectPull } = commits;
  const own: GitTarget | null = projectPull === null ? null : { type: "local", path: projectPull.project };
  const meant = source ?? own;
  if (meant === null) return missing("source");
  const found = inField("source", targetOnDisk(meant, context));
  if (!found.ok) return found;
  const isProject = found.value.type === "local" && commits.localAddress(found.value.path) === projectPull?.project;
  const isWhole = paths === undefined || paths.every((path) => wholeProject.has(path));
  if (projectPull !== null && isProject && isWhole && found.value.branch === undefined && onConflict === "fail")
    return ok(planProjectPull(projectPull, commits));
  if (paths === undefined) return missing("paths");
  return await planFilePull({ source: found.value, paths, onConflict }, context, commits, targets);
}

const wholeProject = new Set([".", "./", "/workspace", "/workspace/"]);

function missing(field: string): Result<never> {
  return fail("invalid_args", `${field}: is missing.`, {
    hint: "Only in a draft, for all that its project has now, may `source` and `paths` be left out.",
  });
}

async function planFilePull(
  args: FilePull,
  context: PlanContext,
  commits: SessionCommits,
  targets: Targets,
): Promise<Result<Plan>> {
  const wanted = parsePaths(args.paths);
  if (!wanted.ok) return wanted;
  const opened = inField("source", await targets.open(args.source));
  if (!opened.ok) return opened;
  const reading = inField("source", await opened.value.readState());
  if (!reading.ok) return reading;
  const { state } = reading.value;
  const commit = state.oldCommit ?? state.baseCommit;
  if (commit === null || state.baseTree === null || (state.oldCommit === null && args.source.branch !== undefined))
    return fail("not_found", `${state.address} has no branch ${state.branch}.`, {
      hint: "Name a branch that is there.",
    });
  // SECURITY(T30): a file that the grants hide on disk must not come in through the repository.
  const isHere = isAbsolutePath(state.address);
  const isKept = (path: string) => isHere && isHidden(context.capability, joinPath(state.address, path));
  const found = await listTree(reading.value, wanted.value, isKept);
  if (!found.ok) return found;
  const capacity = await checkCapacity(found.value.files, reading.value);
  if (!capacity.ok) return capacity;
  const sensitive = await secretFiles(found.value, reading.value);
  // For another machine, the gate asked before it read the target.
  const here: Effect[] = isHere ? [{ kind: "pull", source: state.address, at: "here" }] : [];
  const planOf = (listed: Listed, effects: readonly Effect[], leftOut: readonly LeftOut[]): WorkPlan => {
    const { onConflict } = args;
    const paths = args.paths.join(", ");
    const details = { place: state.address, commit, paths, files: listed.files.length, onConflict };
    let note = (): void => undefined;
    const plan = planOfWork("git_pull", rootPath, "rw", details, async (files) => {
      const pulled = await pull(listed, commit, onConflict, reading.value, files, commits);
      if (!pulled.ok) return pulled;
      note = pulled.value.note;
      return ok({
        ...pulled.value.result,
        ...(leftOut.length === 0 ? {} : firstOf("leftOut", "moreLeftOut", leftOut)),
      });
    });
    return { ...plan, effects, saved: () => note() };
  };
  const files = found.value.files.filter(({ path }) => !sensitive.includes(path));
  const asked = sensitive.map((file) => ({ kind: "pull", source: state.address, file }) as const);
  const whole = planOf(found.value, [...here, ...asked], []);
  if (sensitive.length === 0 || files.length === 0) return ok(whole);
  // SECURITY(T30): without a yes, files that look like secrets are left out, and the others are pulled.
  const reduced = ({ message, because, hint }: Failure) => {
    const reason = [`it looks like a secret: ${because?.[0] ?? message}`, hint].filter(Boolean).join(" ");
    const leftOut = sensitive.map((path) => ({ path, reason }));
    return planOf({ ...found.value, files }, here, leftOut);
  };
  return ok({ ...whole, reduced });
}

interface LeftOut {
  readonly path: string;
  readonly reason: string;
}

/** Finds files that look like secrets, by name and then by content. The content that is checked is the content that is pulled. */
async function secretFiles({ files }: Listed, reading: TargetReading): Promise<readonly string[]> {
  const named = files.filter(({ path }) => looksSecret(path));
  if (named.length === 0) return [];
  const contents = await reading.readBlobs([...new Set(named.map(({ id }) => id))]);
  return named
    .filter(({ path, id, mode }) => mode === "120000" || !isHarmless(path, contents.get(id)))
    .map(({ path }) => path);
}

interface Pulled {
  readonly result: Record<string, unknown>;
  /**
   * Call this after the workspace is saved, and not before. If the gate were killed in between, the saved files would be old but noted
   * as new, and they would look like changes made by somebody.
   */
  readonly note: () => void;
}

async function pull(
  listed: Listed,
  commit: string,
  onConflict: OnConflict,
  reading: TargetReading,
  files: Workspace,
  commits: SessionCommits,
): Promise<Result<Pulled>> {
  const { address } = reading.state;
  const contents = await reading.readBlobs([...new Set(listed.files.map(({ id }) => id))], commits.progress);
  const keys = await contentHashes(commits.hashes, contents);
  const known = commits.staged.pulled(commits.session);
  const notes = [...listed.notes];
  const incoming: Incoming[] = [];
  for (const [done, file] of listed.files.entries()) {
    if (done % 256 === 0) commits.progress(done, listed.files.length, "files pulled");
    const { path } = file;
    const closed = files.changeProblem(path as WorkspacePath);
    if (closed !== null) {
      notes.push(`${path} was left out: ${closed.message}`);
      continue;
    }
    const bytes = contents.get(file.id) ?? new Uint8Array();
    const mode = file.mode === "120000" || file.mode === "100755" ? file.mode : "100644";
    const target = mode === "120000" ? parseLinkTarget(path as WorkspacePath, new TextDecoder().decode(bytes)) : null;
    if (target !== null && !target.ok) {
      notes.push(`${path}: ${target.failure.message}`);
      continue;
    }
    if (bytes.length < 1024 && new TextDecoder().decode(bytes).startsWith("version https://git-lfs"))
      notes.push(`${path} is a pointer to LFS; its content is not here`);
    const state = {
      contentHash: keys.get(file.id) ?? contentHash(commits.hashes, bytes),
      size: bytes.length,
      mode,
    } as const;
    incoming.push({ path: path as WorkspacePath, state, bytes, target: target === null ? null : target.value });
  }
  commits.progress(listed.files.length, listed.files.length, "files pulled");
  const plan = await planChanges(incoming, known, files, onConflict, commits.hashes);
  const conflicts = plan.conflicts.map(spellWorkspacePath);
  if (conflicts.length > 0 && onConflict === "fail")
    return fail(
      "conflict",
      `What was done to ${conflicts.length === 1 ? "1 file" : `${conflicts.length} files`} of the workspace would be lost: ${conflicts.slice(0, 10).join(", ")}${conflicts.length > 10 ? ", …" : ""}.`,
      {
        hint: 'Nothing was changed. Pull with "onConflict": "overwrite" or "keep-both".',
      },
    );
  const left = [...known.values()].filter((file) => file.source === address && listed.isMissing(file.path));
  const applied = await files.apply(plan.changes);
  if (!applied.ok) return applied;
  notes.push(...(await describeLeft(left, `${reading.state.branch} at ${commit.slice(0, 10)}`, files)));
  const written = plan.changes.filter(({ operation }) => operation !== "delete");
  return ok({
    result: {
      ...pulledList(written.map(({ path }) => spellWorkspacePath(path))),
      ...firstOf("conflicts", "moreConflicts", conflicts),
      commitSha: commit,
      ...(notes.length === 0 ? {} : { notes: shortNotes(notes) }),
    },
    note: () => {
      const pulled = plan.pulled.map(({ path, state }) => ({ path, ...state, source: address, commit }));
      const kept = plan.pulled.map(({ state, bytes }) => ({ hash: state.contentHash, bytes }));
      commits.staged.notePulled(commits.session, pulled, [...plan.gone, ...left.map(({ path }) => path)], kept);
      commits.note("files.pulled", { place: address, commit, files: pulled.length });
    },
  });
}

function shortNotes(notes: readonly string[]): readonly string[] {
  const rest = notes.length - limits.statusEntries;
  return rest > 0 ? [...notes.slice(0, limits.statusEntries), `and ${rest} more notes`] : notes;
}

/** Describes files that an earlier pull brought from this source and that the source no longer has. They stay, but count as new. */
async function describeLeft(left: readonly PulledFile[], where: string, files: Workspace): Promise<string[]> {
  const there: string[] = [];
  for (const { path } of left) if ((await files.entry(path as WorkspacePath)) !== undefined) there.push(path);
  const rest = there.length - LEFT_NAMED;
  return [
    ...there.slice(0, LEFT_NAMED).map((path) => `${path} is not in ${where}: it stays here, and counts as new`),
    ...(rest > 0 ? [`and so it is with ${rest} more`] : []),
  ];
}
