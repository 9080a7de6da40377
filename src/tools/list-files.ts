// list_files: lists the workspace's files, sorted, page by page.

import { z } from "zod";
import { limits } from "../shared/limits.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { parseWorkspaceDirectory, spellWorkspacePath, type WorkspacePath, workspaceRoot } from "../workspace/path.ts";
import type { ListOptions, Workspace } from "../workspace/workspace.ts";
import { globArgument, limitArgument, parsePattern, pathArgument } from "./files/file-arguments.ts";
import type { Tool } from "./tool.ts";
import { resolveEntry } from "./files/workspace-file.ts";
import { workspacePlan } from "./files/workspace-plan.ts";

const listArguments = z
  .strictObject({
    path: pathArgument.optional().describe("A directory of the workspace. Default: all of it."),
    pattern: globArgument.optional(),
    limit: limitArgument.optional().describe(`At most so many. Default ${limits.listDefault}.`),
    after: pathArgument.optional().describe("Only what comes after this path: the last one of the page before."),
  })
  .meta({ examples: [{}, { path: "src", pattern: "*.ts" }] });

export const listFilesTool: Tool<z.infer<typeof listArguments>> = {
  name: "list_files",
  title: "List files",
  description:
    "Lists the files of the workspace with their sizes. `more` says that there are others: ask again with `after`.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: "never" },
  arguments: listArguments,
  result: z.object({
    files: z.array(z.object({ path: z.string(), size: z.number(), executable: z.boolean() })),
    more: z.boolean(),
  }),
  plan({ path, pattern, limit = limits.listDefault, after }, { workspace }) {
    const under = parseWorkspaceDirectory(workspace.spelled(path ?? workspaceRoot));
    if (!under.ok) return under;
    const glob = parsePattern("pattern", pattern);
    if (!glob.ok) return glob;
    const from = parseWorkspaceDirectory(workspace.spelled(after ?? workspaceRoot), "after");
    if (!from.ok) return from;
    const options = { limit, after: from.value, ...glob.value };
    return workspacePlan("list_files", under.value, "r", { pattern: pattern ?? null }, (files) =>
      list(under.value, options, files),
    );
  },
};

async function list(
  path: WorkspacePath,
  options: ListOptions,
  files: Workspace,
): Promise<Result<Record<string, unknown>>> {
  const resolved = await resolveEntry(path, files);
  if (!resolved.ok) return resolved;
  if (resolved.value.kind === "file")
    return fail("invalid_args", `path: ${spellWorkspacePath(path)} is a file, not a directory.`, {
      hint: "Read it with read_file, or name the directory that it lies in.",
    });
  const page = await files.list({ ...options, under: resolved.value.path });
  const shown = page.entries.map(({ path, size, executable, target }) => ({
    path: spellWorkspacePath(path),
    size,
    executable,
    ...(target === null ? {} : { target }),
  }));
  return ok({ files: shown, more: page.more });
}
