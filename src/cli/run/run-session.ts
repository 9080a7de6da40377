// The session of a `sallyport run`, and the home of its programs. The session is the one that is named, or one of its own for this run.
// Invariant: no two runs choose the same session, however close they start. What has not landed is in nobody's way.

import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Backend } from "../../runtime/backend.ts";
import { discardSession } from "../../runtime/discard-session.ts";
import { isSessionTouched, type ListedSession, listSessions, sessionUse } from "../../runtime/listed-session.ts";
import { keptHome } from "../../runtime/open-workspace.ts";
import { changesOf } from "../../runtime/session-changes.ts";
import type { KeptHome } from "../../sandbox/kept-home.ts";
import { canonicalJson } from "../../shared/json.ts";
import { openSessionClaims, type SessionClaims } from "../../store/session-claims.ts";
import { userName } from "../terminal/own-terminal.ts";
import type { AgentProfile } from "./agent-profile.ts";

export interface RunSession {
  readonly name: string;
  readonly home: KeptHome;
  /** For the person, before the program starts. */
  readonly notes: readonly string[];
  /** Another run may have the name. */
  release(): void;
}

interface RunProgram {
  readonly program: string;
  readonly profile: AgentProfile | null;
  readonly agent: string;
}

/** How long whoever had a session last may take to let go of it. */
const WAIT_MS = 1_000;

export async function sessionOfRun(
  backend: Backend,
  { program, profile, agent }: RunProgram,
  named: string | undefined,
): Promise<RunSession> {
  const { stateDirectory, project } = backend.config;
  const readable = basename(program).replace(/[^\w.-]+/g, "-");
  const base = /^\w/.test(readable) ? readable.slice(0, 40) : "run";
  const client = profile?.programs[0];
  // A session may be called as a client is, and has another home.
  const home = keptHome(project, agent, client ?? `session ${named ?? base}`, client !== undefined);
  const claims = openSessionClaims(stateDirectory);
  const chosen = (name: string, notes: readonly string[]) => ({ name, home, notes, release: () => claims.close() });
  const key = (name: string) => canonicalJson([project, agent, name]);
  try {
    if (named !== undefined) {
      claims.take(key(named)); // whoever has it already is joined
      return chosen(named, []);
    }
    for (let count = 1; ; count += 1) {
      const name = count === 1 ? base : `${base}-${count}`;
      const notes = await takeFree(backend, claims, key(name), (one) => isOf(one, agent, project, name));
      if (notes !== null) return chosen(name, notes);
    }
  } catch (error) {
    claims.close();
    throw error;
  }
}

function isOf(one: ListedSession, agent: string, project: string, name: string): boolean {
  return one.agent === agent && one.session === name && (one.project === null || one.project === project);
}

/** Null if the session has work which has not landed, or is in use. What is left of one whose work has landed is set aside. */
async function takeFree(
  backend: Backend,
  claims: SessionClaims,
  key: string,
  isMeant: (one: ListedSession) => boolean,
): Promise<readonly string[] | null> {
  if (!claims.take(key)) return null;
  const { stateDirectory } = backend.config;
  const notes: string[] = [];
  for (const one of listSessions(stateDirectory).filter(isMeant)) {
    const state = (await isInUse(stateDirectory, one)) ? "taken" : await stateOf(backend, one);
    if (state === "untouched") continue;
    if (state === "taken" || !discardSession(backend, one, { who: userName(), files: 0 }).ok) {
      claims.giveBack(key);
      return null;
    }
    notes.push(
      `what ${one.session} did before has landed, so it begins anew; for a day \`${backend.command("changes", "restore", one.name)}\` takes its other files back`,
    );
  }
  return notes;
}

async function stateOf(backend: Backend, one: ListedSession): Promise<"untouched" | "landed" | "taken"> {
  if (!isSessionTouched(backend.config.stateDirectory, one)) return "untouched";
  if (one.project === null || (await changesOf(backend, one)) !== null) return "taken";
  return "landed";
}

/** Whoever looked at it, or ran in it, may be about to end. */
async function isInUse(stateDirectory: string, one: ListedSession): Promise<boolean> {
  const use = () => sessionUse(stateDirectory, one);
  for (const until = Date.now() + WAIT_MS; use() === "open" && Date.now() < until;) await sleep(20);
  return use() !== null;
}
