// Registers the tools that start no program chosen by the agent.

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

/** The file tools and the git_* tools. `Exec` and the other tools that run programs each have their own register function. */
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
