// git_stage: freezes workspace files into a commit that a person can review. Nothing leaves the workspace, and later edits do not
// change the commit.

import { z } from "zod";
import { landedMessage } from "../git/publish/commit.ts";
import { DiskNames } from "../git/publish/disk-names.ts";
import type { ContentBytes, FileState, StagedFile, StagedStep } from "../git/staged.ts";
import type { Hashes } from "../shared/hash.ts";
import { limits } from "../shared/limits.ts";
import { fail, inField, ok, type Result } from "../shared/result.ts";
import { parentsOf, parseWorkspacePath, rootPath, spellWorkspacePath, type WorkspacePath } from "../workspace/path.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { pathArgument } from "./files/file-arguments.ts";
import type { SessionCommits } from "../git/publish/push/session-commits.ts";
import { shownCommit, stagedCommitShape, stagedResult } from "./commits/staged-shapes.ts";
import type { CommitTool } from "./tool.ts";
import { workspacePlan } from "./files/workspace-plan.ts";
import { freeze } from "../git/publish/push/workspace-state.ts";

const stageArguments = z
  .strictObject({
    files: z
      .array(pathArgument)
      .min(1)
      .max(limits.stagedFiles)
      .optional()
      .describe("Workspace files; a pulled file that is gone is staged as deleted. Needs `message`."),
    message: z
      .string()
      .max(limits.messageBytes)
      .optional()
      .describe("The commit message, whole. With `commits`: all of them land as one commit with this message."),
    commits: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe('Instead of `files`, commits made inside a draft: "all" that have not landed, or "HEAD~2..HEAD".'),
  })
  .meta({
    examples: [{ files: ["report.md", "charts/revenue.svg"], message: "Add quarterly report" }, { commits: "all" }],
  });

const FILES_NOTED = 100;

type StageArguments = z.infer<typeof stageArguments>;

export const gitStageTool: CommitTool<StageArguments> = {
  name: "git_stage",
  title: "Stage a commit",
  description:
    "Freezes workspace files, or commits made inside a draft, into a staged commit. Push it with git_push: a person sees its diff first.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: "never" },
  arguments: stageArguments,
  result: stagedCommitShape,
  needs: "commits",
  plan({ files: named, message: text, commits: range }, { agent, workspace }, commits) {
    const message = text === undefined ? null : landedMessage(text, agent);
    if (message?.ok === false) return message;
    if ((named === undefined) === (range === undefined))
      return fail("invalid_args", `files: ${named === undefined ? "is missing" : "cannot stand beside commits"}.`, {
        hint: "Name `files` with a `message`, or `commits`.",
      });
    if (range !== undefined)
      return workspacePlan("git_stage", rootPath, "rw", { commits: range, message: text ?? null }, (files) =>
        stageSeries(range, text ?? null, files, agent, commits),
      );
    if (text === undefined) return fail("invalid_args", "message: is missing.", { hint: "Say what the commit does." });
    const paths = parsePaths((named ?? []).map((path) => workspace.spelled(path)));
    if (!paths.ok) return paths;
    const details = { files: paths.value.length, message: text };
    return workspacePlan("git_stage", rootPath, "rw", details, (files) =>
      stage(paths.value, text, files, agent, commits),
    );
  },
};

/** Commits that the agent made with git, each with its message. */
async function stageSeries(
  range: string,
  message: string | null,
  files: Workspace,
  agent: string,
  commits: SessionCommits,
): Promise<Result<Record<string, unknown>>> {
  const landed = commits.staged.landedTips(commits.session);
  const series = await commits.base.series({ range, message, landed });
  if (!series.ok) return series;
  const { steps, files: net, contents } = series.value;
  for (const step of steps) {
    // SECURITY(T46): what the file tools may not change, such as a hidden name, does not land by a commit either.
    for (const { path } of step.files) {
      const problem = files.changeProblem(path as WorkspacePath);
      if (problem !== null) return { ok: false, failure: problem };
    }
    const lands = inField(`commits[${step.id.slice(0, 12)}]`, landedMessage(step.message, agent));
    if (!lands.ok) return lands;
    const collision = findCollision(step.files, `commits[${step.id.slice(0, 12)}].files`);
    if (!collision.ok) return collision;
  }
  return ok(keep({ files: net, series: steps, message: seriesMessage(steps) }, contents, agent, commits));
}

/** For lists. Each commit lands with its own message. */
function seriesMessage(steps: readonly StagedStep[]): string {
  const [only] = steps;
  if (steps.length === 1 && only !== undefined) return only.message;
  return [`${steps.length} commits`, "", ...steps.map(({ message }) => `- ${message.split("\n", 1)[0] ?? ""}`)].join(
    "\n",
  );
}

