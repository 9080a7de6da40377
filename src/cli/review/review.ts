// `sallyport review`: shows the questions of every project in this store, and takes a person's answers.
// Invariant: without a terminal the command only shows questions. An answer never comes from a pipe.

import { safeJson } from "../../audit/entry.ts";
import type { Question } from "../../approval/approver.ts";
import { opensOf, type Scope, scopes } from "../../approval/answer-meaning.ts";
import { rulesToSend } from "../../approval/offer.ts";
import type { QueuedQuestion } from "../../approval/shared-store.ts";
import { ownCommand, type PathFlags } from "../../config/own-command.ts";
import { findConfigPaths } from "../../config/config-paths.ts";
import { type AnswerService, openAnswerService, type PushedBytes } from "../../runtime/answer-service.ts";
import { LocalStore } from "../../runtime/local-store.ts";
import { notAskedAbout, type StagedCommitView, stagedIn } from "../../runtime/staged-commits.ts";
import { displayText } from "../../shared/display.ts";
import type { OwnCommand } from "../../shared/own-command.ts";
import type { Json } from "../../shared/json.ts";
import { openSessionStores } from "../../runtime/session-stores.ts";
import { personHere, terminalProblem } from "../terminal/own-terminal.ts";
import { cutColumns } from "../terminal/columns.ts";
import { exitCode } from "../exit-code.ts";
import { type ViewStyle, viewStyleOf } from "../terminal/view-style.ts";
import { questionLines } from "../terminal/question-view.ts";
import { AnswerOutcomes } from "./answer-outcomes.ts";
import { diffFileJson, printDiff, pushJson } from "./review-diff.ts";
import { pushLines } from "./review-push-view.ts";
import type { ReviewedStores } from "./review-list.ts";
import { stagedJson, stagedRowText } from "./review-staged.ts";
import { rowText } from "./review-view.ts";
import { signalCode } from "../signal-code.ts";
import { withCancellation } from "../signals.ts";
import { describeSettled, endedText } from "../terminal/terminal-prompt.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { UsageError } from "../usage-error.ts";

export interface ReviewFlags extends PathFlags {
  readonly json?: boolean;
  readonly once?: boolean;
  readonly staged?: boolean;
  readonly diff?: boolean;
  readonly allow?: string;
  readonly set?: boolean;
  readonly deny?: boolean;
  readonly reason?: string;
}

export async function reviewCommand(id: string | undefined, flags: ReviewFlags, terminal: Terminal): Promise<number> {
  const answers = flags.allow !== undefined || flags.deny === true;
  const own = ownCommand(terminal.environment, flags);
  if (answers) checkAnswerFlags(id, flags, own, terminal);
  if (flags.reason !== undefined && flags.deny !== true)
    throw new UsageError(
      "--reason: it goes with --deny",
      `For example: ${own("review", id ?? "ID", "--deny", "--reason", "not in this project")}`,
    );
  if (flags.set === true && flags.allow === undefined)
    throw new UsageError(
      "--set: it goes with --allow",
      `For example: ${own("review", id ?? "ID", "--allow", "project", "--set")}`,
    );
  if (flags.diff === true && (id === undefined || answers || flags.json === true))
    throw new UsageError("review: --diff goes with the ID of a push, and with no answer and no --json");
  if (flags.staged === true && (flags.json !== true || id !== undefined))
    throw new UsageError(
      "review: --staged goes with --json, and with no ID",
      `\`${own("review", "--once")}\` always shows them.`,
    );
  const isReadOnly =
    flags.diff === true || flags.json === true || flags.once === true || terminalProblem(terminal.streams, 1) !== null;
  const found = findConfigPaths({
    statePath: flags.state,
    configPath: flags.config,
    project: flags.project,
    environment: terminal.environment,
  });
  if (!found.ok) throw new UsageError(displayText(found.error.message), displayText(found.error.hint));
  const { paths } = found;
  const store = LocalStore.at(paths, own);
  // Reading creates no store.
  if ((isReadOnly || answers) && !store.hasRecord)
    return await printQueue(
      id,
      { waiting: [], staged: [], answerService: { bytesAfter: () => null } },
      flags,
      terminal,
    );
  const staged = openSessionStores(paths.stateDirectory.real, { sessions: () => store.journal.sessions() });
  const answerService = openAnswerService({ store, journal: () => store.journal, staged });
  try {
    if (answers) return await answerNow(id as string, flags, answerService, terminal);
    if (!isReadOnly) {
      const { withReviewChanges } = await import("./review-backend.ts"); // a look at what waits builds no box
      return await withReviewChanges(flags, terminal, (changes) =>
        stayOpen(
          id,
          answerService,
          new AnswerOutcomes(
            () => store.queue,
            () => store.record,
          ),
          { home: paths.home, staged: stagedIn(staged), changes },
          terminal,
        ),
      );
    }
    const waiting = store.hasQuestions ? await answerService.listAndWithdrawEnded() : [];
    if (id === undefined) {
      const commits = notAskedAbout(stagedIn(staged).stagedCommits(), waiting);
      return await printQueue(id, { waiting, staged: commits, answerService }, flags, terminal);
    }
    // For a single question, `find` includes its diff.
    const found = waiting.some(({ question }) => question.id === id) ? await answerService.queue.find(id) : undefined;
    const listed = { waiting: found?.answer === null ? [found] : [], staged: [], answerService };
    return await printQueue(id, listed, flags, terminal);
  } finally {
    staged.close();
    await store.close();
  }
}

