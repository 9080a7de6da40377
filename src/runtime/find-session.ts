// Finds the session that a person names, by its own name or by that of its draft.

import { fail, ok, type Result } from "../shared/result.ts";
import { isSessionTouched, type ListedSession, listSessions } from "./listed-session.ts";

const SHOWN = 10;

export interface WantedSession {
  /** A session, or the name of a draft. Undefined: the only one of the project in which something was changed. */
  readonly session: string | undefined;
  /** A real path. If several drafts have the name, one of this project is meant. */
  readonly project: string;
}

export function findSession(stateDirectory: string, wanted: WantedSession): Result<ListedSession> {
  return oneSessionOf(listSessions(stateDirectory), wanted, (one) => isSessionTouched(stateDirectory, one));
}

/** `mayBeMeant`: whether the draft counts if the person names none. */
export function oneSessionOf<T extends ListedSession>(
  drafts: readonly T[],
  { session, project }: WantedSession,
  mayBeMeant: (draft: T) => boolean,
): Result<T> {
  if (session === undefined)
    return only(
      drafts.filter((draft) => draft.project === project && mayBeMeant(draft)),
      `SESSION: this project (${project}) has no session with changes`,
    );
  const exact = drafts.filter(({ name }) => name === session);
  const named = exact.length > 0 ? exact : drafts.filter((draft) => draft.session === session);
  const here = named.filter((draft) => draft.project === project);
  return only(here.length > 0 ? here : named, `SESSION: there is no draft of a session ${JSON.stringify(session)}`);
}

function only<T extends ListedSession>(found: readonly T[], none: string): Result<T> {
  const [first] = found;
  if (first === undefined)
    return fail("not_found", `${none}.`, { hint: "`sallyport changes list` shows what there is." });
  if (found.length === 1) return ok(first);
  const rest = found.length - SHOWN;
  return fail("invalid_args", `SESSION: ${found.length} drafts are meant. Name one of them.`, {
    hint: [...found.slice(0, SHOWN).map(({ name }) => name), ...(rest > 0 ? [`and ${rest} more`] : [])].join(", "),
  });
}
