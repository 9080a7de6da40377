// delete_file: removes one file or link of the workspace.

import { z } from "zod";
import { fail, ok } from "../shared/result.ts";
import { parseWorkspacePath, spellWorkspacePath } from "../workspace/path.ts";
import { pathArgument } from "./files/file-arguments.ts";
import type { Tool, WorkPlan } from "./tool.ts";
import { planOfWork } from "./files/workspace-plan.ts";

const deleteArguments = z.strictObject({ path: pathArgument }).meta({ examples: [{ path: "old.txt" }] });

export const deleteFileTool: Tool<z.infer<typeof deleteArguments>> = {
  name: "delete_file",
  title: "Delete a file",
  description: "Deletes one file of the workspace. A link is removed itself, not what it leads to.",
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: "never" },
  arguments: deleteArguments,
  result: z.object({ path: z.string() }),
  plan(args, { workspace }) {
    const path = parseWorkspacePath(workspace.spelled(args.path));
    if (!path.ok) return path;
    const spelled = spellWorkspacePath(path.value);
    const remove: WorkPlan["run"] = async (files) => {
      if ((await files.entry(path.value)) === undefined) {
        if (await files.isDirectory(path.value))
          return fail("invalid_args", `path: ${spelled} is a directory.`, {
            hint: "Delete its files one by one, or with Bash.",
          });
        return fail("not_found", `There is no ${spelled}.`, { hint: "list_files shows what is there." });
      }
      const applied = await files.apply([{ operation: "delete", path: path.value }]);
      return applied.ok ? ok({ path: spelled }) : applied;
    };
    // Removes a link itself, so the path is not resolved.
    const plan = planOfWork("delete_file", path.value, "rw", {}, remove);
    return ok({ ...plan, entry: async () => ok(path.value) });
  },
};
