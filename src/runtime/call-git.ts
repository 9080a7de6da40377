// Git, for one call: what is read runs in a box, as far as the agent's grants go; what lands runs in a box that has the target
// alone, once a person has said yes.

import type { Step, ViewPath } from "../action/action.ts";
import { type Grant, grantByVerdict, grantToLand } from "../approval/grant.ts";
import { refusal } from "../approval/refusal.ts";
import type { Repository } from "../git/repository.ts";
import type { GitRunner, GitWritten } from "../git/target/local/git-runner.ts";
import { type Capability, fsGrantFor } from "../policy/capability.ts";
import { judge } from "../policy/evaluate.ts";
import type { Policy } from "../policy/policy.ts";
import type { Outcome } from "../process/outcome.ts";
import type { RunListener } from "../process/starter.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { limits } from "../shared/limits.ts";
import type { OwnCommand } from "../shared/own-command.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { gitStep } from "../tools/programs/git-step.ts";
import { landingAction } from "./landing-box.ts";
import { seal } from "./seal.ts";

export interface CallGitContext {
  readonly tool: string;
  readonly agent: string;
  readonly capability: Capability;
  readonly policy: Policy;
  readonly sandbox: Sandbox;
  /** How a person starts this program. */
  readonly command: OwnCommand;
  /** Writes the start down; what cannot be written down throws, and nothing starts. */
  readonly dispatched: (step: Step) => void;
  readonly signal: AbortSignal | undefined;
}

export class CallGit implements GitRunner {
  readonly #context: CallGitContext;
  #grant: Grant | null = null;

  constructor(context: CallGitContext) {
    this.#context = context;
  }

  get grant(): Grant | null {
    return this.#grant;
  }

  /** From now on, for what was granted. */
  allow(grant: Grant): void {
    this.#grant = grant;
  }

  async read(repository: Repository, words: readonly string[], stdin: string): Promise<Result<Uint8Array>> {
    const { tool, agent, capability, policy, sandbox, signal, command } = this.#context;
    const made = gitStep(repository, {
      words,
      cwd: repository.workTree ?? repository.gitDirectory,
      variables: {},
      timeoutMs: limits.gitReadS * 1000,
      stdoutBytes: limits.outputMinBytes,
      stderrBytes: limits.outputDefaultBytes,
      showsOwnConfig: false,
    });
    if (!made.ok) return made;
    const step: Step = { ...made.value.step, stdin };
    const denied = deniedGit(step, this.#context);
    if (denied !== null) return denied;
    const action = seal({
      tool,
      agent,
      steps: [step],
      operation: null,
      contents: [],
      stopsAtFailure: true,
      view: {
        paths: [
          ...capability.fsGrants.map((grant): ViewPath => ({ ...grant, mode: "r" })),
          // Git itself, where no grant covers it: the reading is the gate's own, with words of ours.
          ...(fsGrantFor(capability, step.program, "r") === undefined
            ? [{ path: step.program, mode: "r", hide: [] } as const]
            : []),
        ],
        links: [],
        workspace: { kind: "scratch" },
        network: "none",
      },
      effects: [{ kind: "read", path: repository.commonDirectory }],
      limits: capability.limits,
    });
    const verdict = judge(action, capability, policy);
    if (verdict.decision !== "allow") return { ok: false, failure: refusal(verdict, null, command) };
    const granted = grantByVerdict(action, verdict);
    const [ownStep = step] = granted.action.steps;
    const confined = sandbox.confine(granted, ownStep);
    if (!confined.ok) return confined;
    try {
      const pieces: Buffer[] = [];
      let size = 0;
      const listener: RunListener = {
        signal,
        onOutput(stream, chunk) {
          if (stream !== "stdout" || (size += chunk.length) > limits.gitReadBytes) return;
          pieces.push(Buffer.from(chunk));
        },
      };
      const dispatched = () => this.#context.dispatched(ownStep);
      const outcome = await sandbox.starter.start(confined.value.launch, listener, dispatched);
      if (!outcome.ok) return outcome;
      const { exitCode } = outcome.value;
      if (size > limits.gitReadBytes)
        return fail("tool_failed", `git said more than ${limits.gitReadBytes} bytes.`, { hint: "Name fewer files." });
      if (exitCode !== 0)
        return fail("tool_failed", `git could not read ${placeOf(repository)}: ${endOf(outcome.value)}`);
      return ok(Buffer.concat(pieces));
    } finally {
      confined.value.release();
    }
  }

  /** Where there are no boxes, it is. */
  get hidesConfiguration(): boolean {
    return this.#context.sandbox.probe.problem === null;
  }

  /** Not ended by the caller's signal: what has begun to land is brought to an end. */
  async write(
    repository: Repository,
    words: readonly string[],
    stdin: AsyncIterable<Uint8Array> | null,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<GitWritten> {
    if (this.#grant === null) throw new TypeError("nothing lands without a grant");
    const { sandbox } = this.#context;
    const made = gitStep(repository, {
      words,
      cwd: "/",
      variables: {},
      timeoutMs: limits.gitLandS * 1000,
      stdoutBytes: limits.outputDefaultBytes,
      stderrBytes: limits.outputDefaultBytes,
      showsOwnConfig: false,
    });
    if (!made.ok) return notStarted(made.failure.message);
    const { step } = made.value;
    const all = [...step.environment, ...Object.entries(environment)].sort(([a], [b]) => (a < b ? -1 : 1));
    const action = landingAction({ ...this.#context, repository, step: { ...step, environment: all } });
    const granted = grantToLand(action, this.#grant);
    const confined = sandbox.confine(granted, granted.action.steps[0] as Step);
    if (!confined.ok) return notStarted(confined.failure.message);
    try {
      // That a push lands is on record already.
      const listener = stdin === null ? {} : { input: stdin };
      const ended = await sandbox.starter.start(confined.value.launch, listener, () => undefined);
      if (!ended.ok) return notStarted(ended.failure.message);
      const { exitCode, stdout, stderr } = ended.value;
      const said = exitCode === null || stderr.text.trim() === "" ? endOf(ended.value) : stderr.text;
      return { exitCode, stdout: stdout.text, stderr: exitCode === 0 ? stderr.text : said };
    } finally {
      confined.value.release();
    }
  }
}

function notStarted(why: string): GitWritten {
  return { exitCode: null, stdout: "", stderr: why };
}

function placeOf({ workTree, gitDirectory }: Repository): string {
  return workTree ?? gitDirectory;
}

/** Why it did not end well, in words: never nothing. */
function endOf({ exitCode, signal, timedOut, cancelled, stderr }: Outcome): string {
  const said = stderr.text.trim();
  if (timedOut) return `it was not done in its time, and was ended${said === "" ? "" : ` (${said})`}`;
  if (cancelled) return "the caller cancelled";
  if (exitCode === null) return `it was ended by ${signal ?? "a signal"}${said === "" ? "" : ` (${said})`}`;
  return said === "" ? `it ended with ${exitCode} and said nothing` : said;
}

/**
 * The git_* tools start no program of the agent's, so that no grant on git is needed. But whoever has written that git
 * may not run, or has hidden it, means this one too.
 */
function deniedGit(
  { program, argv }: Step,
  { capability, policy, command }: Pick<CallGitContext, "capability" | "policy" | "command">,
): Result<never> | null {
  const verdict = judge({ effects: [{ kind: "run", program, argv, at: "start" }] }, capability, policy);
  const denies = verdict.findings.some(({ decision, by }) => decision === "deny" && by !== "otherwise");
  return denies ? { ok: false, failure: refusal(verdict, null, command) } : null;
}
