// git_pull: brings files of a repository into the workspace, at a commit that the result names.

import { z } from "zod";
import type { Effect } from "../action/effect.ts";
import { sensitiveNames } from "../command/sensitive.ts";
import { type ContentBytes, contentHash, type PulledFile } from "../git/staged.ts";
import type { LookedAt } from "../git/target/target.ts";
import { isHidden } from "../policy/capability.ts";
import { limits } from "../shared/limits.ts";
import { isAbsolutePath, joinPath } from "../shared/path.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { parseLinkTarget } from "../workspace/link.ts";
import { rootPath, spellWorkspacePath, type WorkspacePath } from "../workspace/path.ts";
import type { Change, Workspace } from "../workspace/workspace.ts";
import { gitTarget } from "./git-target.ts";
import { argumentText } from "./program-arguments.ts";
import { type Listed, listTree, parsePaths } from "./pull-tree.ts";
import type { Plan, PlanContext, Tool } from "./tool.ts";
import { workspacePlan } from "./workspace-plan.ts";
import { freeze } from "./workspace-state.ts";

const pullArguments = z
  .strictObject({
    source: gitTarget.describe("The repository; `branch` names what is taken, else its default branch."),
    paths: z
      .array(argumentText.min(1).max(limits.pathBytes))
      .min(1)
      .max(1_000)
      .describe("Files, directories or globs (src/**/*.ts); . is all of it."),
    destZone: z.enum(["workspace"]).optional(),
    onConflict: z
      .enum(["fail", "overwrite", "keep-both"])
      .optional()
      .describe("Where a file of the workspace would be lost. Default fail."),
  })
  .meta({ examples: [{ source: { type: "local", path: "." }, paths: ["templates/", "src/**/*.ts"] }] });

type PullArguments = z.infer<typeof pullArguments>;

export const gitPullTool: Tool<PullArguments> = {
  name: "git_pull",
  title: "Pull files into the workspace",
  description:
    "Copies files of a repository's branch into the workspace. Nothing of the repository runs, and nothing in it changes.",
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: "always" },
  arguments: pullArguments,
  result: z.object({
    pulled: z.array(z.string()),
    conflicts: z.array(z.string()),
    commitSha: z.string(),
    notes: z.array(z.string()).optional().describe("What was left out, and why."),
  }),
  plan: planPull,
};

async function planPull(args: PullArguments, context: PlanContext): Promise<Result<Plan>> {
  const { git } = context;
  const wanted = parsePaths(args.paths);
  if (!wanted.ok) return wanted;
  const opened = await git.open(args.source);
  if (!opened.ok) return opened;
  const looked = await opened.value.look();
  if (!looked.ok) return looked;
  const { state } = looked.value;
  const commit = state.oldCommit ?? state.baseCommit;
  if (commit === null || state.baseTree === null || (state.oldCommit === null && args.source.branch !== undefined))
    return fail("not_found", `${state.place} has no branch ${state.branch}.`, { hint: "Name a branch that is there." });
  // SECURITY(T30): what the grants hide on disk does not come in by way of the repository.
  const isKept = (path: string) =>
    isAbsolutePath(state.place) && isHidden(context.capability, joinPath(state.place, path));
  const found = await listTree(looked.value, wanted.value, isKept);
  if (!found.ok) return found;
  const sensitive = found.value.files.filter(({ path }) => isSensitive(path));
  const effects = sensitive.map(({ path }): Effect => ({ kind: "pull", source: `${state.place}: ${path}` }));
  const onConflict = args.onConflict ?? "fail";
  const details = {
    place: state.place,
    commit,
    paths: args.paths.join(", "),
    files: found.value.files.length,
    onConflict,
  };
  let note = (): void => undefined;
  const plan = workspacePlan(
    "git_pull",
    rootPath,
    "rw",
    details,
    async (files) => {
      const pulled = await pull(found.value, commit, onConflict, looked.value, files, context);
      if (!pulled.ok) return pulled;
      note = pulled.value.note;
      return ok(pulled.value.told);
    },
    () => note(),
  );
  return plan.ok ? ok({ ...plan.value, effects }) : plan;
}

