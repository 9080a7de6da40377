// What the command's tools say of themselves. scripts/bundle-command.js puts the value into the bundle instead of this
// module, so that listing tools loads neither them nor the library of schemas.

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
