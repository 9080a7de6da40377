// Git: eight read-only operations that agents use often. No byte of the repository changes, and nothing in the repository can choose a
// program to run.

import { z } from "zod";
import { resolvePath } from "../process/real-path.ts";
import { checkPathInWorkTree } from "../git/path-in-work-tree.ts";
import { gitOperations } from "../git/read/flags.ts";
import { readWords } from "../git/read/words.ts";
import { isAbsolutePath } from "../shared/path.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { workspaceRoot } from "../workspace/path.ts";
import { readExecution } from "./programs/execution-result.ts";
import { executionResult } from "./programs/execution-schema.ts";
import { gitStep, notGranted } from "./programs/git-step.ts";
import { repositoryOnDisk } from "./programs/path-on-disk.ts";
import { argumentText } from "./programs/program-arguments.ts";
import type { Registry } from "./registry.ts";
import type { Plan, PlanContext, StepOutcome, Tool } from "./tool.ts";

const gitCall = z
  .strictObject({
    op: z.enum(gitOperations).describe("What to read."),
    repo: argumentText
      .optional()
      .describe("An absolute directory that holds .git, or a bare repository. In a draft, the project if absent."),
    args: z
      .array(z.string())
      .max(200)
      .optional()
      .describe('Flags with their values, like ["--oneline", "-n", "5"]. Only flags that read.'),
    ref: z.string().optional().describe("A commit, branch, tag, range or revision:path."),
    path: z.string().optional().describe("A file or directory, from the repository's root, taken literally."),
    timeout_s: z.number().min(1).max(120).optional().describe("Seconds until git is ended. Default 30."),
  })
  .meta({
    examples: [
      { op: "status", repo: "/home/me/project" },
      { op: "log", repo: "/home/me/project", args: ["--oneline", "-n", "5"], ref: "main..feature" },
      { op: "show", ref: "HEAD:src/a.ts" },
    ],
  });

type GitCall = z.infer<typeof gitCall>;

const STDOUT_BYTES = 1 << 20;
const STDERR_BYTES = 256 << 10;

const gitTool: Tool<GitCall> = {
  name: "Git",
  title: "Look at a git repository",
  description: "Reads a git repository of the machine. Nothing in it is changed or executed.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: "never" },
  arguments: gitCall,
  result: z.object({ op: z.string(), cmd: z.array(z.string()), ...executionResult.unwrap().shape }),
  plan: planGit,
};

export function registerGitTool(registry: Registry): void {
  registry.register(gitTool);
}

function planGit(call: GitCall, context: PlanContext): Result<Plan> {
  const words = readWords(requestOf(call));
  if (!words.ok) return words;
  const repo = call.repo ?? workspaceRoot;
  if (!isAbsolutePath(repo)) {
    return fail("invalid_args", `repo: ${JSON.stringify(repo)} is not an absolute path.`, {
      hint: "Give the repository's directory in full.",
    });
  }
  const directory = repositoryOnDisk(repo, "repo", context);
  if (!directory.ok) return directory;
  const root = resolvePath(directory.value);
  const { repository, directories, isInWorkspace } = context.repositoryAt(root.real);
  const file = repository.ok ? checkPathInWorkTree(call.path, repository.value) : repository;
  // Checks the grants first, so that an agent does not learn whether a path exists that it may not see.
  if (!file.ok) return notGranted(directories, context.capability) ?? file;
  if (!repository.ok) return repository;
  const planned = gitStep(repository.value, {
    words: words.value.words,
    cwd: repository.value.workTree ?? repository.value.gitDirectory,
    variables: {},
    timeoutMs: (call.timeout_s ?? 30) * 1000,
    stdoutBytes: STDOUT_BYTES,
    stderrBytes: STDERR_BYTES,
    showsOwnConfig: false,
  });
  if (!planned.ok) return planned;
  const { step, git, reads } = planned.value;
  return ok({
    kind: "programs",
    steps: [step],
    reads: [...directories, ...reads],
    links: root.links,
    access: { mode: "r", seesWorkspace: isInWorkspace },
    network: "none",
    effects: [],
    startsIn: null,
    stopsAtFailure: true,
    read: (outcomes) => ({
      op: call.op,
      cmd: [git, "-C", call.repo ?? directory.value, ...words.value.shown],
      ...readExecution(outcomes[0] as StepOutcome),
    }),
  });
}

function requestOf({ op, args, ref, path }: GitCall): Parameters<typeof readWords>[0] {
  return { op, args: args ?? [], ref, path };
}
