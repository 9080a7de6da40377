// The rules and remembered answers in force. It reads them again when another process has changed them.
// Invariant: if the rules cannot be read, the decision is no. A revoked answer does not count from the next call on.

import type { SharedRules } from "../approval/shared-store.ts";
import type { Config } from "../config/load.ts";
import { allowsWholeNetwork, type Capability, mayReachHosts } from "../policy/capability.ts";
import { createPolicy, type Policy, withoutDenied } from "../policy/policy.ts";
import type { Rule } from "../policy/rule.ts";
import { RuleIndex } from "../policy/rule-index.ts";
import type { OwnCommand } from "../shared/own-command.ts";
import { fail, ok, type Result } from "../shared/result.ts";

export interface RulesInForce {
  readonly policy: Policy;
  /** The agent's grants, without what the rules deny. */
  readonly capability: Capability;
  /** Whether a grant, a rule or a remembered yes opens single hosts, so that boxes have the gate's network. */
  readonly reachesHosts: boolean;
}

/** What stays the same until another process changes the rules. */
interface StoredRules {
  readonly policy: Policy;
  readonly capability: Capability;
  /** Remembered yeses with the scope project or everywhere. */
  readonly answers: readonly Rule[];
}

export interface RuleBook {
  inForce(): Promise<Result<RulesInForce>>;
  /** The remembered yeses that count now for this agent, session and project. */
  answers(): Promise<RuleIndex>;
}

export interface RuleBookContext {
  readonly config: Config;
  readonly agent: string;
  readonly session: string;
  readonly capability: Capability;
  readonly shared: SharedRules;
  /** The worker's rules. */
  readonly more: readonly Rule[];
  /** False if no remembered yes counts. */
  readonly remembers: boolean;
  /** The command with which a person starts this program. */
  readonly command: OwnCommand;
  readonly disk: RuleDisk;
}

/** What rules and grants mean on the disk as it is now. */
export interface RuleDisk {
  /** The grants with the files that they show because git tracks them. */
  shown(capability: Capability): Capability;
  /** SECURITY(T40): the files of programs that rules deny, in every tree that a box of this agent may show. */
  absent(rules: readonly Rule[], capability: Capability): readonly string[];
}

export function openRuleBook(context: RuleBookContext): RuleBook {
  const { config, agent, session, capability, shared, more, remembers, command, disk } = context;
  let known: { readonly version: string; readonly rules: Result<StoredRules> } | null = null;
  let kept: { readonly answers: readonly Rule[]; readonly index: RuleIndex } | null = null;

  const stored = async (): Promise<Result<StoredRules>> => {
    const version = await shared.storedVersion(config.project);
    if (known?.version !== version) known = { version, rules: await read() };
    else if (known.rules.ok) known = { version, rules: ok(asTheDiskIs(known.rules.value)) };
    return known.rules;
  };

  const inForce = async (): Promise<Result<RulesInForce>> => {
    const rules = await stored();
    if (!rules.ok) return rules;
    const { policy } = rules.value;
    // Looked up for each call, because the files that git tracks can change at any time.
    const shown = disk.shown(rules.value.capability);
    return ok({ policy, capability: shown, reachesHosts: await reachesHosts(rules.value) });
  };

  const reachesHosts = async ({ policy, answers }: StoredRules): Promise<boolean> => {
    if (allowsWholeNetwork(capability)) return false;
    const opens = (rules: readonly Rule[]) =>
      rules.some(({ text }) => text.effect === "network" && text.decide === "allow");
    if (mayReachHosts(capability) || policy.otherwise.network === "allow") return true;
    return opens(policy.index.rules) || opens(answers) || opens(await shared.ofSession(session, agent));
  };

  /** Programs can be installed and removed while a gate runs, so the denied ones are looked up for each call. */
  const asTheDiskIs = (rules: StoredRules): StoredRules => {
    const absent = absentNow(rules.policy.index.rules);
    if (absent.join("\0") === rules.policy.absent.join("\0")) return rules;
    const { index, otherwise, sealed } = rules.policy;
    const policy = createPolicy({ rules: index.rules, otherwise, sealed, absent });
    return { ...rules, policy, capability: withoutDenied(capability, policy) };
  };

  const absentNow = (rules: readonly Rule[]) => disk.absent(rules, capability);

  const read = async (): Promise<Result<StoredRules>> => {
    const { rules: all, problem } = await shared.stored(config.project);
    if (problem !== null)
      return fail("permission_denied", `The rules cannot be read, so the answer is no: ${problem}`, {
        hint: `Whoever runs this gate can look with \`${command("policy", "check")}\`.`,
      });
    const own = all.filter((rule) => rule.agent === null || rule.agent === agent);
    const rules = [...config.policy.rules, ...more, ...own.filter(({ isAnswer }) => !isAnswer).map(({ rule }) => rule)];
    const sealed = [config.stateDirectory, config.configDirectory, config.compiledDirectory];
    const policy = createPolicy({ rules, otherwise: config.policy.otherwise, sealed, absent: absentNow(rules) });
    const answers = own.filter(({ isAnswer }) => isAnswer).map(({ rule, id }) => ({ ...rule, id }));
    return ok({ policy, capability: withoutDenied(capability, policy), answers });
  };

  return {
    inForce,
    async answers() {
      const rules = await stored();
      if (!rules.ok || !remembers) return new RuleIndex([]);
      const { answers } = rules.value;
      const ofSession = await shared.ofSession(session, agent);
      if (ofSession.length > 0) return new RuleIndex([...answers, ...ofSession]);
      // Cached, because there may be many and each question needs them.
      if (kept?.answers !== answers) kept = { answers, index: new RuleIndex(answers) };
      return kept.index;
    },
  };
}