function checkAnswerFlags(
  id: string | undefined,
  { allow, deny, json }: ReviewFlags,
  own: OwnCommand,
  { streams }: Terminal,
): void {
  if (id === undefined)
    throw new UsageError(
      "review: --allow and --deny need the question's ID",
      `\`${own("review", "--json")}\` lists them.`,
    );
  if (allow !== undefined && (deny === true || json === true))
    throw new UsageError("review: --allow goes with neither --deny nor --json");
  if (allow !== undefined && !scopes.includes(allow as Scope))
    throw new UsageError(`--allow: ${displayText(allow)} is not a scope`, `Write one of ${scopes.join(", ")}.`);
  const problem = terminalProblem(streams, 1);
  if (problem !== null)
    throw new UsageError(
      `an answer is a person's: ${problem}`,
      `Answer on a terminal of your own: \`${own("review")}\`.`,
    );
}

interface Listed {
  readonly waiting: readonly QueuedQuestion[];
  /** Staged commits that no waiting question is about. */
  readonly staged: readonly StagedCommitView[];
  readonly answerService: PushedBytes;
}

async function printQueue(
  id: string | undefined,
  { waiting, staged, answerService }: Listed,
  flags: ReviewFlags,
  { out, err, environment }: Terminal,
): Promise<number> {
  const { json, diff, allow, deny, staged: isWithStaged } = flags;
  const own = ownCommand(environment, flags);
  const chosen = id === undefined ? waiting : waiting.filter(({ question }) => question.id === id);
  if (id !== undefined && chosen.length === 0) return await notWaiting(id, err, own);
  if (json === true) {
    await out.line(safeJson([...chosen.map(toJson), ...(isWithStaged === true ? staged.map(stagedJson) : [])]));
    return exitCode.ok;
  }
  if (diff === true) return await printDiff((chosen[0] as QueuedQuestion).question, answerService, out, err, own);
  const viewStyle = viewStyleOf(out, process.stdout);
  if (id !== undefined && allow === undefined && deny !== true) {
    for (const { question } of chosen) for (const line of wholeLines(question, viewStyle)) await out.line(line);
    return exitCode.ok;
  }
  if (chosen.length === 0) await out.line("Nothing waits for an answer.");
  for (const queued of chosen) {
    const text = rowText(queued, Date.now());
    await out.line(out.isTerminal ? cutColumns(text, viewStyle.width, viewStyle.isUnicode) : text);
  }
  for (const commit of staged) {
    const text = stagedRowText(commit, Date.now());
    await out.line(out.isTerminal ? cutColumns(text, viewStyle.width, viewStyle.isUnicode) : text);
  }
  return exitCode.ok;
}

