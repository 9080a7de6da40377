// search_files: finds lines of workspace files that match a regular expression.

import { z } from "zod";
import { limits } from "../shared/limits.ts";
import { ok, type Result } from "../shared/result.ts";
import { IgnoredFiles } from "../workspace/ignored-files.ts";
import { parseWorkspaceDirectory, spellWorkspacePath, type WorkspacePath, workspaceRoot } from "../workspace/path.ts";
import { searchFiles } from "../workspace/search.ts";
import { argumentText } from "./programs/program-arguments.ts";
import { globArgument, limitArgument, parsePattern, pathArgument } from "./files/file-arguments.ts";
import type { CommitTool } from "./tool.ts";
import { resolveEntry } from "./files/workspace-file.ts";
import { workspacePlan } from "./files/workspace-plan.ts";

const searchArguments = z
  .strictObject({
    pattern: argumentText
      .min(1)
      .max(1024)
      .describe("A regular expression for one line; (?i) at its beginning ignores case."),
    path: pathArgument.optional().describe("A directory or a file of the workspace. Default: all of it."),
    glob: globArgument.optional(),
    limit: limitArgument.optional().describe(`At most so many lines. Default ${limits.searchDefault}.`),
  })
  .meta({ examples: [{ pattern: "TODO|FIXME" }, { pattern: "^export ", path: "src", glob: "*.ts" }] });

export const searchFilesTool: CommitTool<z.infer<typeof searchArguments>> = {
  name: "search_files",
  title: "Search files",
  description:
    "Finds lines in the workspace's text files by a regular expression without look-around and back references. Leaves out what .gitignore names.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: "never" },
  arguments: searchArguments,
  result: z.object({
    matches: z.array(z.object({ path: z.string(), line: z.number(), text: z.string() })),
    more: z.boolean(),
    stopped: z.enum(["limit", "size", "time"]).optional().describe("Why there may be more."),
    ignored: z.number().optional().describe("How many files .gitignore names. To search them, name their directory."),
  }),
  needs: "commits",
  plan({ pattern, path, glob, limit = limits.searchDefault }, { workspace }, { base }) {
    const under = parseWorkspaceDirectory(workspace.spelled(path ?? workspaceRoot));
    if (!under.ok) return under;
    const chosen = parsePattern("glob", glob);
    if (!chosen.ok) return chosen;
    const options = { limit, ...chosen.value };
    return workspacePlan("search_files", under.value, "r", { pattern, glob: glob ?? null }, async (files) => {
      const resolved = await resolveEntry(under.value, files);
      if (!resolved.ok) return resolved;
      const start = resolved.value.path;
      const rules = new IgnoredFiles(files);
      const ignoredOf = async (paths: readonly WorkspacePath[]): Promise<Result<ReadonlySet<string>>> => {
        const named: WorkspacePath[] = [];
        for (const file of paths) if (await rules.has(file)) named.push(file);
        if (named.length === 0) return ok(new Set());
        const tracked = await base.tracked(named);
        return tracked.ok ? ok(new Set(named.filter((file) => !tracked.value.has(file)))) : tracked;
      };
      // A directory that the call names is searched, ignored or not.
      const leftOut = (await rules.hasDirectory(start)) ? {} : { ignoredOf };
      const found = await searchFiles(files, pattern, { ...options, under: start, ...leftOut });
      if (!found.ok) return found;
      const { matches, more, stopped, ignored } = found.value;
      const shown = matches.map((match) => ({ ...match, path: spellWorkspacePath(match.path) }));
      return ok({
        matches: shown,
        more,
        ...(stopped === null ? {} : { stopped }),
        ...(ignored > 0 ? { ignored } : {}),
      });
    });
  },
};
