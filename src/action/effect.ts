// Effects: the vocabulary in which an action says what it may do. Rules match effects; each is judged alone.

/** A word of a command line; null where only the run itself will know it (it may then be several words, or none). */
export type Word = string | null;

/** `inside`, throughout: what a started program would do in turn. Rules are about it; the box bounds it anyway. */
export type Effect =
  | { readonly kind: "tool"; readonly tool: string }
  | RunEffect
  | { readonly kind: "read"; readonly path: string; readonly at?: "inside" }
  /** `later`: others execute it later, such as an editor or a shell. */
  | { readonly kind: "write"; readonly path: string; readonly at?: "inside"; readonly later?: true }
  /** `*`: the whole network, or a host that cannot be told. */
  | { readonly kind: "network"; readonly host: string; readonly at?: "inside" }
  | { readonly kind: "privilege"; readonly argv: readonly Word[] }
  | { readonly kind: "interactive"; readonly argv: readonly Word[] }
  | { readonly kind: "destroy"; readonly what: "files" | "git"; readonly argv: readonly Word[] }
  | PushEffect
  | PullEffect;

export interface RunEffect {
  readonly kind: "run";
  /** The real path; or the name as written, where no such program was found; or null, where nobody can know. */
  readonly program: string | null;
  readonly argv: readonly Word[];
  /** `start`: the gate starts it. */
  readonly at: "start" | "inside";
}

export interface PushEffect {
  readonly kind: "push";
  /** A real path, a URL or a remote's name. */
  readonly target: string;
  readonly branch: string | null;
  /** `command`: a script's own `git push`, which is not the way out. */
  readonly by: "tool" | "command";
  /** A branch that others build on: a person decides each time. */
  readonly isProtected?: boolean;
  /** The branch is checked out: these files change in these directories, too. */
  readonly lands?: { readonly directories: readonly string[]; readonly files: readonly string[] };
}

export interface PullEffect {
  readonly kind: "pull";
  /** A real path or a URL. */
  readonly source: string;
  /** `here`: a repository of this machine that the grants cover. */
  readonly at?: "here";
  /** One that may hold a secret. */
  readonly file?: string;
  /** It is only looked at, so that a push can be built on it. */
  readonly toPush?: true;
}

/** Between a place and a file of it. */
export const fileMark = ": ";

/** The name by which a rule allows it. A place whose own name has the mark is quoted: it is no other place with a file. */
export function pulledName({ source, file }: PullEffect): string {
  const place = source.includes(fileMark) ? JSON.stringify(source) : source;
  return file === undefined ? place : `${place}${fileMark}${file}`;
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

/** One line for a message or a log; not for a person's screen until it went through `displayText`. */
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
