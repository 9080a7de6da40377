// Judges an action: each effect alone. The action takes the strictest decision.
// Invariant: an error while judging is deny, and so is a missing capability. The order of rules does not matter,
// and an additional rule never makes a verdict milder if another rule matches.

import type { Effect } from "../action/effect.ts";
import { isWithin, joinPath } from "../shared/path.ts";
import { isBoxPath } from "./box-paths.ts";
import { allowsTool, allowsWholeNetwork, type Capability, fsGrantFor, hostGrantFor, isHidden } from "./capability.ts";
import { type Decision, type Finding, type MatchedRule, strictest, type Verdict } from "./decision.ts";
import { executedPart } from "./executed-later.ts";
import { matchesRule } from "./match.ts";
import { noRules, type Policy } from "./policy.ts";

export function judge(
  action: { readonly effects: readonly Effect[] },
  capability: Capability | undefined,
  policy: Policy = noRules,
): Verdict {
  const findings = action.effects.map((effect) => judgeEffect(effect, capability, policy));
  // SECURITY(T01): an action without effects did not say what may happen. That does not make it harmless.
  const decision = findings.length === 0 ? "deny" : strictest(findings.map((finding) => finding.decision));
  return { decision, findings };
}

function judgeEffect(effect: Effect, capability: Capability | undefined, policy: Policy): Finding {
  const rules = matchingRules(effect, policy);
  const found = (by: Finding["by"], decision: Decision, because: string): Finding => ({
    effect,
    decision,
    by,
    because,
    rules,
  });
  try {
    if (capability === undefined) return found("never", "deny", "this agent has no grants at all");
    // The reason is the rule that denies the program. The hidden file only follows from it.
    const denying = effect.kind === "run" ? rules.filter(({ decide }) => decide === "deny") : [];
    if (denying.length > 0) return found("rules", "deny", describeRules(denying));
    const landing = judgeLanding(effect, capability, policy);
    if (landing?.decision === "deny") return found("rules", "deny", landing.because);
    const never = neverAllowed(effect, capability, policy);
    if (never !== null) return found("never", "deny", never);
    if (rules.length > 0) {
      const decision = strictest(rules.map(({ decide }) => decide));
      if (decision === "allow" && isAlwaysAsked(effect)) return found("never", "ask", "this branch is protected");
      if (decision === "allow" && landing !== null) return found("never", "ask", landing.because);
      return found("rules", decision, describeRules(rules.filter(({ decide }) => decide === decision)));
    }
    const written = policy.otherwise[effect.kind];
    // SECURITY(T08): what is written for all writes is no yes to a file that others execute later.
    const isLate = effect.kind === "write" && effect.later === true && written === "allow";
    return written === undefined || isLate
      ? found("built-in", ...builtIn(effect, capability))
      : found("otherwise", written, "otherwise, in the policy");
  } catch (error) {
    return found("error", "deny", `it could not be judged: ${String(error)}`);
  }
}

/** SECURITY(T29): no rule can allow a push to a protected branch. */
function isAlwaysAsked(effect: Effect): boolean {
  return effect.kind === "push" && effect.isProtected === true;
}

/**
 * SECURITY(T29): a rule that allows a push is about a branch. It does not allow the files that the push also changes in a
 * checkout of that branch, unless a rule or grant leaves them to the agent. null if there is no such file.
 */
function judgeLanding(
  effect: Effect,
  capability: Capability,
  policy: Policy,
): { readonly decision: "deny" | "ask"; readonly because: string } | null {
  if (effect.kind !== "push" || effect.lands === undefined) return null;
  const { directories, files } = effect.lands;
  let asked: string | null = null;
  for (const directory of directories)
    for (const file of files) {
      const path = joinPath(directory, file);
      const strict = matchingRules({ kind: "write", path }, policy).filter(({ decide }) => decide !== "allow");
      const denying = strict.filter(({ decide }) => decide === "deny");
      if (denying.length > 0) return { decision: "deny", because: `it would write ${path}: ${describeRules(denying)}` };
      if (strict.length > 0) asked ??= `it would write ${path}: ${describeRules(strict)}`;
      else if (executedPart(`/${file}`) !== null) asked ??= `it would write ${path}, which others execute later`;
      else if (isHidden(capability, path)) asked ??= `it would write ${path}, which the grants hide`;
    }
  return asked === null ? null : { decision: "ask", because: asked };
}

