// What sessions have not landed, in the open `review`: a row for each, its diff, and what the person decides about it.
// Invariant: what is decided about is what was shown, by its digest; no single key lands or discards anything.

import type { Question } from "../../approval/approver.ts";
import type { Config } from "../../config/load.ts";
import type { ShownConflict } from "../../git/publish/push/shown-conflict.ts";
import type { Backend } from "../../runtime/backend.ts";
import { beginBranch, beginHere, type HereLanding } from "../../runtime/begin-landing.ts";
import type { ChangesWatch } from "../../runtime/changes-watch.ts";
import { discardSession } from "../../runtime/discard-session.ts";
import { knownPlace, sessionMessage } from "../../runtime/land-on-branch.ts";
import { type ListedSession, listSessions } from "../../runtime/listed-session.ts";
import { sessionBranch } from "../../runtime/session.ts";
import { listedDiff, type SeenChanges, seeChanges, type SessionChanges } from "../../runtime/session-changes.ts";
import { type SessionDiff, shownDiff } from "../../runtime/session-diff.ts";
import { quoteName } from "../../shared/odd-name.ts";
import { displayText } from "../../shared/display.ts";
import type { Failure } from "../../shared/failure.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import type { AnswerContext } from "../terminal/answer-dialog.ts";
import type { Painter } from "../terminal/painter.ts";
import { wrapText } from "../terminal/table.ts";
import type { ChangeDialog } from "./review-changes.ts";
import { askAboutPush, pressChanges } from "./review-push.ts";
import { hereDialog, sessionDialog } from "./review-unlanded-view.ts";

export interface ReviewChanges {
  readonly backend: Backend;
  readonly watch: ChangesWatch;
  readonly configFor: (project: string, workspace: "draft" | "memory") => Result<Config>;
}

/** A session on the screen, as it was when it was opened. */
export interface ReviewedSession {
  readonly listed: ListedSession;
  readonly seen: SeenChanges;
}

export async function openReviewed(
  { backend, watch }: ReviewChanges,
  row: SessionChanges,
): Promise<Result<{ readonly dialog: ChangeDialog; readonly session: ReviewedSession }>> {
  const listed = listSessions(backend.config.stateDirectory).find(({ name }) => name === row.draft);
  if (listed === undefined) return fail("not_found", "The session was discarded, or began anew.");
  const seen = await watch.inTurn(() => seeChanges(backend, listed));
  if (!seen.ok) return seen;
  const diff: SessionDiff = await shownDiff(seen.value.pairs, listedDiff);
  return ok({ dialog: sessionDialog(seen.value, diff), session: { listed, seen: seen.value } });
}

/** Undefined if the key decides nothing. Else resolves to what came of it; null if the person went back. */
export function decideSession(
  key: string,
  session: ReviewedSession,
  changes: ReviewChanges,
  context: AnswerContext,
  painter: Painter,
): Promise<string | null> | undefined {
  if (key === "l") return landOnBranch("commit", session, changes, context, painter);
  if (key === "c" && (session.seen.made?.count ?? 0) > 0)
    return landOnBranch("series", session, changes, context, painter);
  if (key === "h" && session.listed.project !== null) return landInFiles(session, changes, context, painter);
  return key === "x" ? discard(session, changes, context) : undefined;
}

async function landOnBranch(
  how: "commit" | "series",
  { listed, seen }: ReviewedSession,
  { backend, watch, configFor }: ReviewChanges,
  context: AnswerContext,
  painter: Painter,
): Promise<string | null> {
  const { keys, signal, who, show } = context;
  show(["On which branch? Ctrl-C goes back."]);
  const branch = await keys.line("branch: ", sessionBranch(listed.session), signal);
  if (branch === null || branch.trim() === "") return null;
  show(["With which message? Ctrl-C goes back."]);
  const message = how === "series" ? null : await keys.line("message: ", sessionMessage(listed.session), signal);
  if (how === "commit" && (message === null || message.trim() === "")) return null;
  show(["Preparing what would land…"]);
  const place = knownPlace(backend, listed) ?? backend.config.project;
  const config = configFor(place, listed.project === null ? "memory" : "draft");
  if (!config.ok) return failureText(config.failure);
  let conflict: ShownConflict | null = null;
  const onConflict = (found: ShownConflict) => (conflict = found);
  const wanted = { digest: seen.row.digest, who, branch: branch.trim(), message, onConflict };
  const begun = await watch.inTurn(() => beginBranch({ ...backend, config: config.value }, listed, wanted));
  if (!begun.ok) return await refused(begun.failure, conflict, context);
  const { question, push } = begun.value;
  const answer = await askAboutPush(onceOnly(question), push, painter, context, backend.answerService);
  const isYes = typeof answer !== "string" && answer.decision === "allow";
  const landed = await begun.value.answer(isYes);
  if (!landed.ok) return await refused(landed.failure, conflict, context);
  if (landed.value === null) return "It was left as it is.";
  const { commit, files } = landed.value;
  const count = files === 1 ? "1 file" : `${files} files`;
  return `${count} landed as ${commit.slice(0, 12)} on ${displayText(landed.value.branch)}.`;
}

