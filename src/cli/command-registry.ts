// Every tool that the command offers. The `tool_grants` of an agent say which of them it may use.
// A tool is loaded when it is first called: a command makes one call, and most of the code belongs to other tools.

import { createRegistry, type Registry } from "../tools/registry.ts";
import type { ToolDescription } from "../tools/tool-schema.ts";
import { toolDescriptions } from "./tool-descriptions.ts";

export interface CommandRegistry extends Registry {
  ready(name: string): Promise<void>;
  describe(name: string): ToolDescription | undefined;
}

type Load = (registry: Registry) => Promise<void>;

const loaders = new Map<string, Load>([
  ["read_file", async (to) => to.register((await import("../tools/read-file.ts")).readFileTool)],
  ["write_file", async (to) => to.register((await import("../tools/write-file.ts")).writeFileTool)],
  ["edit_file", async (to) => to.register((await import("../tools/edit-file.ts")).editFileTool)],
  ["list_files", async (to) => to.register((await import("../tools/list-files.ts")).listFilesTool)],
  ["search_files", async (to) => to.register((await import("../tools/search-files.ts")).searchFilesTool)],
  ["delete_file", async (to) => to.register((await import("../tools/delete-file.ts")).deleteFileTool)],
  ["git_status", async (to) => to.register((await import("../tools/git-status.ts")).gitStatusTool)],
  ["git_stage", async (to) => to.register((await import("../tools/git-stage.ts")).gitStageTool)],
  ["git_diff", async (to) => to.register((await import("../tools/git-diff.ts")).gitDiffTool)],
  ["git_push", async (to) => to.register((await import("../tools/git-push.ts")).gitPushTool)],
  ["git_discard", async (to) => to.register((await import("../tools/git-discard.ts")).gitDiscardTool)],
  ["git_pull", async (to) => to.register((await import("../tools/git-pull.ts")).gitPullTool)],
  ["Exec", async (to) => (await import("../tools/exec.ts")).registerExecTool(to)],
  ["Git", async (to) => (await import("../tools/git.ts")).registerGitTool(to)],
  ["Shell", async (to) => (await import("../tools/shell.ts")).registerShellTool(to)],
  ["Bash", async (to) => (await import("../tools/bash.ts")).registerBashTool(to)],
  ["Python", async (to) => (await import("../tools/python.ts")).registerPythonTool(to)],
]);

export function commandRegistry(): CommandRegistry {
  const loaded = createRegistry();
  const loading = new Map<string, Promise<void>>();
  return {
    register: (tool) => loaded.register(tool),
    find: (name) => loaded.find(name),
    names: toolDescriptions.map(({ name }) => name),
    describe: (name) => toolDescriptions.find((tool) => tool.name === name),
    async ready(name) {
      const begun = loading.get(name) ?? loaders.get(name)?.(loaded) ?? Promise.resolve();
      loading.set(name, begun);
      await begun;
    },
  };
}
