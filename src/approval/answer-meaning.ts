// Describes what an answer means, from the rules that it would store. The terminal, the page, a client's form and the record
// use the same text.
// Invariant: a sentence contains no data, so that nothing can be written into the dialog. Data is only in the lines of
// `opensOf`, which are safe to display and which every screen separates from its own words.

import type { Effect } from "../action/effect.ts";
import { hostSets, type HostSetName, isHostSetName } from "../policy/host-sets.ts";
import type { RuleText } from "../policy/rule.ts";
import { displayText } from "../shared/display.ts";

export const scopes = ["once", "session", "project", "everywhere"] as const;

export type Scope = (typeof scopes)[number];

/** How long a session's answers are kept, whatever happens in the session. */
export const sessionHours = 12;

/** An effect that a question is about. */
interface Asked {
  readonly kind: Effect["kind"];
  readonly host?: string;
}

const howLong: Readonly<Record<Exclude<Scope, "once">, string>> = {
  session: `in this session, for at most ${sessionHours} hours`,
  project: "in this project, from now on",
  everywhere: "in every project, from now on",
};

/**
 * One sentence, without its full stop. `rules` would be stored, and `asked` is what the question is about. SECURITY(T39): the
 * sentence names everything that a stored rule allows, beside the answer that stores it.
 */
export function meaningOf(
  decision: "allow" | "deny",
  scope: Scope,
  rules: readonly RuleText[],
  asked: readonly Asked[],
): string {
  if (scope === "once")
    return decision === "deny" ? "not this time" : `${onceText(asked)}; the same call is asked about again`;
  const acts = [...new Set(rules.map(actOf))];
  return decision === "allow"
    ? `every script and program of this agent may ${acts.join(", and ")}, ${howLong[scope]}`
    : `no script or program of this agent may ${acts.join(", or ")}, ${howLong[scope]}; nobody is asked`;
}

interface Meant {
  readonly decision: "allow" | "deny";
  readonly scope: Scope;
  readonly meaning: string;
  readonly rules: readonly unknown[];
  readonly sets?: readonly HostSetName[] | undefined;
}

/** The same sentence in a list of answers. If an earlier answer allows the same, the text is not repeated in full. */
export function meaningAmong({ decision, scope, meaning, rules, sets = [] }: Meant, before: readonly Meant[]): string {
  const kept = JSON.stringify(rules);
  const same = before.find((one) => one.decision === decision && JSON.stringify(one.rules) === kept);
  if (same === undefined || same.scope === scope || scope === "once") return meaning;
  return `as ${same.scope === "session" ? "for this session" : "in this project"}${allOf(sets)}, but ${howLong[scope]}`;
}

/** Ends the name of an answer for sets of hosts. */
export function allOf(sets: readonly HostSetName[]): string {
  return sets.length === 0 ? "" : `, all of ${sets.join(" and ")}`;
}

function onceText(asked: readonly Asked[]): string {
  const hosts = asked.filter(({ kind }) => kind === "network");
  if (hosts.length === 0) return "this call, now";
  return hosts.some(({ host }) => isWholeNetwork(host))
    ? "this call, now, with the whole network of this machine"
    : "this call, now, with the hosts that it names";
}

/** The word "below" replaces data and refers to the lines of `opensOf`. */
function actOf({ effect, host }: RuleText): string {
  switch (effect) {
    case "tool":
      return "use the tool below";
    case "run":
    case "privilege":
    case "interactive":
    case "destroy":
      return "run the command below";
    case "read":
      return "read the path below and all in it";
    case "write":
      return "change, add and delete files at the path below and in it";
    case "network":
      if (isWholeNetwork(host)) return "use the whole network";
      return isHostSetName(host ?? "") ? "reach every host of the set below" : "reach the host below";
    case "push":
      return "push to the branch below";
    case "pull":
      return "pull from the place below, or look at it for a push";
  }
}

function isWholeNetwork(host: string | undefined): boolean {
  return host === undefined || host === "*";
}

/** What each rule is about, one line each, with the patterns as written in the rule. */
export function opensOf(rules: readonly RuleText[]): readonly string[] {
  return rules.map((rule) => displayText(openLine(rule), { maxLength: 100_000 }));
}

function openLine({ effect, tool, program, argv, path, host, target, branch }: RuleText): string {
  switch (effect) {
    case "tool":
      return `use ${tool ?? "any tool"}`;
    case "run":
    case "privilege":
    case "interactive":
    case "destroy":
      return [
        `run ${argv === undefined ? "it with any words" : argv.map(wordText).join(" ")}`,
        ...(program === undefined ? [] : [`the program ${program}`]),
        "in any directory, with any input",
      ].join(", ");
    case "read":
      return `read ${path ?? "any path"} and all in it`;
    case "write":
      return `change, add and delete files at ${path ?? "any path"} and in it`;
    case "network":
      if (isWholeNetwork(host)) return "use the whole network, every host and port";
      if (isHostSetName(host ?? "")) return setLine(host as HostSetName);
      return `reach ${host}${/:\d+$/.test(host ?? "") ? "" : ", at any port"}`;
    case "push":
      return `push to ${target ?? "any place"}, branch ${branch ?? "any"}`;
    case "pull":
      return `pull from ${target ?? "any place"}, or look at it for a push`;
  }
}

function setLine(name: HostSetName): string {
  const { hosts, opens } = hostSets[name];
  return `reach ${hosts.join(", ")}: ${opens}`;
}

function wordText(word: string): string {
  return /^[\w./:=@%+,*-]+$/.test(word) ? word : JSON.stringify(word);
}
