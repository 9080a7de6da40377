// The configuration of a gate in a browser: what a file says on a machine, said by the extension.

import type { Config } from "../config/load.ts";
import { createCapability, type Capability } from "../policy/capability.ts";
import type { Rule } from "../policy/rule.ts";
import { defaultRunLimits } from "../shared/run-limits.ts";

export interface BrowserConfigContext {
  /** As rules and questions name the project, such as `/github.com/octo/r0`. */
  readonly project: string;
  readonly agents: ReadonlyMap<string, Capability>;
  readonly rules: readonly Rule[];
  readonly otherwise?: Config["policy"]["otherwise"];
  /** How long a call waits for an answer. */
  readonly timeoutS: number;
  /** Of GitHub's interface. */
  readonly githubUrl: string;
}

/** The tools of an agent in a browser. It may read the box's own programs. */
export const browserCapability: Capability = createCapability({
  toolGrants: ["Bash", "Python", "git_*", "*_file", "*_files"],
  fsGrants: [{ path: "/usr", mode: "r", hide: [] }],
  netGrants: [],
  limits: defaultRunLimits,
});

/** Stands for the directories of the gate, which a browser does not have. */
const NOWHERE = "/sallyport-in-a-browser";

export function browserConfig({
  project,
  agents,
  rules,
  otherwise = {},
  timeoutS,
  githubUrl,
}: BrowserConfigContext): Config {
  const config: Config = {
    file: null,
    agents,
    links: new Map(),
    workspace: { kind: "memory", mounts: [] },
    approvals: { mode: "ask", timeoutS, trustClient: false },
    sandbox: { require: "limits" },
    shell: { programs: [], sensitivePaths: [] },
    policy: { rules, otherwise, exampleCount: 0 },
    git: { author: null, githubUrl },
    notify: [],
    push: null,
    store: "sqlite",
    stateDirectory: `${NOWHERE}/state`,
    configDirectory: `${NOWHERE}/config`,
    compiledDirectory: `${NOWHERE}/compiled`,
    project,
    // What `~` means in a script that is read before it runs. The box has no such directory.
    home: "/home/user",
    programPath: [],
    notes: [],
  };
  return Object.freeze(config);
}
