// The possible answers to a question, and what each one means.
// Invariant: an answer is valid exactly as far as its offer says. What no rule can express exactly is offered once.

import type { Action } from "../action/action.ts";
import type { Effect } from "../action/effect.ts";
import { scriptOf } from "../action/title.ts";
import type { Decision, Finding, Verdict } from "../policy/decision.ts";
import { hostSetOf, type HostSetName } from "../policy/host-sets.ts";
import { matchesRule } from "../policy/match.ts";
import { exactRule, renderRule } from "../policy/render.ts";
import { compileRule, type Rule, type RuleText } from "../policy/rule.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { meaningOf, type Scope } from "./answer-meaning.ts";
import { runsOtherCode } from "./runs-other-code.ts";

export { type Scope, scopes, sessionHours } from "./answer-meaning.ts";

/** The name of the operation of an action that is only a connection, which a running program tries to make. */
export const connectOperation = "connect";

export interface Offer {
  readonly decision: "allow" | "deny";
  readonly scope: Scope;
  /** One line for a person: what the answer allows, and for how long. It contains no data. */
  readonly meaning: string;
  /** What would be remembered: one rule for each effect that is asked about. Empty for `once`. */
  readonly rules: readonly RuleText[];
  /** The sets of hosts that the answer is for, if it is for more than the hosts that were asked about. */
  readonly sets?: readonly HostSetName[] | undefined;
}

/**
 * The rules that go with an answer: those that the person edited, or those of a set. Of the offers for one scope, the first has no
 * set, and an answer without rules means that one.
 */
export function rulesToSend({ rules, sets = [] }: Offer): { readonly rules?: readonly RuleText[] } {
  return sets.length === 0 ? {} : { rules };
}

export function askedFindings(verdict: Verdict): readonly Finding[] {
  return verdict.findings.filter(({ decision }) => decision === "ask");
}

const longerScopes = ["session", "project", "everywhere"] as const;

/** The first offer is the default. */
export function offersFor(action: Action, verdict: Verdict): readonly Offer[] {
  const asked = askedFindings(verdict).map(({ effect }) => effect);
  const yes = exactRules("allow", asked);
  const no = exactRules("deny", asked);
  const isPush = asked.some(({ kind }) => kind === "push");
  // SECURITY(T26): the agent can change this file later, so a yes is only for these bytes, now.
  const isLater = asked.some((effect) => effect.kind === "write" && effect.later === true);
  const isRemembered = yes !== null && action.contents.length === 0 && !isPush && !isLater;
  const offer = (decision: Offer["decision"], scope: Scope, rules: readonly RuleText[] = []): Offer => ({
    decision,
    scope,
    meaning: meaningOf(decision, scope, rules, asked),
    rules,
  });
  const once = offer("allow", "once");
  const kept = isRemembered ? longerScopes.map((scope) => offer("allow", scope, yes)) : [];
  const [session, ...always] = kept;
  const sets = [...new Set(asked.map(setOf).filter((set) => set !== undefined))];
  const wider = isRemembered && sets.length > 0 ? exactRules("allow", asked.map(withSet)) : null;
  return [
    ...(session === undefined ? [once] : opensMoreThanWasRead(action, asked) ? [once, session] : [session, once]),
    ...always,
    ...(wider === null ? [] : longerScopes.map((scope) => ({ ...offer("allow", scope, wider), sets }))),
    offer("deny", "once"),
    ...(no === null ? [] : [offer("deny", "project", no)]),
  ];
}

/**
 * SECURITY(T39): the person read one piece of code, but a longer yes would allow a path or the network for any other code as
 * well. Then the first answer is for this call alone.
 */
function opensMoreThanWasRead({ steps, operation }: Action, asked: readonly Effect[]): boolean {
  // Of a connection there is no code to read: the host is all that the person decides about, now as later.
  if (operation?.name === connectOperation && steps.length === 0) return false;
  if (asked.some(({ kind }) => kind === "network" || kind === "write")) return true;
  const runsCode = steps.some(
    (step) => scriptOf(step) !== null || [step.program, step.argv[0] ?? ""].some((word) => runsOtherCode(word)),
  );
  return runsCode && asked.some(({ kind }) => kind === "read");
}

function setOf(effect: Effect): HostSetName | undefined {
  return effect.kind === "network" ? hostSetOf(effect.host) : undefined;
}

/** A host's set in its place. */
function withSet(effect: Effect): Effect {
  const set = setOf(effect);
  return set === undefined || effect.kind !== "network" ? effect : { ...effect, host: set };
}

function exactRules(decide: Decision, effects: readonly Effect[]): RuleText[] | null {
  const rules = effects.map((effect) => exactRule(decide, effect));
  if (rules.includes(null) || rules.length === 0) return null;
  return [...new Map((rules as RuleText[]).map((rule) => [renderRule(rule), rule])).values()];
}

/** Checks the rules that a person edited: each must still be about what was asked, and together they must cover all of it. */
export function checkEdited(
  offered: Offer,
  edited: readonly RuleText[],
  verdict: Verdict,
): Result<readonly RuleText[]> {
  const asked = askedFindings(verdict).map(({ effect }) => effect);
  const compiled: Rule[] = [];
  for (const [index, text] of edited.entries()) {
    if (text.decide !== offered.decision)
      return fail("invalid_args", `decide: this answer is ${offered.decision}, the rule says ${text.decide}`);
    const rule = compileRule(text, String(index), "answer");
    if (!rule.ok) return rule;
    const about = asked.filter((effect) => matchesRule(rule.value, effect));
    if (about.length === 0)
      return fail("invalid_args", `the rule is not about this call any more: ${renderRule(text)}`, {
        hint: "Widen it again, or answer once.",
      });
    const bound = about.find((effect) => isNeverGeneral(effect));
    if (bound !== undefined && !isExactly(text, bound))
      return fail("invalid_args", `${bound.kind}: rules about this stay as they are, word for word`, {
        hint: "Interpreters, shells, package runners, sudo, forced pushes and deletion are never allowed in general.",
      });
    const wide = tooWide(text);
    if (wide !== null) return fail("invalid_args", wide, { hint: "Name a program, a path or a host." });
    compiled.push(rule.value);
  }
  const left = asked.find((effect) => !compiled.some((rule) => matchesRule(rule, effect)));
  if (left !== undefined)
    return fail("invalid_args", `no rule is about ${left.kind} any more`, { hint: "Keep one rule for each." });
  return ok(edited);
}

/** True if the rule covers what was asked, and nothing more. */
export function isExactly(text: RuleText, effect: Effect): boolean {
  const exact = exactRule(text.decide, effect);
  const { because: _, ...rest } = text;
  return exact !== null && renderRule(exact) === renderRule(rest);
}

function tooWide(text: RuleText): string | null {
  if (text.decide !== "allow") return null;
  const says = [text.tool, text.program, text.path, text.host, text.target, text.argv?.[0], text.what];
  if (!says.some((value) => value !== undefined && !/^[*/\\?]*$/.test(value)) && text.host !== "*")
    return "the rule would allow everything of its kind";
  return null;
}

/** True for an effect that can do anything or cannot be undone. */
export function isNeverGeneral(effect: Effect): boolean {
  switch (effect.kind) {
    case "privilege":
    case "destroy":
    case "push":
    case "interactive":
      return true;
    case "run":
      return [effect.program, effect.argv[0] ?? null].some((word) => word === null || runsOtherCode(word));
    case "tool":
    case "read":
    case "write":
    case "network":
    case "pull":
      return false;
  }
}
