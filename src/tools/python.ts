// Python: python3 runs code in the box.

import { z } from "zod";
import { ok } from "../shared/result.ts";
import { executionResult } from "./programs/execution-schema.ts";
import type { Registry } from "./registry.ts";
import { pythonRequirements } from "./programs/requirements.ts";
import { type Interpreter, planScript, scriptArguments, scriptHints } from "./programs/script-tool.ts";
import type { Tool } from "./tool.ts";

const pythonArguments = z
  .strictObject({ code: z.string().min(1).describe("The program."), ...scriptArguments })
  .meta({ examples: [{ code: "print(sum(range(10)))" }, { code: "open('out.json', 'w').write('{}')" }] });

const python: Interpreter = {
  name: "python3",
  options: ["-I"],
  install: "sudo apt-get install -y python3",
  requirements: pythonRequirements,
  effects: () => ok([]),
};

const pythonTool: Tool<z.infer<typeof pythonArguments>> = {
  name: "Python",
  title: "Run Python code",
  description:
    "Runs Python 3 code in a box, in the workspace, where the file tools' files are. Everything else is as with Bash.",
  hints: scriptHints,
  arguments: pythonArguments,
  result: executionResult,
  plan: ({ code, ...call }, context) => planScript(python, { ...call, text: code }, context),
};

export function registerPythonTool(registry: Registry): void {
  registry.register(pythonTool);
}
