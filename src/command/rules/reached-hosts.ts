// What the rules for programs that reach the network share.

import type { CommandLine } from "../words/command-line.ts";
import type { CommandWord } from "../words/command-word.ts";

/** Which host it is, only the run will know. */
export const anyHost: readonly string[] = ["*"];

/** The hosts that words name; an unknown word may name any. */
export function hostsOf(words: readonly CommandWord[], host: (text: string) => string | null): string[] {
  return [...new Set(words.flatMap(({ text }) => (text === null ? anyHost : (host(text) ?? []))))];
}

export function orAnyHost(hosts: readonly string[]): readonly string[] {
  return hosts.length === 0 ? anyHost : hosts;
}

/** The program only prints its version or its help. */
export function asksAboutItself({ args }: CommandLine): boolean {
  return args.length === 1 && /^(?:--version|--help|-V|-h|-v|version|help)$/.test(args[0]?.text ?? "");
}