async function notWaiting(id: string, err: Terminal["err"], own: OwnCommand): Promise<number> {
  await err.line(`sallyport: no question ${displayText(id, { maxLength: 80 })} waits for an answer`);
  await err.line(`hint: \`${own("review", "--json")}\` lists those that do. One that was answered stays answered.`);
  return exitCode.refused;
}

function wholeLines(question: Question, viewStyle: ViewStyle): string[] {
  const { push } = question.action;
  return push === undefined ? questionLines(question, viewStyle) : pushLines(question, push, viewStyle);
}

function toJson({ question, expiresAt, isAwaited }: QueuedQuestion): Json {
  const { id, askedAt, session, project, severity, action, offers, text, diff } = question;
  return {
    kind: "question",
    id,
    asked: new Date(askedAt).toISOString(),
    expires: new Date(expiresAt).toISOString(),
    agent: action.agent,
    session,
    session_name: question.sessionName ?? session,
    awaited: isAwaited,
    ...(question.claimedBy === undefined ? {} : { client: question.claimedBy }),
    project,
    tool: action.tool,
    severity,
    digest: action.digest,
    text,
    answers: offers.map((offer) => ({ ...offer, opens: opensOf(offer.rules) })) as unknown as Json,
    ...(action.push === undefined ? {} : { push: pushJson(action.push) }),
    ...(diff === undefined ? {} : { diff: diff.map(diffFileJson) }),
  };
}

/** For scripts that a person runs: shows the question, then answers it as the flags say. */
async function answerNow(
  id: string,
  flags: ReviewFlags,
  answerService: AnswerService,
  { out, err }: Terminal,
): Promise<number> {
  const queued = await answerService.findOrWithdrawEnded(id);
  const question: Question | null = queued?.answer === null ? queued.question : null;
  if (question === null) return await notWaiting(id, err, answerService.queue.command);
  for (const line of wholeLines(question, viewStyleOf(out, process.stdout))) await out.line(line);
  const decision = flags.deny === true ? "deny" : "allow";
  const scope = (flags.allow ?? "once") as Scope;
  const offered = question.offers.filter((offer) => offer.decision === decision);
  const offer = offered.find((one) => one.scope === scope && (one.sets !== undefined) === (flags.set === true));
  if (offer === undefined) {
    const names = offered.map((one) => `${one.scope}${one.sets === undefined ? "" : " --set"}`);
    const wanted = `${scope}${flags.set === true ? " --set" : ""}`;
    await err.line(`sallyport: ${decision} ${wanted} is not offered here; ${names.join(", ")} is`);
    return exitCode.refused;
  }
  const reason = flags.reason ?? null;
  const settled = await answerService.answer(id, {
    decision,
    scope,
    digest: question.action.digest,
    who: personHere(),
    reason,
    ...rulesToSend(offer),
  });
  if ("ok" in settled) {
    await err.line(`sallyport: your answer does not count: ${displayText(settled.reason)}`);
    return exitCode.refused;
  }
  await out.line(`${displayText(id)}: ${describeSettled(settled)}${await endedText(settled, answerService)}`);
  return exitCode.ok;
}

async function stayOpen(
  id: string | undefined,
  answerService: AnswerService,
  outcomes: AnswerOutcomes,
  { home, staged, changes }: ReviewedStores,
  { out, err, environment }: Terminal,
): Promise<number> {
  const waiting = id === undefined ? [] : await answerService.listAndWithdrawEnded();
  const first = waiting.find(({ question }) => question.id === id)?.question ?? null;
  if (id !== undefined && first === null) return await notWaiting(id, err, answerService.queue.command);
  const isDumb = (environment["TERM"] ?? "dumb") === "dumb";
  return await withCancellation(async (cancellation) => {
    const { reviewLoop } = await import("./review-loop.ts");
    const { signal } = cancellation;
    await reviewLoop({ answerService, outcomes, screen: out, isDumb, home, first, staged, changes, signal });
    return cancellation.by === null ? exitCode.ok : signalCode(cancellation.by);
  });
}