function isSensitive(path: string): boolean {
  return path
    .split("/")
    .some(
      (name) =>
        sensitiveNames.has(name) || /^\.env(?:\..*)?$|\.(?:pem|key|p12|pfx)$|^id_(?:rsa|dsa|ecdsa|ed25519)$/.test(name),
    );
}

interface Pulled {
  readonly told: Record<string, unknown>;
  /**
   * To be called when the workspace is kept. Not before: a gate that is killed in between would have old files beside the
   * news that they are new, and they would pass for somebody's work.
   */
  readonly note: () => void;
}

async function pull(
  { files: found, notes }: Listed,
  commit: string,
  onConflict: "fail" | "overwrite" | "keep-both",
  looked: LookedAt,
  files: Workspace,
  { git }: PlanContext,
): Promise<Result<Pulled>> {
  const contents = await looked.readBlobs([...new Set(found.map(({ id }) => id))]);
  const known = git.staged.pulled(git.session);
  const changes: Change[] = [];
  const pulled: PulledFile[] = [];
  const conflicts: string[] = [];
  const said = [...notes];
  const kept: ContentBytes[] = [];
  for (const [done, { path, mode, id }] of found.entries()) {
    if (done % 256 === 0) git.progress(done, found.length, "files pulled");
    const place = path as WorkspacePath;
    const bytes = contents.get(id) ?? new Uint8Array();
    const isLink = mode === "120000";
    const target = isLink ? parseLinkTarget(place, new TextDecoder().decode(bytes)) : null;
    if (target !== null && !target.ok) {
      said.push(`${path}: ${target.failure.message}`);
      continue;
    }
    if (bytes.length < 1024 && new TextDecoder().decode(bytes).startsWith("version https://git-lfs"))
      said.push(`${path} is a pointer to LFS; its content is not here`);
    const state = {
      contentHash: contentHash(bytes),
      size: bytes.length,
      mode: isLink ? ("120000" as const) : mode === "100755" ? ("100755" as const) : ("100644" as const),
    };
    const entry = await files.entry(place);
    const now = entry === undefined ? null : await freeze(place, entry, files);
    const isTheirs =
      now !== null &&
      now.state.contentHash !== state.contentHash &&
      now.state.contentHash !== known.get(path)?.contentHash;
    const isInTheWay = isTheirs || (await files.isDirectory(place));
    if (isInTheWay) conflicts.push(spellWorkspacePath(place));
    const to = isInTheWay && onConflict === "keep-both" ? await freeName(`${path}.conflict`, files) : place;
    changes.push(
      target === null
        ? { operation: "write", path: to, bytes, executable: mode === "100755" }
        : { operation: "link", path: to, target: target.value },
    );
    if (to !== place) continue;
    pulled.push({ path, ...state, source: looked.state.place, commit });
    kept.push({ hash: state.contentHash, bytes });
  }
  git.progress(found.length, found.length, "files pulled");
  if (conflicts.length > 0 && onConflict === "fail")
    return fail(
      "conflict",
      `${conflicts.length} files of the workspace would be lost: ${conflicts.slice(0, 10).join(", ")}${conflicts.length > 10 ? ", …" : ""}.`,
      {
        hint: 'Nothing was changed. Pull with "onConflict": "overwrite" or "keep-both".',
      },
    );
  const applied = await files.apply(changes);
  if (!applied.ok) return applied;
  return ok({
    told: {
      pulled: changes.map(({ path }) => spellWorkspacePath(path)),
      conflicts,
      commitSha: commit,
      ...(said.length === 0 ? {} : { notes: said }),
    },
    note: () => {
      git.staged.notePulled(git.session, pulled, [], kept);
      git.note("files.pulled", { place: looked.state.place, commit, files: pulled.length });
    },
  });
}

/** A copy that is there may be somebody's work by now. */
async function freeName(name: string, files: Workspace): Promise<WorkspacePath> {
  for (let count = 1; ; count += 1) {
    const path = (count === 1 ? name : `${name}-${count}`) as WorkspacePath;
    if ((await files.entry(path)) === undefined && !(await files.isDirectory(path))) return path;
  }
}
