// Lands what a session has changed in the person's work tree, without a commit, for a person who has seen it.
// Invariant: what was shown is what is written: a file that has changed since is left. Each file is whole at every moment. If the process
// is killed in the middle, the next landing of the session first puts back what was moved aside, and then does the rest.

import { randomBytes } from "node:crypto";
import type { FilePair } from "../git/publish/diff.ts";
import type { PulledFile } from "../git/staged.ts";
import { planWorkTree } from "../git/target/local/work-tree-plan.ts";
import { type KeptFiles, WorkTreeUpdate } from "../git/target/local/work-tree-update.ts";
import { type BegunFile, forgetDraftLanding, noteDraftLanding } from "../sandbox/draft-landing.ts";
import { errorCode } from "../shared/error-code.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { Backend } from "./backend.ts";
import type { DraftLook } from "./draft-look.ts";
import { diskRules, type HerePlan, inWorkTree, type HerePlace, numbersOf } from "./plan-here.ts";

export interface LandedHere {
  readonly files: number;
  /** Paths with conflict marks. */
  readonly conflicts: readonly string[];
  /** Files that stay as the person has them, with the reason. */
  readonly left: ReadonlyMap<string, string>;
}

export interface LandHereOptions {
  /** The person, for the record. */
  readonly who: string;
}

export async function landHere(
  backend: Backend,
  { look, directory }: HerePlace,
  pairs: readonly FilePair[],
  { merged }: HerePlan,
  { who }: LandHereOptions,
): Promise<Result<LandedHere>> {
  const { project, agent, session } = look.record;
  const { changes } = merged;
  const inSession = new Map(pairs.map(({ path, after }) => [path, after]));
  const begun = {
    id: randomBytes(8).toString("hex"),
    files: changes.map(({ path, before, after }) => ({
      path,
      before,
      after: modeAndId(after),
      session: modeAndId(inSession.get(path) ?? null),
    })),
  };
  return await inWorkTree(project, async (handle) => {
    const rules = diskRules(project);
    const plan = await planWorkTree(handle, changes, numbersOf(changes), new Map(), rules);
    const kept: KeptFiles = new Map([...merged.left, ...plan.problems]);
    if (!noteDraftLanding(directory, begun))
      return fail("conflict", "Another process is landing this session.", { hint: "Try again when it has ended." });
    const update = new WorkTreeUpdate(handle, begun.id, rules);
    try {
      await update.prepare(plan.steps);
    } catch (error) {
      update.discard();
      forgetDraftLanding(directory);
      if (errorCode(error) === "") throw error;
      return fail("tool_failed", `The files cannot be written (${errorCode(error)}). Nothing was changed.`, {
        hint: "Check that the disk has room and that the work tree can be written.",
      });
    }
    const outcome = {
      place: project,
      how: "here",
      files: plan.steps.length,
      left: [...kept.keys()].slice(0, 100),
      who,
    };
    backend.journal.append({ event: "session.landed", session, agent, outcome }, { durable: true });
    await update.finish(plan.steps, kept, () => undefined);
    noteAsLanded(
      backend,
      look,
      pairs.filter(({ path }) => !kept.has(path)),
    );
    forgetDraftLanding(directory);
    const written = changes.filter(({ path }) => !kept.has(path));
    const conflicts = written.filter(({ how }) => how === "conflict").map(({ path }) => path);
    return ok({ files: written.length, conflicts, left: kept });
  });
}

function modeAndId(side: { readonly mode: string; readonly id: string } | null): BegunFile["after"] {
  return side === null ? null : { mode: side.mode, id: side.id };
}

/** From now on the session is compared with what landed. */
function noteAsLanded({ staged }: Backend, { session, record }: DraftLook, pairs: readonly FilePair[]): void {
  const { project, base } = record;
  const files: PulledFile[] = [];
  const contents: { hash: string; bytes: Uint8Array }[] = [];
  for (const { path, after } of pairs) {
    if (after === null) continue;
    const mode = after.mode as PulledFile["mode"];
    files.push({ path, mode, contentHash: after.id, size: after.content.length, source: project, commit: base });
    contents.push({ hash: after.id, bytes: after.content });
  }
  const gone = pairs.filter(({ after }) => after === null).map(({ path }) => path);
  staged.notePulled(session, files, gone, contents);
}
