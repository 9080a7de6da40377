// `sallyport changes land`: puts what a session has changed into the project, after the person has seen it.

import { type HerePlan, landHere, type LandedHere, planHere } from "../../runtime/land-here.ts";
import { shownDiff } from "../../runtime/session-diff.ts";
import { displayText } from "../../shared/display.ts";
import { quoteName } from "../../shared/odd-name.ts";
import { exitCode } from "../exit-code.ts";
import type { Screen, Terminal } from "../terminal/terminal.ts";
import { UsageError } from "../usage-error.ts";
import { type ChangesFlags, printRefusal, valueOrRefusal, withDraft, withLook } from "./changes-backend.ts";
import { showDiff } from "./changes-diff.ts";
import { needPerson, personSays, type YesFlag } from "./person-says.ts";

export interface ChangesLandFlags extends ChangesFlags, YesFlag {
  readonly here?: boolean;
}

export async function changesLandCommand(
  session: string | undefined,
  paths: readonly string[],
  flags: ChangesLandFlags,
  terminal: Terminal,
): Promise<number> {
  if (flags.here !== true) throw new UsageError("land: --here is missing", "It says where the changes land.");
  needPerson("land", flags, terminal);
  const { out } = terminal;
  return await withDraft(session, flags, terminal, (found) =>
    withLook(found, terminal, async (look) => {
      const place = { look, directory: found.directory };
      const changed = await valueOrRefusal(await look.pairs(paths), terminal);
      const plan = changed === null ? null : await valueOrRefusal(await planHere(place, changed.pairs), terminal);
      if (changed === null || plan === null) return exitCode.refused;
      await showDiff(shownDiff(plan.pairs), out);
      await showMerge(plan, out);
      if (plan.merged.changes.length + plan.merged.same.length === 0) {
        await out.line("Nothing can land.");
        return plan.merged.left.size === 0 ? exitCode.ok : exitCode.refused;
      }
      const who = await personSays({ yes: "write this into the project", no: "leave it" }, flags, terminal);
      if (who === null) return exitCode.refused;
      const landed = await landHere(found.backend, place, changed.pairs, plan, { who });
      if (!landed.ok) return await printRefusal(landed.failure, terminal);
      await printLanded(landed.value, out);
      return landed.value.conflicts.length + landed.value.left.size === 0 ? exitCode.ok : exitCode.refused;
    }),
  );
}

async function showMerge({ merged }: HerePlan, out: Screen): Promise<void> {
  const { changes, left } = merged;
  const paths = (how: "merged" | "conflict") => changes.filter((one) => one.how === how).map(({ path }) => path);
  for (const path of paths("merged")) await out.line(`merged with your changes: ${quoteName(path)}`);
  for (const path of paths("conflict"))
    await out.line(`${out.paint("CONFLICT", "red", "bold")} with your changes, to be marked: ${quoteName(path)}`);
  await printLeft(left, out);
}

async function printLeft(left: ReadonlyMap<string, string>, out: Screen): Promise<void> {
  for (const [path, why] of left)
    await out.line(`${out.paint("LEFT as it is", "yellow", "bold")} ${quoteName(path)}: ${displayText(why)}`);
}

async function printLanded({ files, conflicts, left }: LandedHere, out: Screen): Promise<void> {
  await out.line(`${files === 1 ? "1 file was" : `${files} files were`} changed in the project. Nothing is committed.`);
  for (const path of conflicts) await out.line(`${out.paint("CONFLICT", "red", "bold")} ${quoteName(path)}`);
  await printLeft(left, out);
}