function parsePaths(written: readonly string[]): Result<WorkspacePath[]> {
  const paths = new Set<WorkspacePath>();
  for (const [index, text] of written.entries()) {
    const path = parseWorkspacePath(text, `files[${index}]`);
    if (!path.ok) return path;
    if (paths.has(path.value))
      return fail("invalid_args", `files[${index}]: ${JSON.stringify(text)} is there twice.`, {
        hint: "Name each file once.",
      });
    paths.add(path.value);
  }
  return ok([...paths]);
}

/** Checks only files that exist after the commit, because a deleted file cannot collide with a name that differs only in case. */
function findCollision(staged: readonly StagedFile[], field = "files"): Result<undefined> {
  const seen = new Set<string>();
  const names = new DiskNames();
  for (const [index, { path, after }] of staged.entries()) {
    if (after === null) continue;
    for (const name of [path, ...parentsOf(path as WorkspacePath)]) {
      if (seen.has(name)) continue;
      seen.add(name);
      const [other] = names.same(name);
      names.add(name);
      if (other !== undefined)
        return fail(
          "invalid_args",
          `${field}[${index}]: ${JSON.stringify(name)} and ${JSON.stringify(other)} are one file on some disks.`,
          { hint: "Rename one: case, a dot or blank at the end, and what follows a colon may not count there." },
        );
    }
  }
  return ok(undefined);
}

async function stage(
  paths: readonly WorkspacePath[],
  message: string,
  files: Workspace,
  agent: string,
  commits: SessionCommits,
): Promise<Result<Record<string, unknown>>> {
  const base = await commits.base.files(paths);
  if (!base.ok) return base;
  const staged: StagedFile[] = [];
  const contents: ContentBytes[] = [];
  for (const [done, path] of paths.entries()) {
    if (done % 256 === 0) commits.progress(done, paths.length, "files staged");
    const was = base.value.get(path);
    const one = await stageFile(path, was?.state ?? null, files, commits.hashes);
    if (!one.ok) return one;
    const { file, bytes } = one.value;
    staged.push(file);
    if (bytes !== null && file.after !== null) contents.push({ hash: file.after.contentHash, bytes });
    // A reviewer sees both sides, so the store needs both.
    if (was?.isStored === false) contents.push({ hash: was.state.contentHash, bytes: was.bytes() });
  }
  const collision = findCollision(staged);
  if (!collision.ok) return collision;
  commits.progress(paths.length, paths.length, "files staged");
  return ok(keep({ files: staged, message }, contents, agent, commits));
}

async function stageFile(
  path: WorkspacePath,
  was: FileState | null,
  files: Workspace,
  hashes: Hashes,
): Promise<Result<{ file: StagedFile; bytes: Uint8Array | null }>> {
  const entry = await files.entry(path);
  const now = entry === undefined ? null : await freeze(path, entry, files, hashes);
  if (now === null) {
    const denied = entry?.kind === "file" ? await files.read(path) : null;
    // A file that the agent may not see is neither staged nor treated as deleted.
    if (denied?.ok === false && denied.failure.error === "fs_denied") return denied;
    // If the file was pulled and a directory has replaced it, the file counts as deleted.
    if (was === null && (await files.isDirectory(path)))
      return fail("invalid_args", `files: ${spellWorkspacePath(path)} is a directory.`, { hint: "Name its files." });
    if (was === null)
      return fail("not_found", `There is no ${spellWorkspacePath(path)}, and it was not pulled.`, {
        hint: "git_status shows what can be staged.",
      });
    return ok({ file: { path, operation: "delete", after: null, before: was }, bytes: null });
  }
  // An unchanged file is staged too, because the push may go to another repository.
  return ok({
    file: { path, operation: was === null ? "create" : "update", after: now.state, before: was },
    bytes: now.bytes,
  });
}

function keep(
  staged: { readonly files: readonly StagedFile[]; readonly series?: readonly StagedStep[]; readonly message: string },
  contents: readonly ContentBytes[],
  agent: string,
  commits: SessionCommits,
) {
  const commit = {
    id: commits.newId(),
    session: commits.session.name,
    agent,
    ...staged,
    createdAt: commits.now(),
  };
  commits.staged.stage(commit, contents);
  const result = stagedResult(commit);
  commits.note("commit.staged", { commit: commit.id, ...noted(result.files, commits.hashes) });
  return shownCommit(result);
}

/** The first files for readers of the record, and a hash of the whole list. */
function noted(files: readonly object[], hashes: Hashes): object {
  if (files.length <= FILES_NOTED) return { files };
  const sha256 = hashes.hex("sha256", JSON.stringify(files));
  return { files: files.slice(0, FILES_NOTED), file_count: files.length, files_sha256: sha256 };
}
