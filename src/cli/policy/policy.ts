// `sallyport policy list|add|remove`: lists and changes rules and answers. Each change is recorded.

import { addRule, removeRule } from "../../config/amend.ts";
import { describeConfigErrors } from "../../config/config-error.ts";
import { agentCapability, type Config } from "../../config/load.ts";
import { ownCommand } from "../../config/own-command.ts";
import { readRuleArgument } from "../../config/rule-argument.ts";
import { loadRuleFiles, ruleDirectory, storedRuleIds } from "../../config/rule-files.ts";
import { safeJson } from "../../audit/entry.ts";
import { idleRules } from "../../policy/idle-rules.ts";
import { renderRule } from "../../policy/render.ts";
import type { RuleText } from "../../policy/rule.ts";
import type { LocalStore } from "../../runtime/local-store.ts";
import { revokeRule } from "../../runtime/revoke-rule.ts";
import { systemClock } from "../../shared/clock.ts";
import { displayText } from "../../shared/display.ts";
import type { Json } from "../../shared/json.ts";
import { nearestName } from "../../shared/nearest.ts";
import { joinPath } from "../../shared/path.ts";
import { exitCode } from "../exit-code.ts";
import { listingLines, policyListing } from "./policy-list.ts";
import {
  configOrStop,
  type PolicyFlags,
  type PolicyPaths,
  policyPaths,
  tryConfig,
  whoIsThis,
  withStore,
} from "./policy-paths.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { UsageError } from "../usage-error.ts";

export interface ListFlags extends PolicyFlags {
  /** True selects every session. */
  readonly session?: string | true;
}

export async function policyListCommand(flags: ListFlags, terminal: Terminal): Promise<number> {
  if (flags.session === "") throw new UsageError("--session: empty", "Write a name after it, or leave it out.");
  const config = configOrStop(flags, terminal);
  const session = flags.session === true ? null : flags.session;
  const answers = session === undefined ? [] : await withStore(config, ({ rules }) => rules.sessionAnswers(session));
  const listing = policyListing(config, loadRuleFiles(config).stored, answers);
  const { out } = terminal;
  await out.line(
    flags.json === true ? safeJson(listing as unknown as Json) : listingLines(listing, config, out).join("\n"),
  );
  return exitCode.ok;
}

export interface AddFlags extends PolicyFlags {
  readonly everywhere?: boolean;
  readonly agent?: string;
  readonly because?: string;
}

export async function policyAddCommand(argument: string, flags: AddFlags, terminal: Terminal): Promise<number> {
  const rulePaths = policyPaths(flags, terminal);
  const read = readRuleArgument(argument, rulePaths);
  if (!read.ok) throw new UsageError(describeConfigErrors(read.errors));
  if (flags.because === "") throw new UsageError("--because: empty", "Write a sentence after it, or leave it out.");
  const config = configOrStop(flags, terminal);
  const agent = flags.agent ?? null;
  const known = agent === null ? null : agentCapability(config, agent);
  if (known !== null && !known.ok)
    throw new UsageError(`--agent: ${displayText(known.failure.message)}`, displayText(known.failure.hint ?? ""));
  const { examples, ...written } = read.written;
  const text: RuleText = { ...written, ...(flags.because === undefined ? {} : { because: flags.because }) };
  const scope = flags.everywhere === true ? "everywhere" : "project";
  const who = whoIsThis(terminal.streams);
  const id = await withStore(rulePaths, async ({ journal }) => {
    // The record is open already: a change that cannot be recorded is not made.
    const added = addRule(
      { scope, text, examples, isAnswer: false, agent, by: who, question: null, at: systemClock.now() },
      rulePaths,
    );
    try {
      journal.append(
        { event: "policy.changed", agent, outcome: { added: [renderRule(text)], id: added, scope, who } },
        { durable: true },
      );
    } catch (error) {
      removeRule({ id: added, scope }, rulePaths);
      throw error;
    }
    return added;
  });
  const file = joinPath(ruleDirectory(scope, rulePaths), `${id}.yaml`);
  const { out } = terminal;
  if (flags.json === true) await out.line(safeJson({ id, scope, agent, rule: renderRule(text), file }));
  else {
    const where = scope === "everywhere" ? "everywhere" : `for ${displayText(rulePaths.project)}`;
    await out.line(
      `${out.paint("Stored", "green")} ${id}, ${where}${agent === null ? "" : `, for the agent ${displayText(agent)}`}:`,
    );
    await out.line(`  ${displayText(renderRule(text))}`);
    await out.line(`  in ${displayText(file)}`);
    for (const reason of idleReasons(config, id))
      await out.line(`${out.paint("note:", "yellow")} it can never decide: ${displayText(reason)}`);
    await out.line(
      `It holds from the next call on. To take it back: ${ownCommand(terminal.environment, flags)("policy", "remove", id)}`,
    );
  }
  return exitCode.ok;
}

