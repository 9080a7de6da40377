// search_files: finds lines of workspace files that match a regular expression.

import { z } from "zod";
import { limits } from "../shared/limits.ts";
import { ok } from "../shared/result.ts";
import { parseWorkspaceDirectory, spellWorkspacePath, workspaceRoot } from "../workspace/path.ts";
import { searchFiles } from "../workspace/search.ts";
import { argumentText } from "./programs/program-arguments.ts";
import { globArgument, limitArgument, parsePattern, pathArgument } from "./files/file-arguments.ts";
import type { Tool } from "./tool.ts";
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

export const searchFilesTool: Tool<z.infer<typeof searchArguments>> = {
  name: "search_files",
  title: "Search files",
  description:
    "Finds lines in the workspace's text files by a regular expression. No look-around and no back references.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: "never" },
  arguments: searchArguments,
  result: z.object({
    matches: z.array(z.object({ path: z.string(), line: z.number(), text: z.string() })),
    more: z.boolean(),
    stopped: z.enum(["limit", "size", "time"]).optional().describe("Why there may be more."),
  }),
  plan({ pattern, path, glob, limit = limits.searchDefault }) {
    const under = parseWorkspaceDirectory(path ?? workspaceRoot);
    if (!under.ok) return under;
    const chosen = parsePattern("glob", glob);
    if (!chosen.ok) return chosen;
    const options = { limit, ...chosen.value };
    return workspacePlan("search_files", under.value, "r", { pattern, glob: glob ?? null }, async (files) => {
      const resolved = await resolveEntry(under.value, files);
      if (!resolved.ok) return resolved;
      const found = await searchFiles(files, pattern, { ...options, under: resolved.value.path });
      if (!found.ok) return found;
      const { matches, more, stopped } = found.value;
      const shown = matches.map((match) => ({ ...match, path: spellWorkspacePath(match.path) }));
      return ok({ matches: shown, more, ...(stopped === null ? {} : { stopped }) });
    });
  },
};
