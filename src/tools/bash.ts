// Bash: real bash runs a script in the box. The gate reads the script first, to know what to ask. The box enforces the limits.

import { z } from "zod";
import { readScript } from "../command/script/script.ts";
import { ok } from "../shared/result.ts";
import { commandContext } from "./programs/command-context.ts";
import { executionResult } from "./programs/execution-schema.ts";
import type { Registry } from "./registry.ts";
import { bashRequirements } from "./programs/requirements.ts";
import { type Interpreter, planScript, scriptArguments, scriptHints } from "./programs/script-tool.ts";
import type { Tool } from "./tool.ts";

const bashArguments = z
  .strictObject({
    script: z.string().min(1).describe("The script. Pipes, redirections, variables and functions work as in bash."),
    ...scriptArguments,
  })
  .meta({
    examples: [
      { script: "ls | wc -l" },
      { script: "npm test 2>&1 | tail -20", timeout_s: 300 },
      { script: "python3 gen.py > out.json", expect: { files: ["out.json"] } },
    ],
  });

const bash: Interpreter = {
  name: "bash",
  options: ["--noprofile", "--norc"],
  install: "sudo apt-get install -y bash",
  requirements: bashRequirements,
  effects(script, started, context) {
    const reading = readScript(script, commandContext(started, context));
    if (!reading.ok || reading.value.unreadable === null) return reading.ok ? ok(reading.value.effects) : reading;
    // The gate cannot tell what the script would run, so it cannot rely on the box alone.
    return ok([...reading.value.effects, { kind: "run", program: null, argv: [null], at: "start" }]);
  },
};

const bashTool: Tool<z.infer<typeof bashArguments>> = {
  name: "Bash",
  title: "Run a script",
  description:
    "Runs a bash script in a box, in the workspace, where the file tools' files are. No network and nothing outside the " +
    "agent's grants unless `needs` asks for it and a person agrees. Changed workspace files come back as artifacts.",
  hints: scriptHints,
  arguments: bashArguments,
  result: executionResult,
  plan: ({ script, ...call }, context) => planScript(bash, { ...call, text: script }, context),
};

export function registerBashTool(registry: Registry): void {
  registry.register(bashTool);
}