function idleReasons(config: Config, id: string): string[] {
  const stored = loadRuleFiles(config).stored.filter(({ isAnswer, agent }) => !isAnswer && agent === null);
  const { agents, stateDirectory, configDirectory } = config;
  const rules = [...config.policy.rules, ...stored.map(({ rule }) => rule)];
  const idle = idleRules({ rules, agents, sealed: [stateDirectory, configDirectory] });
  return idle.filter(({ rule }) => rule.id === id).map(({ reason }) => reason);
}

export async function policyRemoveCommand(id: string, flags: PolicyFlags, terminal: Terminal): Promise<number> {
  const rulePaths = policyPaths(flags, terminal);
  const who = whoIsThis(terminal.streams);
  const { removed, rule } = await withStore(rulePaths, (store) => removeEverywhere(id, store, rulePaths.project, who));
  if (removed.length === 0) return await notThere(id, rulePaths, flags, terminal);
  const { out } = terminal;
  if (flags.json === true)
    await out.line(safeJson({ id, removed, rule: rule === undefined ? null : renderRule(rule) }));
  else {
    const from = { project: "this project", everywhere: "everywhere", session: "its session" };
    const scopeNames = removed.map((scope) => from[scope]).join(" and ");
    await out.line(
      `${out.paint("Removed", "green")} ${displayText(id)} from ${scopeNames}${rule === undefined ? "." : ":"}`,
    );
    if (rule !== undefined) await out.line(`  ${displayText(renderRule(rule))}`);
    await out.line("It holds no more from the next call on.");
  }
  return exitCode.ok;
}

async function removeEverywhere(id: string, store: LocalStore, project: string, who: string) {
  const { rules } = store;
  const removed = await rules.scopesOf(id, project);
  if (removed.length === 0) return { removed, rule: undefined };
  const rule = await revokeRule(id, removed, { rules, journal: store.journal, project, who });
  return { removed, rule };
}

async function notThere(id: string, rulePaths: PolicyPaths, flags: PolicyFlags, terminal: Terminal): Promise<number> {
  const { err } = terminal;
  const loaded = tryConfig(flags, terminal);
  const written = loaded.ok ? loaded.config.policy.rules : [];
  const rule = written.find((one) => one.id === id);
  if (rule !== undefined && loaded.ok) {
    const line = /:(\d+)$/.exec(rule.origin)?.[1];
    await err.line(
      `sallyport: ${displayText(id)} is written in the configuration: ${displayText(loaded.config.file ?? "")}${line === undefined ? "" : `, line ${line}`}`,
    );
    await err.line("hint: Take it out of that file.");
    return exitCode.refused;
  }
  const sessions = await withStore(rulePaths, ({ rules }) => rules.sessionAnswers(null));
  const known = [
    ...storedRuleIds("project", rulePaths),
    ...storedRuleIds("everywhere", rulePaths),
    ...sessions.map((answer) => answer.id),
    ...written.map((one) => one.id),
  ];
  const near = nearestName(id, known);
  await err.line(`sallyport: there is no rule and no answer ${displayText(JSON.stringify(id), { maxLength: 80 })}`);
  await err.line(
    near === undefined
      ? `hint: \`${ownCommand(terminal.environment, flags)("policy", "list", "--session")}\` shows their names.`
      : `hint: Did you mean ${displayText(near)}?`,
  );
  return exitCode.refused;
}
