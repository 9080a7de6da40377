// An effect is one thing that an action may do. Rules match effects, and the policy judges each effect alone.

/** A word of a command line; null if it is known only at run time. It may then become several words, or none. */
export type Word = string | null;

/** `at: "inside"` marks what a started program would do itself, inside the box. Rules judge it, and the box bounds it in any case. */
export type Effect =
  | { readonly kind: "tool"; readonly tool: string }
  | RunEffect
  | { readonly kind: "read"; readonly path: string; readonly at?: "inside" }
  /** `later`: another program, such as an editor or a shell, executes the file later. */
  | { readonly kind: "write"; readonly path: string; readonly at?: "inside"; readonly later?: true }
  /** `*` means the whole network, or a host that the reader of the command could not determine. */
  | { readonly kind: "network"; readonly host: string; readonly at?: "inside" }
  | { readonly kind: "privilege"; readonly argv: readonly Word[] }
  | { readonly kind: "interactive"; readonly argv: readonly Word[] }
  | { readonly kind: "destroy"; readonly what: "files" | "git"; readonly argv: readonly Word[] }
  | PushEffect
  | PullEffect;

export interface RunEffect {
  readonly kind: "run";
  /** The real path; the name as written if no such program was found; null if it is known only at run time. */
  readonly program: string | null;
  readonly argv: readonly Word[];
  /** `start`: the gate itself starts the program. */
  readonly at: "start" | "inside";
}

export interface PushEffect {
  readonly kind: "push";
  /** A real path, a URL or a remote's name. */
  readonly target: string;
  readonly branch: string | null;
  /** `command`: a script runs `git push` itself. Only the git_push tool may push. */
  readonly by: "tool" | "command";
  /** A protected branch: a person decides each time. */
  readonly isProtected?: boolean;
  /** Set if the branch is checked out: the push also changes these files in these directories. */
  readonly lands?: { readonly directories: readonly string[]; readonly files: readonly string[] };
}

export interface PullEffect {
  readonly kind: "pull";
  /** A real path or a URL. */
  readonly source: string;
  /** `here`: a repository on this machine that the grants cover. */
  readonly at?: "here";
  /** A file that may hold a secret. */
  readonly file?: string;
  /** The gate only reads the source, to build a push on it. */
  readonly toPush?: true;
}

/** Stands between a source and one of its files in the name that a rule matches. */
export const fileMark = ": ";

/** The name by which a rule allows the pull. A source that contains the mark is quoted, so that it is not read as a source with a file. */
export function pulledName({ source, file }: PullEffect): string {
  const quoted = source.includes(fileMark) ? JSON.stringify(source) : source;
  return file === undefined ? quoted : `${quoted}${fileMark}${file}`;
}

export type EffectKind = Effect["kind"];

export const effectKinds = [
  "tool",
  "run",
  "read",
  "write",
  "network",
  "privilege",
  "interactive",
  "destroy",
  "push",
  "pull",
] as const satisfies readonly EffectKind[];

/** One line for a message or a log. Pass it through `displayText` before it is shown to a person. */
export function describeEffect(effect: Effect): string {
  switch (effect.kind) {
    case "tool":
      return `use the tool ${effect.tool}`;
    case "run":
      if (effect.at === "inside") return `run ${describeWords(effect.argv)}`;
      return effect.program === null ? "run what nobody can read" : `run ${effect.program}`;
    case "read":
      return `read ${effect.path}`;
    case "write":
      return `write ${effect.path}`;
    case "network":
      return effect.host === "*" ? "reach the network" : `reach ${effect.host}`;
    case "privilege":
      return `gain privileges with ${describeWords(effect.argv)}`;
    case "interactive":
      return `talk to a person with ${describeWords(effect.argv)}`;
    case "destroy":
      return `destroy ${effect.what === "git" ? "git's work" : "files"} with ${describeWords(effect.argv)}`;
    case "push":
      return `push to ${effect.target}${effect.branch === null ? "" : `, branch ${effect.branch}`}`;
    case "pull":
      return effect.toPush === true ? `look at ${effect.source}, to push to it` : `pull from ${pulledName(effect)}`;
  }
}

function describeWords(words: readonly Word[]): string {
  return words.map((word) => word ?? "…").join(" ");
}
