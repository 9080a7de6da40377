// `sallyport changes export`: what a session has changed, as a file.
// Invariant: raw bytes never go to a terminal, and no file is overwritten.

import { resolve } from "node:path";
import { writeNewFile } from "../../process/new-file.ts";
import { exportBundle, exportPatch } from "../../runtime/export-session.ts";
import { displayText } from "../../shared/display.ts";
import { failure } from "../../shared/failure.ts";
import { errorCode } from "../../shared/error-code.ts";
import { exitCode } from "../exit-code.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { UsageError } from "../usage-error.ts";
import {
  type ChangesFlags,
  printRefusal,
  valueOrRefusal,
  withDraft,
  withLook,
  withSession,
} from "./changes-backend.ts";

export interface ChangesExportFlags extends ChangesFlags {
  readonly patch?: string;
  readonly bundle?: string;
}

export async function changesExportCommand(
  session: string | undefined,
  paths: readonly string[],
  { patch, bundle, ...flags }: ChangesExportFlags,
  terminal: Terminal,
): Promise<number> {
  if (patch !== undefined && bundle !== undefined)
    throw new UsageError("export: a patch or a bundle", "Leave --patch or --bundle out.");
  if (bundle !== undefined && paths.length > 0)
    throw new UsageError("export: a bundle has whole commits", "Leave PATH out, or export a patch.");
  const file = bundle ?? patch ?? "-";
  if (file === "-" && terminal.out.isTerminal)
    throw new UsageError("export: standard output is a terminal", "Name a file: --patch FILE, or > FILE.");
  return await withSession(session, flags, terminal, async (found) => {
    if (bundle === undefined)
      return await withLook(found, terminal, async (look) => {
        const bytes = await valueOrRefusal(await exportPatch(look, paths), terminal);
        return bytes === null ? exitCode.refused : await put(bytes, file, terminal);
      });
    return await withDraft(found, terminal, async ({ look }) => {
      const made = await valueOrRefusal(await exportBundle(look), terminal);
      if (made === null) return exitCode.refused;
      const what = made.commits === 1 ? "1 commit" : `${made.commits} commits`;
      await terminal.err.line(`It has ${what} made inside. What is not committed there is only in a patch.`);
      return await put(made.bytes, file, terminal);
    });
  });
}

async function put(bytes: Uint8Array, file: string, terminal: Terminal): Promise<number> {
  if (file === "-") {
    await terminal.out.write(bytes);
    return exitCode.ok;
  }
  const path = resolve(file);
  try {
    writeNewFile(path, bytes);
  } catch (error) {
    const code = errorCode(error);
    if (code === "") throw error;
    const why = code === "EEXIST" ? "is there already" : `cannot be written (${code})`;
    const hint = "Name a new file, or - for standard output.";
    return await printRefusal(failure("conflict", `${path} ${why}.`, { hint }), terminal);
  }
  await terminal.err.line(`${displayText(path)}: ${bytes.length} bytes`);
  return exitCode.ok;
}