function matchingRules(effect: Effect, policy: Policy): MatchedRule[] {
  const matched: MatchedRule[] = [];
  for (const rule of policy.index.candidates(effect)) {
    const { id, origin, text } = rule;
    try {
      if (matchesRule(rule, effect)) matched.push({ id, decide: text.decide, origin, because: text.because ?? null });
    } catch (error) {
      matched.push({ id, decide: "deny", origin, because: `the rule could not be tried: ${String(error)}` });
    }
  }
  return matched.sort(
    (a, b) => compare(a.id, b.id) || compare(a.origin, b.origin) || compare(a.because ?? "", b.because ?? ""),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function describeRules(rules: readonly MatchedRule[]): string {
  return rules.map(({ id, origin, because }) => `${because ?? "a rule says so"} (rule ${id}, ${origin})`).join("; ");
}

/** SECURITY(T25): why neither a rule nor a person's yes can allow this effect; null if they can. */
function neverAllowed(effect: Effect, capability: Capability, policy: Policy): string | null {
  switch (effect.kind) {
    case "tool":
      return allowsTool(capability, effect.tool) ? null : "not in tool_grants";
    case "read":
    case "write":
      // The box decides what a program inside it does. It contains none of these paths.
      return effect.at === "inside" ? null : closedPath(effect.path, capability, policy);
    case "run":
      return effect.at === "start" && effect.program !== null ? closedPath(effect.program, capability, policy) : null;
    case "push":
      return effect.by === "command" ? "git_push is the one way out" : null;
    case "pull":
    case "network":
    case "privilege":
    case "interactive":
    case "destroy":
      return null;
  }
}

function closedPath(path: string, capability: Capability, policy: Policy): string | null {
  if (["/proc", "/sys", "/dev"].some((root) => isWithin(path, root))) return "the box has its own";
  if (policy.absent.includes(path)) return "a rule denies this program, under this or another of its names";
  if (isHidden(capability, path)) return "hidden by the agent's fs_grants, or by a rule";
  const sealed = policy.sealed.find((sealedPath) => isWithin(path, sealedPath) || isWithin(sealedPath, path));
  return sealed === undefined ? null : "the gate keeps its record and its rules there";
}

const bounded: [Decision, string] = ["allow", "bounded by the box"];

/** The decision where neither a rule nor a written `otherwise` applies. */
function builtIn(effect: Effect, capability: Capability): [Decision, string] {
  switch (effect.kind) {
    case "tool":
      return ["allow", "tool_grants"];
    case "run":
      // The box bounds what a started program starts: it has the same view.
      if (effect.at === "inside") return bounded;
      if (effect.program === null) return ["ask", "the script cannot be read to its end"];
      return judgePath(effect.program, "r", capability);
    case "read":
      return effect.at === "inside" ? bounded : judgePath(effect.path, "r", capability);
    case "write":
      if (effect.later === true) return ["ask", "others execute it later"];
      if (effect.at !== "inside") return judgePath(effect.path, "rw", capability);
      if (isBoxPath(effect.path, capability)) return bounded;
      return fsGrantFor(capability, effect.path, "rw") === undefined
        ? ["deny", "outside of what may be changed"]
        : bounded;
    case "network":
      return judgeHost(effect, capability);
    case "privilege":
    case "interactive":
    case "destroy":
      return ["deny", "refused by default"];
    case "push":
      return ["ask", "a person decides"];
    case "pull":
      if (effect.file !== undefined) return ["ask", "it may hold a secret"];
      return effect.at === "here" ? ["allow", "fs_grants"] : ["ask", "a person decides"];
  }
}

function judgeHost({ host, at }: Effect & { readonly kind: "network" }, capability: Capability): [Decision, string] {
  if (allowsWholeNetwork(capability)) return ["allow", "net_grants"];
  const grant = hostGrantFor(capability, host);
  if (grant !== undefined) return ["allow", `net_grants: ${grant.text}`];
  return at === "inside" ? ["allow", "the box reaches granted hosts alone"] : ["ask", "not in net_grants"];
}

function judgePath(path: string, mode: "r" | "rw", capability: Capability): [Decision, string] {
  if (isWithin(path, "/workspace")) return ["allow", "the workspace"];
  const grant = fsGrantFor(capability, path, mode);
  if (grant !== undefined) return ["allow", `fs_grants: ${grant.mode} ${grant.path}`];
  return ["ask", mode === "rw" ? "no rw grant covers it" : "no grant covers it"];
}
