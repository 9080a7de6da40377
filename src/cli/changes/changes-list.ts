// `sallyport changes list`: the sessions that have work which has not landed.

import { sizeText } from "../../action/diff-facts.ts";
import { safeJson } from "../../audit/entry.ts";
import { ownCommand } from "../../config/own-command.ts";
import { listChanges, type SessionChanges } from "../../runtime/session-changes.ts";
import { isOfSession, type SessionHost, SessionHosts } from "../../runtime/session-hosts.ts";
import { listDiscardedSessions } from "../../runtime/discard-session.ts";
import { listSessions } from "../../runtime/listed-session.ts";
import { KEPT_MS } from "../../sandbox/discarded-drafts.ts";
import { displayText } from "../../shared/display.ts";
import type { Json } from "../../shared/json.ts";
import type { OwnCommand } from "../../shared/own-command.ts";
import { exitCode } from "../exit-code.ts";
import { loadFromFlags } from "../open-gate.ts";
import { ageText } from "../terminal/age-text.ts";
import { localTime } from "../terminal/local-time.ts";
import { type Row, tableLines } from "../terminal/table.ts";
import type { Screen, Terminal } from "../terminal/terminal.ts";
import { type ChangesFlags, withBackend } from "./changes-backend.ts";

export interface ChangesListFlags extends ChangesFlags {
  readonly here?: boolean;
  readonly discarded?: boolean;
}

interface ListedRow extends SessionChanges {
  readonly hosts: readonly SessionHost[];
  readonly questions: number;
}

interface ListedRows {
  readonly sessions: readonly ListedRow[];
  readonly more: number;
}

const nothing: ListedRows = { sessions: [], more: 0 };

export async function changesListCommand(flags: ChangesListFlags, terminal: Terminal): Promise<number> {
  const config = loadFromFlags(flags, terminal.environment);
  const project = flags.here === true ? config.project : undefined;
  if (flags.discarded === true) return await printDiscarded(config.stateDirectory, project, flags, terminal);
  const print = async (list: ListedRows): Promise<number> => {
    const { out } = terminal;
    const lines =
      flags.json === true
        ? [safeJson(list as unknown as Json)]
        : listLines(list, out, ownCommand(terminal.environment, flags));
    for (const line of lines) await out.line(line);
    return exitCode.ok;
  };
  if (listSessions(config.stateDirectory).length === 0) return await print(nothing);
  return await withBackend(config, async (backend) => {
    const list = await listChanges(backend, { project });
    const waiting = await backend.answerService.listAndWithdrawEnded();
    const hosts = new SessionHosts(backend.store.record);
    const sessions: ListedRow[] = [];
    for (const one of list.sessions)
      sessions.push({
        ...one,
        hosts: await hosts.of(one),
        questions: waiting.filter((each) => isOfSession(each, one)).length,
      });
    return await print({ ...list, sessions });
  });
}

async function printDiscarded(
  stateDirectory: string,
  project: string | undefined,
  flags: ChangesListFlags,
  { out, environment }: Terminal,
): Promise<number> {
  const drafts = listDiscardedSessions(stateDirectory).filter(
    (one) => project === undefined || one.project === project,
  );
  const date = (ms: number) => new Date(ms).toISOString();
  if (flags.json === true) {
    const sessions = drafts.map(({ session, agent, project: of, name, begun, discardedAt }) => ({
      session,
      agent,
      project: of,
      draft: name,
      begun,
      discarded: date(discardedAt),
      kept_until: date(discardedAt + KEPT_MS),
    }));
    await out.line(safeJson({ sessions }));
    return exitCode.ok;
  }
  const now = new Date();
  const head = ["session", "agent", "discarded", "kept until", "project"].map((text) => ({
    text,
    styles: ["bold"] as const,
  }));
  const rows = drafts.map(({ session, agent, project: of, discardedAt }): Row => [
    displayText(session, { maxLength: 60 }),
    displayText(agent, { maxLength: 40 }),
    localTime(date(discardedAt), now),
    localTime(date(discardedAt + KEPT_MS), now),
    displayText(of ?? "in memory"),
  ]);
  const hint = `To take one back: ${ownCommand(environment, flags)("changes", "restore", "SESSION")}`;
  const lines =
    rows.length === 0
      ? ["Nothing was discarded within the last day."]
      : [...tableLines([head, ...rows], out), out.paint(hint, "dim")];
  for (const line of lines) await out.line(line);
  return exitCode.ok;
}

function listLines({ sessions, more }: ListedRows, screen: Screen, own: OwnCommand): string[] {
  const rest = more === 0 ? [] : [screen.paint(`${more} older ones were not looked at.`, "dim")];
  if (sessions.length === 0) return ["No session has work that has not landed.", ...rest];
  const names = ["session", "agent", "files", "lines", "commits", "age", "behind", "size", "project"];
  const head = names.map((text) => ({ text, styles: ["bold"] as const }));
  const now = Date.now();
  const problems = sessions.flatMap(({ session, problem }) =>
    problem === null
      ? []
      : [
          `${screen.paint("cannot be read:", "red")} ${displayText(session, { maxLength: 60 })}: ${displayText(problem)}`,
        ],
  );
  const hint = `One of them: ${own("changes", "diff", "SESSION")}`;
  return [
    ...tableLines([head, ...sessions.map((one) => rowOf(one, now))], screen),
    ...problems,
    ...sessions.flatMap((one) => nowLines(one, own)),
    ...rest,
    screen.paint(hint, "dim"),
  ];
}

/** What it reached, and what waits for the person. */
function nowLines({ session, hosts, questions }: ListedRow, own: OwnCommand): string[] {
  const name = displayText(session, { maxLength: 60 });
  const named = (isReached: boolean) =>
    hosts.filter(({ decision }) => (decision === "allow") === isReached).map(({ host }) => displayText(host));
  const line = (what: string, found: readonly string[]) =>
    found.length === 0 ? [] : [`${name} ${what}: ${shortened(found)}`];
  return [
    ...line("has reached", named(true)),
    ...line("was not let through to", named(false)),
    ...(questions === 0
      ? []
      : [`${name} waits for ${questions === 1 ? "an answer" : `${questions} answers`}: ${own("review")}`]),
  ];
}

const HOSTS_NAMED = 5;

function shortened(names: readonly string[]): string {
  const more = names.length - HOSTS_NAMED;
  return `${names.slice(0, HOSTS_NAMED).join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
}

function rowOf(one: SessionChanges, now: number): Row {
  const { session, agent, project, files, added, removed, commits, behind, bytes, begun } = one;
  return [
    displayText(session, { maxLength: 60 }),
    displayText(agent, { maxLength: 40 }),
    files === null ? "?" : String(files),
    added === null || removed === null ? "?" : `+${added} -${removed}`,
    commits === null ? "?" : String(commits),
    ageText(now - Date.parse(begun)),
    behindText(behind),
    sizeText(bytes),
    displayText(project ?? "in memory"),
  ];
}

function behindText(behind: SessionChanges["behind"]): string {
  if (behind === null) return "-";
  const { commits, files, rewritten } = behind;
  const counted = (count: number, what: string) => (count === 0 ? [] : [`${count} ${what}${count === 1 ? "" : "s"}`]);
  return [...(rewritten ? ["other history"] : counted(commits, "commit")), ...counted(files, "file")].join(", ");
}
