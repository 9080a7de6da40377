// Runs git in a box to read a repository of this machine while a call is planned, within the agent's grants. Each read is judged and
// granted as a separate action, by the rules alone.

import type { Step, ViewPath } from "../action/action.ts";
import { isInDraft } from "../action/draft-view.ts";
import type { DraftGit } from "../git/draft/draft-git.ts";
import type { Repository } from "../git/repository.ts";
import { draftGitProblem } from "../git/target/local/git-directory-check.ts";
import type { GitReader } from "../git/target/local/git-runner.ts";
import { fsGrantFor } from "../policy/capability.ts";
import type { Outcome } from "../process/outcome.ts";
import type { RunListener } from "../process/starter.ts";
import type { BoxWorkspace } from "../sandbox/box-workspace.ts";
import { limits } from "../shared/limits.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { gitStep } from "../tools/programs/git-step.ts";
import { personIgnores } from "./person-ignores.ts";
import type { CallStart, InsideGit } from "./session-workspace.ts";
import type { Judged, Walk } from "./walk.ts";

export function boxedGitReader(walk: Walk): GitReader {
  return { read: (repository, words, stdin) => runGit(walk, { repository, words, stdin }) };
}

export function callStart(walk: Walk): CallStart {
  const { capability, live } = walk.context;
  const { config } = walk.context.session.backend;
  return {
    isDryRun: live === null,
    capability,
    progress: (done, total, what) => live?.listener.onProgress?.(done, total, what),
    personIgnores: () => personIgnores(config, config.project),
    began: (draft) => live?.record.note("session.began", draft),
    readRepository: (repository, words, stdin = "") => runGit(walk, { repository, words, stdin }),
    runInside: (workspace, git) => runGit(walk, git, { workspace, mode: "rw" }),
  };
}

export function gitInside(walk: Walk): DraftGit {
  const own = walk.context.session.workspace;
  return {
    async read(words, stdin) {
      const workspace = await own.materialize(own.view);
      const repository = own.repositoryAt(own.path);
      if (workspace === null || repository === null) return fail("tool_failed", "The workspace has no repository.");
      // A program of the agent may have put a pipe there, on which git would wait until its time is up.
      const problem =
        workspace.draft === null ? null : draftGitProblem(`${workspace.draft}/git`, repository.gitDirectory);
      return problem ?? (await runGit(walk, { repository, words, stdin }, { workspace, mode: "r" }));
    },
  };
}

/** The workspace that the box shows, and whether git can change it. */
interface ShownWorkspace {
  readonly workspace: BoxWorkspace;
  readonly mode: ViewPath["mode"];
}

/** Without `inside`, git reads a repository of the machine. */
async function runGit(
  walk: Walk,
  { repository, words, stdin = "", fileMb = limits.gitLandFileMb, timeS = limits.gitReadS }: InsideGit,
  inside: ShownWorkspace | null = null,
): Promise<Result<Uint8Array>> {
  const made = gitStep(repository, {
    words,
    cwd: repository.workTree ?? repository.gitDirectory,
    variables: {},
    timeoutMs: timeS * 1000,
    stdoutBytes: limits.outputMinBytes,
    stderrBytes: limits.outputDefaultBytes,
    showsOwnConfig: false,
  });
  if (!made.ok) return made;
  const { program, argv } = made.value.step;
  // The git_* tools start no program chosen by the agent, so they need no grant on git. But a rule that denies or hides git applies
  // here too.
  const denied = walk.deniedByRule({ kind: "run", program, argv, at: "start" });
  if (denied !== null) return { ok: false, failure: denied };
  const step: Step = { ...made.value.step, stdin };
  const judged = judgeRun(walk, repository, step, inside, fileMb);
  const grant = await walk.grant(judged, "rules");
  if (!grant.ok) return grant;
  const output = new CollectedOutput(walk.context.live?.listener.signal);
  const [own = step] = judged.action.steps;
  const ended = await walk.start(grant.value, own, { listener: output.listener, workspace: inside?.workspace ?? null });
  if (!ended.ok) return ended;
  const outcome = ended.value;
  if (output.isTooMuch)
    return fail("tool_failed", `git said more than ${limits.gitReadBytes} bytes.`, { hint: "Name fewer files." });
  if (outcome.exitCode !== 0)
    return fail(
      "tool_failed",
      `git could not read ${repository.workTree ?? repository.gitDirectory}: ${describeEnd(outcome)}`,
    );
  return ok(output.bytes());
}

function judgeRun(
  walk: Walk,
  repository: Repository,
  step: Step,
  inside: ShownWorkspace | null,
  fileMb: number,
): Judged {
  const { tool, session, capability } = walk.context;
  const isChanged = (path: string) => inside?.mode === "rw" && isInDraft(inside.workspace.view, path);
  const isGitGranted = fsGrantFor(capability, step.program, "r") !== undefined;
  return walk.judge({
    tool,
    agent: session.id.agent,
    steps: [step],
    operation: null,
    contents: [],
    stopsAtFailure: true,
    view: {
      paths: [
        ...capability.fsGrants.map((grant): ViewPath => ({ ...grant, mode: isChanged(grant.path) ? "rw" : "r" })),
        // Adds git if no grant covers it, because the gate itself chose this program and its arguments.
        ...(isGitGranted ? [] : [{ path: step.program, mode: "r", hide: [] } as const]),
      ],
      links: [],
      workspace: inside?.workspace.view ?? { kind: "scratch" },
      network: "none",
    },
    effects: [{ kind: "read", path: (inside === null ? null : repository.workTree) ?? repository.commonDirectory }],
    limits: inside === null ? capability.limits : { ...capability.limits, fsizeMb: fileMb },
  });
}

/** Collects the whole standard output, up to `limits.gitReadBytes`. */
class CollectedOutput {
  readonly listener: RunListener;
  readonly #pieces: Buffer[] = [];
  #size = 0;

  constructor(signal: AbortSignal | undefined) {
    this.listener = {
      signal,
      onOutput: (stream, chunk) => {
        if (stream !== "stdout" || (this.#size += chunk.length) > limits.gitReadBytes) return;
        this.#pieces.push(Buffer.from(chunk));
      },
    };
  }

  get isTooMuch(): boolean {
    return this.#size > limits.gitReadBytes;
  }

  bytes(): Uint8Array {
    return Buffer.concat(this.#pieces);
  }
}

/** Describes why a program failed. Never empty. */
export function describeEnd({ exitCode, signal, timedOut, cancelled, stderr }: Outcome): string {
  const message = stderr.text.trim();
  if (timedOut) return `it was not done in its time, and was ended${message === "" ? "" : ` (${message})`}`;
  if (cancelled) return "the caller cancelled";
  if (exitCode === null) return `it was ended by ${signal ?? "a signal"}${message === "" ? "" : ` (${message})`}`;
  return message === "" ? `it ended with ${exitCode} and said nothing` : message;
}
