// The yes of the person to something that `sallyport changes` is about to do: typed at this terminal, or given with --yes.

import { confirmHere, type Confirmation, confirmProblem } from "../terminal/confirm.ts";
import { personHere, userName } from "../terminal/own-terminal.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { UsageError } from "../usage-error.ts";

export interface YesFlag {
  readonly yes?: boolean;
}

/** Throws before anything is shown if nobody could say yes. */
export function needPerson(what: string, { yes }: YesFlag, terminal: Terminal): void {
  const problem = yes === true ? null : confirmProblem(terminal);
  if (problem !== null) throw new UsageError(`${what} asks first: ${problem}`, "--yes says yes without being asked.");
}

/** Who decides, for the record. */
export function personWith({ yes }: YesFlag): string {
  return yes === true ? `${userName()} with --yes` : personHere();
}

/** Who said yes, for the record; null if they said no. */
export async function personSays(
  confirmation: Confirmation,
  flags: YesFlag,
  terminal: Terminal,
): Promise<string | null> {
  if (flags.yes === true || (await confirmHere(confirmation, terminal))) return personWith(flags);
  await terminal.out.line("Nothing was changed.");
  return null;
}
