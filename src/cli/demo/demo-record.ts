// The end of the tour: prints and verifies the record of its calls, then edits the log and shows that verification finds the edit.

import type { Gate } from "../../runtime/session-gate.ts";
import { displayText } from "../../shared/display.ts";
import { bareOwnCommand } from "../../shared/own-command.ts";
import { LocalStore } from "../../runtime/local-store.ts";
import type { TempDirectory } from "../../store/temp-directory.ts";
import { listLines } from "../audit/audit-list.ts";
import { greeting } from "./demo-steps.ts";
import { type DemoContext, showTitle } from "./demo-title.ts";

/** True if verification found the edit, at the entry that was edited. */
export async function showRecord(
  number: string,
  directory: TempDirectory,
  gate: Gate,
  { screen, pause }: DemoContext,
): Promise<boolean> {
  await showTitle(number, "Everything was written down, before it took effect.", screen);
  const newest = [...gate.journal.list({ limit: 4 })];
  for (const line of listLines(newest, {}, screen, bareOwnCommand)) await screen.line(`   ${line}`);
  const before = gate.journal.verify();
  await screen.line(`   ${screen.paint(`verify: in order, ${before.entries} entries`, before.ok ? "green" : "red")}`);
  await pause();

  await showTitle(
    String(Number(number) + 1),
    "Now someone edits the log on disk, to hide what the first call said.",
    screen,
  );
  const changed = [...gate.journal.entries()].find(({ args }) => JSON.stringify(args).includes(greeting));
  gate.close(); // closing the last connection leaves the whole log in one file
  directory.overwrite("state/journal.sqlite", greeting, "Nothing to see here, sir.");
  const store = new LocalStore(gate.config);
  try {
    const after = await store.record.verify();
    await screen.line(
      `   ${screen.paint(`verify: ${after.ok ? "in order" : `NOT in order: ${displayText(after.reason ?? "")}`}`, after.ok ? "red" : "green")}`,
    );
    await screen.line(
      "   Each entry is sealed with a key that lies outside the log's directory, and out of every agent's reach.",
    );
    return before.ok && !after.ok && after.first_bad === changed?.seq;
  } finally {
    await store.close();
  }
}
