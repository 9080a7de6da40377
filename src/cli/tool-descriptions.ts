// The descriptions of the command's tools. scripts/bundle-command.js replaces this module with its value in the bundle, so
// that listing tools loads neither the tools nor the schema library.

import { registerBashTool } from "../tools/bash.ts";
import { registerBuiltinTools } from "../tools/builtin.ts";
import { registerExecTool } from "../tools/exec.ts";
import { registerGitTool } from "../tools/git.ts";
import { registerPythonTool } from "../tools/python.ts";
import { createRegistry } from "../tools/registry.ts";
import { registerShellTool } from "../tools/shell.ts";
import { describeTool, type ToolDescription } from "../tools/tool-schema.ts";

export const toolDescriptions: readonly ToolDescription[] = describeAll();

function describeAll(): ToolDescription[] {
  const registry = createRegistry();
  registerBuiltinTools(registry);
  registerExecTool(registry);
  registerGitTool(registry);
  registerShellTool(registry);
  registerBashTool(registry);
  registerPythonTool(registry);
  return registry.names.flatMap((name) => {
    const tool = registry.find(name);
    return tool === undefined ? [] : [describeTool(tool)];
  });
}
