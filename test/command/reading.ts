// What the tests of the effects' reader share: a context, and short forms of what a reading says.

import type { Effect, Word } from "../../src/action/effect.ts";
import type { CommandContext } from "../../src/command/words/command-line.ts";
import { readScript, type ScriptReading } from "../../src/command/script/script.ts";

export const context: CommandContext = {
  cwd: "/w/project",
  home: "/home/me",
  roots: ["/w/project", "/workspace"],
  findProgram: (name) => (name.startsWith("nosuch") ? null : name.includes("/") ? name : `/usr/bin/${name}`),
};

export function reading(script: string, more: Partial<CommandContext> = {}): ScriptReading {
  const read = readScript(script, { ...context, ...more });
  if (!read.ok) throw new Error(read.failure.message);
  return read.value;
}

export function line(words: readonly Word[]): string {
  return words.map((word) => word ?? "…").join(" ");
}

export function commandLines(script: string): string[] {
  return reading(script).commands.map(line);
}

/** Short and in order, so that a table can hold them. */
export function short(effect: Effect): string {
  switch (effect.kind) {
    case "tool":
      return `tool ${effect.tool}`;
    case "run":
      return `run ${line(effect.argv)}`;
    case "read":
    case "write":
      return `${effect.kind} ${effect.path}`;
    case "network":
      return `network ${effect.host}`;
    case "privilege":
    case "interactive":
      return `${effect.kind} ${line(effect.argv)}`;
    case "destroy":
      return `destroy ${effect.what} ${line(effect.argv)}`;
    case "push":
      return `push ${effect.target} ${effect.branch ?? "?"} ${effect.by}`;
    case "pull":
      return `pull ${effect.source}`;
  }
}

export const refusedKinds: ReadonlySet<Effect["kind"]> = new Set(["privilege", "destroy", "interactive", "push"]);

export function risks(script: string): string[] {
  return reading(script)
    .effects.filter(({ kind }) => refusedKinds.has(kind) || kind === "network")
    .map(short);
}
