// The gate in a browser: the same walk as on a machine, over other stores, another workspace, another sandbox, and GitHub alone.

import type { Approver } from "../approval/approver.ts";
import type { Author } from "../git/identity.ts";
import type { GitTarget } from "../git/target/target.ts";
import { githubBaseUrl, type GithubContext } from "../git/target/github/github-api.ts";
import type { Capability } from "../policy/capability.ts";
import type { Rule } from "../policy/rule.ts";
import type { WasmBox } from "../process/wasm-box.ts";
import { openAnswerService } from "../runtime/answer-service.ts";
import type { Backend } from "../runtime/backend.ts";
import { openRuleBook, type RuleBook, type RuleDisk } from "../runtime/rule-book.ts";
import { type Gate, gateOfSession } from "../runtime/session-gate.ts";
import type { OwnCommand } from "../shared/own-command.ts";
import { ok } from "../shared/result.ts";
import type { Registry } from "../tools/registry.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { browserCapability, browserConfig } from "./browser-config.ts";
import { browserMachine } from "./browser-machine.ts";
import { type BrowserStores, nextTurn } from "./browser-stores.ts";
import { githubOnly } from "./github-only.ts";
import { PackSession } from "./pack-session.ts";
import { createWasmSandbox } from "./wasm-sandbox.ts";

/** Who is signed in to GitHub. */
export interface TokenSource {
  /** Null: nobody, or not any more. */
  token(): Promise<string | null>;
  author(): Author;
}

export interface BrowserGateOptions {
  readonly stores: BrowserStores;
  /** The files of the session. Whoever opened them closes them. */
  readonly files: Workspace;
  readonly box: WasmBox;
  readonly registry: Registry;
  readonly session: string;
  /** As rules and questions name the repository, such as `/github.com/octo/r0`. */
  readonly project: string;
  /** Where a push lands that names no target. */
  readonly target?: GitTarget | undefined;
  readonly github: {
    /** `https://api.github.com` if absent. */
    readonly url?: string | undefined;
    readonly send: GithubContext["send"];
    readonly signedIn: TokenSource;
  };
  readonly approvers: readonly Approver[];
  readonly command: OwnCommand;
  readonly agent?: string | undefined;
  readonly capability?: Capability | undefined;
  readonly rules?: readonly Rule[] | undefined;
  /** The person who makes the calls in the name of the session. The record names them, and no remembered yes answers for them. */
  readonly calledBy?: string | undefined;
  /** How long a call waits for an answer. */
  readonly timeoutS?: number | undefined;
}

const TIMEOUT_S = 3_600;

const noDisk: RuleDisk = { shown: (capability) => capability, absent: () => [] };

export interface BrowserGate {
  readonly gate: Gate;
  readonly backend: Backend;
}

export function openBrowserGate(options: BrowserGateOptions): BrowserGate {
  const { stores, files, box, registry, session, project, github, command, calledBy } = options;
  const { agent = "default", capability = browserCapability, rules = [], timeoutS = TIMEOUT_S } = options;
  const { journal, store, staged } = stores;
  const baseUrl = github.url ?? githubBaseUrl;
  const config = browserConfig({
    project,
    agents: new Map([[agent, capability]]),
    rules,
    timeoutS,
    githubUrl: baseUrl,
  });
  const backend: Backend = {
    config,
    journal,
    store,
    staged,
    sandbox: createWasmSandbox(box, files),
    answerService: openAnswerService({ store, journal: () => journal, staged }),
    notifier: { start: () => undefined, close: () => Promise.resolve() },
    environment: {},
    command,
    close: () => Promise.resolve(),
  };
  const { signedIn, send } = github;
  const rulesInForce = openRuleBook({
    config,
    agent,
    session,
    capability,
    shared: store.rules,
    more: [],
    remembers: calledBy === undefined,
    command,
    disk: noDisk,
  });
  const gate = gateOfSession(
    {
      id: { agent, name: session },
      endsWithGate: false,
      machine: browserMachine,
      backend,
      registry,
      capability,
      rules: withoutHosts(rulesInForce),
      workspace: new PackSession(files),
      approvers: options.approvers,
      defaultTarget: options.target ?? null,
      below: "",
      onConflict: null,
      onAsking: () => undefined,
    },
    {
      repositories: githubOnly(() => ({
        baseUrl,
        token: () => signedIn.token(),
        send,
        author: () => signedIn.author(),
      })),
      worker: null,
      calledBy,
      storedRules: () => [],
      hasAsked: () => false, // its questions wait for the next start
      nextTurn,
      whenClosed: () => Promise.resolve(),
    },
  );
  return { gate, backend };
}

/** Whatever rules allow: a box that reached single hosts would need the gate's own network, which a browser does not have. */
function withoutHosts(rules: RuleBook): RuleBook {
  return {
    answers: () => rules.answers(),
    async inForce() {
      const found = await rules.inForce();
      if (!found.ok) return found;
      const { policy, capability } = found.value;
      return ok({ policy, capability, reachesHosts: false });
    },
  };
}
