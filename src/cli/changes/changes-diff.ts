// `sallyport changes diff`: what a session has changed.
// Invariant: raw bytes go only into a pipe or a file. On a terminal all output is made safe to display.

import type { DiffFile } from "../../action/diff-file.ts";
import { safeJson } from "../../audit/entry.ts";
import { renderDiff, renderDiffStat } from "../../git/publish/diff-text.ts";
import { type SessionDiff, sessionDiff } from "../../runtime/session-diff.ts";
import { displayText } from "../../shared/display.ts";
import type { Json } from "../../shared/json.ts";
import { exitCode } from "../exit-code.ts";
import { diffFileJson } from "../review/review-diff.ts";
import { type BytesAfter, fileEntries } from "../review/review-files.ts";
import { allLines } from "../terminal/diff-view.ts";
import type { Screen, Terminal } from "../terminal/terminal.ts";
import { viewStyleOf } from "../terminal/view-style.ts";
import { type ChangesFlags, valueOrRefusal, withLook, withSession } from "./changes-backend.ts";

export interface ChangesDiffFlags extends ChangesFlags {
  readonly stat?: boolean;
}

export async function changesDiffCommand(
  session: string | undefined,
  paths: readonly string[],
  flags: ChangesDiffFlags,
  terminal: Terminal,
): Promise<number> {
  const { out } = terminal;
  return await withSession(session, flags, terminal, (found) =>
    withLook(found, terminal, async (look) => {
      const made = await valueOrRefusal(await sessionDiff(look, paths), terminal);
      if (made === null) return exitCode.refused;
      if (flags.json === true) await out.line(safeJson(diffJson(found.listed.session, made)));
      else if (flags.stat === true) await printStat(made, out);
      else if (out.isTerminal) await showDiff(made, out);
      else await out.write(renderDiff(made.diff));
      return exitCode.ok;
    }),
  );
}

function diffJson(session: string, { diff, warnings }: SessionDiff): Json {
  return { session, files: diff.map(diffFileJson), warnings: [...warnings] };
}

async function printStat({ diff, warnings }: SessionDiff, out: Screen): Promise<void> {
  const lines = renderDiffStat(diff, diff.length).split("\n").slice(0, -1);
  for (const line of lines.length === 0 ? ["Nothing differs."] : lines) await out.line(displayText(line));
  for (const line of warnings) await out.line(`${out.paint("WARNING", "red", "bold")} ${displayText(line)}`);
}

export interface ShownDiff {
  readonly diff: readonly DiffFile[];
  readonly warnings: readonly string[];
  readonly bytesAfter: BytesAfter;
}

/** Each file whole, and the warnings. */
export async function showDiff({ diff, warnings, bytesAfter }: ShownDiff, out: Screen): Promise<void> {
  if (diff.length === 0) return await out.line("Nothing differs.");
  for (const entry of fileEntries([], diff, bytesAfter)) {
    for (const line of allLines(entry.rows(), viewStyleOf(out, process.stdout))) await out.line(line);
    await out.line();
  }
  for (const line of warnings) await out.line(`${out.paint("WARNING", "red", "bold")} ${displayText(line)}`);
}
