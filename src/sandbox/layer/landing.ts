// Lands the changes of a call in the directories that it may change. The only module that writes what a box wrote to a person's disk.
//
// First every new file is copied to a directory of the landing's own, beside the person's files, and every new directory is made there. So
// a disk that is too full refuses before anything has changed. Then the mark `landing` is put beside the journal, and from there on the
// landing is finished, by this gate or by the next one. Without the mark it is undone.
// Invariant: a file is replaced or deleted only if it was just seen to be what the plan saw. It is moved aside by a rename, compared there,
// and only then is the new one put in its place, which fails if something new has appeared.

import {
  type BigIntStats,
  existsSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { DirectoryHandle } from "../../process/directory-handle.ts";
import { moveIfFree, removeFile } from "../../process/move-if-free.ts";
import { readPlainFile } from "../../process/plain-file.ts";
import { errorCode } from "../../shared/error-code.ts";
import { limits } from "../../shared/limits.ts";
import { joinPath } from "../../shared/path.ts";
import { LandingFiles } from "./landing-files.ts";
import { factsOf } from "./landing-plan.ts";
import type { FileFacts, LandingJournal, LandingStep, LeftAlone } from "./landing-step.ts";

const TURN_STEPS = 200;

/** For tests: called before each change of the disk. */
export type LandingWitness = (what: string) => void;

/** `directory`: the call's own, for the journal. Throws errors of the disk; then nothing has landed. */
export async function land(
  directory: string,
  journal: LandingJournal,
  witness: LandingWitness = () => undefined,
): Promise<LeftAlone[]> {
  rmSync(`${directory}/landing`, { force: true }); // of an earlier landing of this call
  witness("journal");
  writeFileSync(`${directory}/journal`, JSON.stringify(journal), { mode: 0o600 });
  const opened = openPlaces(journal);
  try {
    try {
      for (const files of opened) {
        witness("staging");
        files.makeStaging();
        files.openStaging();
      }
      await inTurns(prepareAll(journal, opened, witness));
      witness("mark");
      writeFileSync(`${directory}/landing`, "", { mode: 0o600 });
    } catch (error) {
      for (const files of opened) files.removeStaging();
      throw error;
    }
    return await inTurns(finish(journal, opened, witness));
  } finally {
    for (const files of opened) files.close();
  }
}

/** Finishes or undoes the landing of a gate that was killed. Null if the call was not landing. Until it returns, nobody sees the files. */
export function resumeLanding(
  directory: string,
  witness: LandingWitness = () => undefined,
): "undone" | "finished" | null {
  const text = readPlainFile(`${directory}/journal`, limits.landingJournalBytes)?.toString("utf8");
  const journal = text === undefined ? null : parseJournal(text);
  if (journal === null) return null;
  const opened = openPlaces(journal);
  try {
    if (existsSync(`${directory}/landing`)) {
      const steps = finish(journal, opened, witness);
      while (steps.next().done !== true);
      return "finished";
    }
    for (const files of opened) files.removeStaging();
    return "undone";
  } finally {
    for (const files of opened) files.close();
  }
}

/** Null if it was cut off. Then nothing else of the landing exists. */
function parseJournal(text: string): LandingJournal | null {
  try {
    return JSON.parse(text) as LandingJournal;
  } catch {
    return null;
  }
}

function openPlaces({ places, id }: LandingJournal): LandingFiles[] {
  const opened: LandingFiles[] = [];
  try {
    for (const place of places) opened.push(new LandingFiles(place, id));
    return opened;
  } catch (error) {
    for (const files of opened) files.close();
    throw error;
  }
}

/** The work of a landing, with pauses in which others can go on. */
type Paused<T> = Generator<undefined, T, undefined>;

async function inTurns<T>(work: Paused<T>): Promise<T> {
  for (;;) {
    const next = work.next();
    if (next.done === true) return next.value;
    await nextTurn();
  }
}

function* prepareAll(
  { steps, places }: LandingJournal,
  opened: readonly LandingFiles[],
  witness: LandingWitness,
): Paused<void> {
  const layers = places.map(({ upper }) => new DirectoryHandle(upper));
  try {
    for (const [number, step] of steps.entries()) {
      if (step.op !== "put" && step.op !== "make") continue;
      witness(`prepare ${step.path}`);
      const files = opened[step.place];
      if (step.op === "make") files?.prepareDirectory(step, `${number}-new`);
      else files?.prepare(layers[step.place] as DirectoryHandle, step, `${number}-new`);
      if (number % TURN_STEPS === TURN_STEPS - 1) yield;
    }
  } finally {
    for (const layer of layers) layer.close();
  }
}

/** Every step can be done again: it first looks how far it came. */
function* finish(
  { steps, places }: LandingJournal,
  opened: readonly LandingFiles[],
  witness: LandingWitness,
): Paused<LeftAlone[]> {
  const left: LeftAlone[] = [];
  for (const [number, step] of steps.entries()) {
    const files = opened[step.place];
    if (files === undefined || !files.openStaging()) continue; // this place was finished before the gate was killed
    witness(`${step.op} ${step.path}`);
    const reason = attempt(files, step, number, witness);
    if (reason !== null) left.push({ path: joinPath(places[step.place]?.directory ?? "", step.path), reason });
    if (number % TURN_STEPS === TURN_STEPS - 1) yield;
  }
  for (const files of opened) {
    witness("sweep");
    files.removeStaging();
  }
  return left;
}

/** Null if it is done. If the disk refuses one step, the others are done all the same, because some have been. */
function attempt(files: LandingFiles, step: LandingStep, number: number, witness: LandingWitness): string | null {
  try {
    const done = files.at(step.path, (at) => carryOut(files, at, step, number, witness));
    return done === undefined && step.op !== "remove" ? "its directory was replaced meanwhile" : (done ?? null);
  } catch (error) {
    if (errorCode(error) === "") throw error;
    return `it could not be written (${errorCode(error)})`;
  }
}

function carryOut(
  files: LandingFiles,
  at: string,
  step: LandingStep,
  number: number,
  witness: LandingWitness,
): string | null {
  switch (step.op) {
    case "make":
      return makeDirectory(files.own(`${number}-new`), at, step.mode);
    case "remove":
      return removeDirectory(at);
    case "delete":
      return takeAside(at, files.own(`${number}-old`), step.before, witness);
    case "put":
      return put(files, at, step, number, witness);
  }
}

type PutStep = Extract<LandingStep, { readonly op: "put" }>;

function put(
  files: LandingFiles,
  at: string,
  { before, size }: PutStep,
  number: number,
  witness: LandingWitness,
): string | null {
  const [fresh, old] = [files.own(`${number}-new`), files.own(`${number}-old`)];
  const waiting = statOf(fresh);
  if (waiting !== undefined && statOf(at)?.ino !== waiting.ino) {
    // The machine itself went down before the copy was on its disk.
    if (Number(waiting.size) !== size) return putBack(old, at);
    if (before !== null) {
      const problem = takeAside(at, old, before, witness, true);
      if (problem !== null) return problem;
    }
    witness("put new");
    if (!moveIfFree(fresh, at)) {
      removeFile(old); // somebody else has replaced it
      return "something new is in its place";
    }
  } else removeFile(fresh);
  witness("put done");
  if (before !== null) removeFile(old);
  return null;
}

function putBack(old: string, at: string): string {
  if (statOf(old) !== undefined) moveIfFree(old, at);
  return "only a part of it was kept";
}

/** Moves the file away if it is the expected one. Otherwise it stays, and the result says why. */
function takeAside(at: string, old: string, before: FileFacts, witness: LandingWitness, keeps = false): string | null {
  if (statOf(old) === undefined) {
    if (statOf(at) === undefined) return keeps ? "it was deleted meanwhile" : null;
    witness("aside");
    renameSync(at, old);
  }
  witness("compare");
  if (!isSame(statOf(old), before)) {
    return moveIfFree(old, at)
      ? "it was changed meanwhile"
      : "it was changed twice meanwhile; the other version is kept beside it";
  }
  if (!keeps) removeFile(old);
  return null;
}

function isSame(found: BigIntStats | undefined, { inode, size, modified }: FileFacts): boolean {
  if (found === undefined) return false;
  const facts = factsOf(found);
  return facts.inode === inode && facts.size === size && facts.modified === modified;
}

function makeDirectory(fresh: string, at: string, mode: number): string | null {
  const found = statOf(at);
  if (found === undefined && statOf(fresh) !== undefined) renameSync(fresh, at);
  else if (found === undefined) mkdirSync(at, { mode }); // somebody has removed it since it was put here
  else if (!found.isDirectory()) return "something new is in its place";
  return null;
}

function removeDirectory(at: string): string | null {
  try {
    rmdirSync(at);
    return null;
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR", "EBUSY"].includes(errorCode(error))) throw error;
    return null; // what is left in it was held back, or is somebody else's
  }
}

function statOf(path: string): BigIntStats | undefined {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false });
}
