// Judges, grants and starts: for a call, for a dry run, for git that reads a repository during planning, for git that lands a push, and
// before the gate contacts another machine.
// Invariant: no other file of the gate judges an action, makes a grant, or starts a program in a box.

import type { Action, UnsealedAction, Step } from "../action/action.ts";
import { sealAction } from "../action/digest.ts";
import type { Effect } from "../action/effect.ts";
import { approve } from "../approval/approve.ts";
import { type Grant, grantByMemory, grantByVerdict, grantToLand } from "../approval/grant.ts";
import { refusal } from "../approval/refusal.ts";
import type { DraftGit } from "../git/draft/draft-git.ts";
import type { LandingRight, Targets } from "../git/publish/push/opened-target.ts";
import type { Verdict } from "../policy/decision.ts";
import { judge } from "../policy/evaluate.ts";
import type { BoxNetwork } from "../process/box-network.ts";
import type { Outcome } from "../process/outcome.ts";
import { holderGone, type RunListener } from "../process/starter.ts";
import type { BoxWorkspace } from "../sandbox/box-workspace.ts";
import type { CallLayers } from "../sandbox/layer/call-layers.ts";
import type { Failure } from "../shared/failure.ts";
import { ok, type Result } from "../shared/result.ts";
import { approvalContext, type Asking } from "./approval-context.ts";
import type { CallContext } from "./call-context.ts";
import { isLoopback } from "./found-host.ts";
import type { CallStart } from "./session-workspace.ts";

/** An action, and the verdict of the rules. */
export interface Judged {
  readonly action: Action;
  readonly verdict: Verdict;
}

/**
 * Who may say yes. `person`: the rules, a remembered answer, or a person who is asked now. `memory`: the rules or a remembered answer.
 * `rules`: the rules alone.
 */
export type GrantedBy = "person" | "memory" | "rules";

export interface StartOptions {
  readonly listener: RunListener;
  /** What the box shows at /workspace. If absent, the box shows an empty one. */
  readonly workspace?: BoxWorkspace | null;
  /** Where the program changes what it may change of the machine. */
  readonly layers?: CallLayers | null;
  /** Judges the hosts that the program connects to. */
  readonly network?: BoxNetwork | null;
  /** True if the start belongs to something already recorded, such as the landing of a push. */
  readonly isOnRecord?: boolean;
}

/** The repositories outside the workspace that calls can read and land in. They depend on the machine. */
export interface Repositories {
  targets(walk: Walk): Targets;
  /** What the workspace may use at the beginning of a call. */
  callStart(walk: Walk): CallStart;
  /** Git that reads the repository of the workspace. */
  gitInside(walk: Walk): DraftGit;
  /** What a granted push may use to land. */
  landingRight(walk: Walk, grant: Grant): LandingRight;
}

export class Walk {
  readonly context: CallContext;
  readonly repositories: Repositories;

  constructor(context: CallContext, repositories: Repositories) {
    this.context = context;
    this.repositories = repositories;
  }

  judge(unsealed: UnsealedAction): Judged {
    const action = this.#seal(unsealed);
    return { action, verdict: judge(action, this.context.capability, this.context.policy) };
  }

  /** The refusal of an effect that needs no grant, if a rule denies it. Null if no rule does. */
  deniedByRule(effect: Effect): Failure | null {
    const verdict = judge({ effects: [effect] }, this.context.capability, this.context.policy);
    const denies = verdict.findings.some(({ decision, by }) => decision === "deny" && by !== "otherwise");
    return denies ? this.#refusal(verdict) : null;
  }

  async grant({ action, verdict }: Judged, by: GrantedBy, asking: Asking = {}): Promise<Result<Grant>> {
    const { live } = this.context;
    if (verdict.decision === "allow") return ok(grantByVerdict(action, verdict));
    if (by === "rules" || live === null) return { ok: false, failure: this.#refusal(verdict) };
    const approvers = by === "person" ? live.approvers : [];
    return await approve(action, verdict, approvalContext(this.context.session, live, approvers, asking));
  }

  /** Grants by the unsettled question of a push to the same address. */
  grantByPush({ action }: Judged, question: string): Grant {
    return grantByMemory(action, [question]);
  }

  /** Grants one run of git that carries out a granted push. */
  grantToLand(unsealed: UnsealedAction, pushed: Grant): Grant {
    return grantToLand(this.#seal(unsealed), pushed);
  }

  /**
   * Builds the box for one granted step and runs the step in it. The gate writes the record while the box is being built. The program
   * waits for a byte from the gate, which the gate sends once the record is on disk. Afterwards the gate removes its files from the
   * host, whatever happened. If the process that keeps a draft mounted was killed before the box entered it, the step starts again.
   */
  async start(grant: Grant, step: Step, options: StartOptions): Promise<Result<Outcome>> {
    const started = await this.#startOnce(grant, step, options);
    const { workspace, listener } = options;
    if (started.ok || started.failure !== holderGone || workspace?.remount === undefined) return started;
    if (listener.input !== undefined) return started; // a part of it may have been read
    const mounted = await workspace.remount();
    return mounted.ok ? await this.#startOnce(grant, step, { ...options, isOnRecord: true }) : mounted;
  }

  async #startOnce(
    grant: Grant,
    step: Step,
    { listener, workspace, layers, network, isOnRecord }: StartOptions,
  ): Promise<Result<Outcome>> {
    const { sandbox } = this.context.session.backend;
    const record = isOnRecord === true ? undefined : this.context.live?.record;
    const confined = sandbox.confine(grant, step, { workspace, layers, hasNetwork: network != null });
    if (!confined.ok) return confined;
    // SECURITY(T48): the person goes on working in the project while a program runs.
    const exposed: Failure[] = [];
    const stop = new AbortController();
    const ended = workspace?.guard?.((failure) => {
      exposed.push(failure);
      stop.abort();
    });
    try {
      // SECURITY(T17): if the record cannot be written, this throws and nothing runs.
      const dispatched = () => record?.dispatched(step);
      const settled =
        layers == null
          ? dispatched
          : async () => {
              dispatched();
              await layers.settled();
            };
      const onRunning = (pid: number) => this.#announce(pid, network ?? null);
      const signal = AbortSignal.any([stop.signal, ...(listener.signal === undefined ? [] : [listener.signal])]);
      const heard = { ...listener, signal, onRunning, ...(network == null ? {} : { network }) };
      const outcome = await sandbox.starter.start(confined.value.launch, heard, settled);
      const [failure] = exposed;
      return failure === undefined ? outcome : { ok: false, failure };
    } finally {
      confined.value.release();
      ended?.();
    }
  }

  /** A git of the gate's own has no call that a person would look for. */
  #announce(pid: number, network: BoxNetwork | null): () => void {
    const { session, tool, live } = this.context;
    if (live === null) return () => undefined;
    const { stateDirectory, project } = session.backend.config;
    // Listeners at the address of a name leave the box's own localhost to programs.
    const atLocalhost = (network?.listeners ?? []).filter(({ address }) => address === null || isLoopback(address));
    const gatePorts = atLocalhost.map(({ port }) => port);
    const call = live.record.callId;
    const { name, agent } = session.id;
    return session.machine.announceBox(stateDirectory, { call, session: name, agent, tool, project, pid, gatePorts });
  }

  #seal(unsealed: UnsealedAction): Action {
    const { hashes } = this.context.session.machine;
    return sealAction(unsealed, (text) => hashes.hex("sha256", text));
  }

  #refusal(verdict: Verdict): Failure {
    return refusal(verdict, null, this.context.session.backend.command);
  }
}
