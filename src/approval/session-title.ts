// A readable name for a session that has a random one: who works in it, on what, and the beginning of its own name.
// Invariant: it is for display alone. Two sessions may have the same, and nothing is looked up by it.

/** The names that the gate and the MCP server give to sessions that nobody has named. The group is what tells two of them apart. */
const random = /^(?:s-|default-|http:(?:[^:]+:)?~)([0-9a-f]{6})[0-9a-f-]{2,30}$/;
const CLIENT_CHARACTERS = 40;
const PROJECT_CHARACTERS = 60;

export interface TitledSession {
  readonly session: string;
  readonly agent: string;
  readonly project: string;
  /** What the program that calls says it is: a name, and often a version. */
  readonly claimedBy?: string | undefined;
}

/** Such as `claude-code shop 3f54ee`. Undefined if the session has a name that somebody chose. */
export function sessionTitle({ session, agent, project, claimedBy = agent }: TitledSession): string | undefined {
  const id = random.exec(session)?.[1];
  if (id === undefined) return undefined;
  const who = claimedBy.replace(/ v?\d\S*$/, "").slice(0, CLIENT_CHARACTERS);
  const what = project.slice(project.lastIndexOf("/") + 1).slice(0, PROJECT_CHARACTERS);
  return [who, what, id].filter((part) => part !== "").join(" ");
}