const CONFLICT_LINES = 12;

/** Shows both sides of a conflict until a key is pressed. */
async function refused(
  failure: Failure,
  conflict: ShownConflict | null,
  { keys, signal, show, viewStyle }: AnswerContext,
): Promise<string> {
  const lines = (conflict?.files ?? []).flatMap(({ path, sides }) => [
    `${quoteName(path)}, - as the target has it, + as the commit has it`,
    ...displayText(sides.trimEnd(), { multiline: true }).split("\n"),
  ]);
  if (lines.length === 0) return failureText(failure);
  const more = lines.length > CONFLICT_LINES ? ["`sallyport changes land --commits` shows all of it."] : [];
  const shown = [...lines.slice(0, CONFLICT_LINES), ...more, "Any key goes on."];
  show(shown.flatMap((line) => wrapText(line, viewStyle().width)));
  keys.drain();
  await keys.next(signal);
  return failureText(failure);
}

/** Who lands says it for this once: no rule is kept. */
function onceOnly(question: Question): Question {
  return { ...question, offers: question.offers.filter(({ scope }) => scope === "once") };
}

async function landInFiles(
  { listed, seen }: ReviewedSession,
  { backend, watch }: ReviewChanges,
  context: AnswerContext,
  painter: Painter,
): Promise<string | null> {
  context.show(["Preparing what would land…"]);
  const wanted = { digest: seen.row.digest, who: context.who };
  const begun = await watch.inTurn(() => beginHere(backend, listed, wanted));
  if (!begun.ok) return failureText(begun.failure);
  const isYes = await askHere(begun.value, listed, context, painter);
  const landed = await watch.inTurn(() => begun.value.answer(isYes));
  if (!landed.ok) return failureText(landed.failure);
  if (landed.value === null) return "It was left as it is.";
  const { files, conflicts, left } = landed.value;
  const more = `${conflicts.length} with conflict marks, ${left.size} left as they are`;
  return `${files === 1 ? "1 file was" : `${files} files were`} changed in the project, ${more}. Nothing is committed.`;
}

/** Uses the whole screen until the person answers or leaves. */
async function askHere(
  landing: HereLanding,
  listed: ListedSession,
  context: AnswerContext,
  painter: Painter,
): Promise<boolean> {
  const { keys, signal, viewStyle } = context;
  const dialog = hereDialog(landing, listed);
  painter.draw(dialog.draw(viewStyle()));
  keys.drain(); // SECURITY(T28): keys typed before this was on the screen answer nothing
  for (;;) {
    const key = await keys.next(signal);
    if (key === null || key === "ctrl-c" || key === "ctrl-d") return false;
    const pressed = dialog.choiceOf(key) === undefined ? null : dialog.press(key, viewStyle());
    if (pressed === null) {
      if ((await pressChanges(key, dialog, null, context)) === "back") return false;
    } else if (pressed === "reminded") keys.drain();
    else if (typeof pressed !== "string") {
      if (pressed.choice.offer.decision === "deny") return false;
      if (await confirmed("This writes it into the files of the project", context)) return true;
    }
    painter.draw(dialog.draw(viewStyle()));
  }
}

async function discard(
  { listed, seen }: ReviewedSession,
  { backend, watch }: ReviewChanges,
  context: AnswerContext,
): Promise<string | null> {
  const isYes = await confirmed("This discards what the session has changed. It is kept for a day", context);
  if (!isYes) return null;
  const discarded = await watch.inTurn(async () => {
    const now = await seeChanges(backend, listed);
    if (now.ok && now.value.row.digest !== seen.row.digest)
      return fail("changed", "The session has changed something since you looked. Nothing was discarded.");
    return discardSession(backend, listed, { who: context.who, files: seen.pairs.length });
  });
  if (!discarded.ok) return failureText(discarded.failure);
  return `Discarded. \`${backend.command("changes", "restore", listed.name)}\` takes it back within a day.`;
}

/** SECURITY(T39): Enter counts only after the screen shows what it means. */
async function confirmed(what: string, { keys, signal, viewStyle, show }: AnswerContext): Promise<boolean> {
  show(wrapText(`${what}: [Enter] says yes   any other key: back`, viewStyle().width));
  keys.drain();
  return (await keys.next(signal)) === "enter";
}

function failureText({ message, hint }: Failure): string {
  return displayText(hint === undefined ? message : `${message} ${hint}`, { maxLength: 1_000 });
}
