// `sallyport changes land`: puts what a session has changed into the project, after the person has seen it.

import type { Question } from "../../approval/approver.ts";
import type { FilePair } from "../../git/publish/diff.ts";
import type { Backend } from "../../runtime/backend.ts";
import type { ShownConflict } from "../../git/publish/push/shown-conflict.ts";
import { knownPlace, landOnBranch, sessionMessage } from "../../runtime/land-on-branch.ts";
import { landHere, type LandedHere } from "../../runtime/land-here.ts";
import { type HerePlace, type HerePlan, planHere } from "../../runtime/plan-here.ts";
import { sessionBranch } from "../../runtime/session.ts";
import { shownDiff } from "../../runtime/session-diff.ts";
import type { SessionLook } from "../../runtime/look-session.ts";
import { displayText } from "../../shared/display.ts";
import { ok, type Result } from "../../shared/result.ts";
import { quoteName } from "../../shared/odd-name.ts";
import { exitCode } from "../exit-code.ts";
import { loadFromFlags } from "../open-gate.ts";
import type { Screen, Terminal } from "../terminal/terminal.ts";
import { UsageError } from "../usage-error.ts";
import {
  type ChangesFlags,
  type FoundSession,
  printRefusal,
  valueOrRefusal,
  withDraft,
  withLook,
  withSession,
} from "./changes-backend.ts";
import { showDiff } from "./changes-diff.ts";
import { needPerson, personSays, personWith, type YesFlag } from "./person-says.ts";

export interface ChangesLandFlags extends ChangesFlags, YesFlag {
  readonly here?: boolean;
  readonly commits?: boolean;
  readonly branch?: string;
  readonly message?: string;
}

export async function changesLandCommand(
  session: string | undefined,
  paths: readonly string[],
  flags: ChangesLandFlags,
  terminal: Terminal,
): Promise<number> {
  if (flags.here === true && (flags.branch !== undefined || flags.message !== undefined))
    throw new UsageError("land: --here makes no commit", "Leave --branch and --message out, or leave --here out.");
  if (flags.commits === true && (flags.here === true || paths.length > 0))
    throw new UsageError("land: --commits lands whole commits", "Leave --here and paths out, or leave --commits out.");
  needPerson("land", flags, terminal);
  return await withSession(session, flags, terminal, (found) =>
    flags.here === true
      ? withDraft(found, terminal, (place) => landInFiles(found.backend, place, paths, flags, terminal))
      : withLook(found, terminal, async (look) => {
          const pairs = await valueOrRefusal(await readPairs(look, paths), terminal);
          if (pairs === null) return exitCode.refused;
          if (pairs.length === 0) return await nothingDiffers(terminal);
          return await landAsCommit(found, pairs, flags, terminal);
        }),
  );
}

async function readPairs(look: SessionLook, paths: readonly string[]): Promise<Result<readonly FilePair[]>> {
  const changed = await look.pairs(paths);
  return changed.ok ? ok(changed.value.pairs) : changed;
}

async function nothingDiffers({ out }: Terminal): Promise<number> {
  await out.line("Nothing differs.");
  return exitCode.ok;
}

async function landInFiles(
  backend: Backend,
  place: HerePlace,
  paths: readonly string[],
  flags: ChangesLandFlags,
  terminal: Terminal,
): Promise<number> {
  const { out } = terminal;
  const plan = await valueOrRefusal(await planHere(place, () => readPairs(place.look, paths)), terminal);
  if (plan === null) return exitCode.refused;
  if (plan.session.length === 0) return await nothingDiffers(terminal);
  await showDiff(await shownDiff(plan.pairs), out);
  await showMerge(plan, out);
  if (plan.merged.changes.length + plan.merged.same.length === 0) {
    await out.line("Nothing can land.");
    return exitCode.refused;
  }
  const who = await personSays({ yes: "write this into the project", no: "leave it" }, flags, terminal);
  if (who === null) return exitCode.refused;
  const landed = await landHere(backend, place, plan.session, plan, { who });
  if (!landed.ok) return await printRefusal(landed.failure, terminal);
  await printLanded(landed.value, out);
  return landed.value.conflicts.length + landed.value.left.size === 0 ? exitCode.ok : exitCode.refused;
}

async function landAsCommit(
  { backend, listed }: FoundSession,
  pairs: readonly FilePair[],
  flags: ChangesLandFlags,
  terminal: Terminal,
): Promise<number> {
  const { out } = terminal;
  const decide = async (question: Question): Promise<boolean> => {
    await out.line(question.text);
    const { diff = [] } = question;
    await showDiff({ diff, warnings: [], bytesAfter: (file) => backend.answerService.bytesAfter(question, file) }, out);
    const what = (question.action.push?.commits?.length ?? 1) === 1 ? "this commit" : "these commits";
    return (await personSays({ yes: `land ${what}`, no: "leave it" }, flags, terminal)) !== null;
  };
  const place = knownPlace(backend, listed) ?? backend.config.project;
  // What was pulled into memory may come from another project than this one. The grants are those for that project.
  const config =
    listed.project === null
      ? loadFromFlags({ ...flags, project: place, workspace: "memory" }, terminal.environment)
      : backend.config;
  let conflict: ShownConflict | null = null;
  const landed = await landOnBranch({ ...backend, config }, listed, {
    stage:
      flags.commits === true
        ? { commits: "all", ...(flags.message === undefined ? {} : { message: flags.message }) }
        : { files: pairs.map(({ path }) => path), message: flags.message ?? sessionMessage(listed.session) },
    branch: flags.branch ?? sessionBranch(listed.session),
    place,
    who: personWith(flags),
    decide,
    onConflict: (found) => (conflict = found),
  });
  if (!landed.ok && conflict !== null) await printConflict(conflict, out);
  if (!landed.ok) return await printRefusal(landed.failure, terminal);
  const { files, branch, commit, commits, place: where, notes } = landed.value;
  const what = `${commits === 1 ? "" : `${commits} commits, `}${files === 1 ? "1 file" : `${files} files`}`;
  await out.line(`${what} landed as ${commit.slice(0, 12)} on ${displayText(branch)} of ${displayText(where)}.`);
  for (const note of notes) await out.line(displayText(note));
  return exitCode.ok;
}

async function showMerge({ merged }: HerePlan, out: Screen): Promise<void> {
  const { changes, left } = merged;
  const paths = (how: "merged" | "conflict") => changes.filter((one) => one.how === how).map(({ path }) => path);
  for (const path of paths("merged")) await out.line(`merged with your changes: ${quoteName(path)}`);
  for (const path of paths("conflict"))
    await out.line(`${out.paint("CONFLICT", "red", "bold")} with your changes, to be marked: ${quoteName(path)}`);
  await printLeft(left, out);
}

async function printConflict({ commit, files }: ShownConflict, out: Screen): Promise<void> {
  for (const { path, reason, sides } of files) {
    await out.line(`${out.paint("CONFLICT", "red", "bold")} ${quoteName(path)}, ${displayText(commit)}: ${reason}`);
    if (sides === "") continue;
    await out.line("- as the target has it, + as the commit has it");
    await out.line(displayText(sides.trimEnd(), { multiline: true }));
  }
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
