// Asks a person at this terminal for a yes to something that they have just been shown.
// Invariant: no single key says yes, and no input that was typed ahead counts. Without a terminal the answer is no.

import { openKeys } from "./keys.ts";
import { terminalProblem } from "./own-terminal.ts";
import type { Terminal } from "./terminal.ts";

/** `yes` and `no` are what the two answers mean, such as "discard it". */
export interface Confirmation {
  readonly yes: string;
  readonly no: string;
}

/** Why nobody can be asked here. Null if somebody can. */
export function confirmProblem({ streams }: Terminal): string | null {
  return terminalProblem(streams, 1);
}

export async function confirmHere({ yes, no }: Confirmation, { out }: Terminal): Promise<boolean> {
  const keys = openKeys(process.stdin, process.stdout);
  const { signal } = new AbortController();
  const pressed = async (text: string) => {
    await out.line(text);
    keys.drain();
    return await keys.next(signal);
  };
  const key = (name: string) => out.paint(`[${name}]`, "bold");
  try {
    if ((await pressed(`${key("y")} ${yes}   any other key: ${no}`)) !== "y") return false;
    return (await pressed(`${yes}: ${key("Enter")} says yes   any other key: ${no}`)) === "enter";
  } finally {
    keys.close();
  }
}
