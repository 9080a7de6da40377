// Builds the context that the reader of command lines needs about a call.

import type { CommandContext } from "../../command/words/command-line.ts";
import { isBoxPath } from "../../policy/box-paths.ts";
import { isWithin } from "../../shared/path.ts";
import type { PlanContext } from "../tool.ts";

export interface StartedWith {
  readonly cwd: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly stdin: string | null;
}

export function commandContext(
  { cwd, variables, stdin }: StartedWith,
  { capability, project, home, programs, workspace }: PlanContext,
): CommandContext {
  const grants = capability.fsGrants;
  const path = variables["PATH"]?.split(":") ?? programs.directories();
  // The box's /tmp is empty and is removed after the call, unless a writable path of the machine is mounted in it.
  const isTmpOwn =
    isBoxPath("/tmp", capability) &&
    !grants.some(({ path, mode }) => mode === "rw" && isWithin(path, "/tmp") && !workspace.contains(path));
  return {
    cwd,
    home: workspace.home ?? home,
    roots: [project, "/workspace", ...grants.map(({ path }) => path)],
    boxPaths: isTmpOwn ? ["/tmp"] : [],
    // SECURITY(T47): the gate looks for programs where the command will. If the agent can change that place, a name may mean anything.
    findProgram: (name) => programs.find(name, path),
    isPathUnknown: !programs.isFixed(path),
    variables,
    stdin,
  };
}
