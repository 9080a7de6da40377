// What `sallyport run` knows about an agent: data, and nothing that decides. profiles.ts has those that are known.

import { basename } from "node:path";

export interface AgentProfile {
  /** As its makers call it. */
  readonly title: string;
  /** The names that it is started by. */
  readonly programs: readonly string[];
  /** The package of npm that brings it. */
  readonly package: string;
  /** Switches off its own sandbox, its questions, its updates and its reports: the box and the gate stand in for them. */
  readonly environment: Readonly<Record<string, string>>;
  /** Words before those of the person. */
  readonly options: readonly AgentOption[];
  /** Matches words of the person that switch its own sandbox on, which cannot start in the box. */
  readonly ownSandbox?: RegExp;
  /** Files of its home that are written if they are missing. */
  readonly settings: (place: SettingsPlace) => readonly SettingsFile[];
  /** Models that it can ask. */
  readonly models: readonly ModelHost[];
}

export interface AgentOption {
  readonly words: readonly string[];
  /** If the person writes one of these, it is left out. */
  readonly unless: readonly string[];
}

export interface SettingsPlace {
  readonly project: string;
  readonly placeholder: string;
  /** Where the gate serves MCP in the box; null if it does not. */
  readonly mcp: string | null;
}

export interface SettingsFile {
  /** Below the home. */
  readonly path: string;
  readonly content: string;
}

export interface ModelHost {
  readonly host: string;
  /** Globs over the paths of the model's interface. Nothing else gets the key. */
  readonly paths: readonly string[];
  /** The variable by which the person names another address, as https://host/path; null: the agent reads none. */
  readonly addressVariable: string | null;
  /** In the order in which the agent looks for them. The first one that the person has counts. */
  readonly keys: readonly ModelKey[];
  /** Words that make the agent use this host and its key. */
  readonly options?: (address: string, variable: string) => readonly string[];
}

/** A key lies in this variable of the person, and goes out in this header. The box has a placeholder in the same variable. */
export interface ModelKey {
  readonly variable: string;
  readonly header: string;
  readonly scheme: string;
}

export function profileFor(program: string, profiles: readonly AgentProfile[]): AgentProfile | null {
  const name = basename(program);
  return profiles.find(({ programs }) => programs.includes(name)) ?? null;
}

/** The words that the agent is started with: those of its profile, then the person's. */
export function wordsFor({ options }: AgentProfile, more: readonly string[], own: readonly string[]): string[] {
  const added = options.filter(({ unless }) => !own.some((word) => unless.includes(word.replace(/=.*$/s, ""))));
  return [...added.flatMap(({ words }) => words), ...more, ...own];
}
