// The tools that start no program of the agent's choosing.

import { deleteFileTool } from "./delete-file.ts";
import { editFileTool } from "./edit-file.ts";
import { gitDiffTool } from "./git-diff.ts";
import { gitDiscardTool } from "./git-discard.ts";
import { gitPullTool } from "./git-pull.ts";
import { gitPushTool } from "./git-push.ts";
import { gitStageTool } from "./git-stage.ts";
import { gitStatusTool } from "./git-status.ts";
import { listFilesTool } from "./list-files.ts";
import { readFileTool } from "./read-file.ts";
import type { Registry } from "./registry.ts";
import { searchFilesTool } from "./search-files.ts";
import { writeFileTool } from "./write-file.ts";

/** The file tools and the git_* tools. `Exec` is never among them, nor any other that runs programs: each has a function of its own. */
export function registerBuiltinTools(registry: Registry): void {
  registry.register(readFileTool);
  registry.register(writeFileTool);
  registry.register(editFileTool);
  registry.register(listFilesTool);
  registry.register(searchFilesTool);
  registry.register(deleteFileTool);
  registry.register(gitStatusTool);
  registry.register(gitStageTool);
  registry.register(gitDiffTool);
  registry.register(gitPushTool);
  registry.register(gitDiscardTool);
  registry.register(gitPullTool);
}
