// What a scripted working day is: a project, the calls of an agent that works on it, and what a person has to decide of them.

/** What a person should be asked, and would answer if they knew all that the author of the day knows. */
export interface Expected {
  /** Each asked effect, as `effectText` of play-day.ts writes it. A question about anything else is needless, or asks for more than was needed. */
  readonly about: RegExp;
  readonly says: "yes" | "no";
  /** Why only a person can decide this. */
  readonly because: string;
}

export interface Move {
  readonly tool: string;
  /** `commitId` is that of the last `git_stage`. */
  readonly args: (room: DayRoom) => object;
  readonly expected?: Expected;
  /** The exit code; null if any will do. Without it, 0. */
  readonly ends?: number | null;
  /** The refusal that the call must get. */
  readonly refused?: string;
}

export interface DayRoom {
  readonly home: string;
  readonly project: string;
  readonly commitId: string;
  /** The port of the registry that the day began. */
  readonly registryPort: number;
}

export interface Day {
  readonly name: string;
  readonly title: string;
  /** The project, as its first commit has it. */
  readonly files: Readonly<Record<string, string>>;
  /** Commands of the person, before the agent begins. */
  readonly before?: readonly string[];
  /** Whether a package registry runs on this machine. */
  readonly hasRegistry?: boolean;
  readonly moves: readonly Move[];
  /** How often a person has to look at a task of this kind, whatever the gate does. Hosts are not counted. */
  readonly looks: number;
  /** A file of the branch that landed, and what it must hold. */
  readonly landed: { readonly file: string; readonly holds: RegExp };
}

type Script = string | ((room: DayRoom) => string);

export function bash(script: Script, more: Partial<Move> & { readonly needs?: (room: DayRoom) => object } = {}): Move {
  const { needs, ...rest } = more;
  return {
    tool: "Bash",
    args: (room) => ({
      script: typeof script === "string" ? script : script(room),
      ...(needs === undefined ? {} : { needs: needs(room) }),
    }),
    ...rest,
  };
}

export const read = (path: string): Move => ({ tool: "read_file", args: () => ({ path }) });
export const write = (path: string, content: string): Move => ({ tool: "write_file", args: () => ({ path, content }) });
export const edit = (path: string, oldText: string, newText: string): Move => ({
  tool: "edit_file",
  args: () => ({ path, old_text: oldText, new_text: newText }),
});
export const python = (code: string): Move => ({ tool: "Python", args: () => ({ code }) });
export const shell = (command: string): Move => ({ tool: "Shell", args: () => ({ command }) });

const theDiff: Expected = {
  about: /^push the project sallyport\/[a-z-]+$/,
  says: "yes",
  because: "the diff is the work: nobody but a person can say that it may land",
};

/** Commits inside, and asks for the landing. */
export function land(message: string, expected: Expected = theDiff): readonly Move[] {
  return [
    bash(`git add -A && git commit -q -m '${message}' && git status --short`),
    { tool: "git_stage", args: () => ({ commits: "all" }) },
    {
      tool: "git_push",
      args: ({ commitId }) => ({ commitId }),
      expected,
      ...(expected.says === "no" ? { refused: "approval_denied" } : {}),
    },
  ];
}

export const changesWanted: Expected = {
  ...theDiff,
  says: "no",
  because: "the person reads the diff and asks for changes",
};
