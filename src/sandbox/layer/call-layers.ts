// The layers of one call: what it may change of the machine, it changes there. When the call has ended, the layers land.
// Invariant: if the call did not end by itself, or somebody else changed one of its files meanwhile, nothing lands and the layers are kept.

import { chmodSync, lstatSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import type { LateFile, View } from "../../action/action.ts";
import { Grant } from "../../approval/grant.ts";
import { errorCode } from "../../shared/error-code.ts";
import { limits } from "../../shared/limits.ts";
import { joinPath } from "../../shared/path.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import { keepsTimes } from "../file-system-kind.ts";
import { keepHeldBack } from "./keep-held-back.ts";
import { land } from "./landing.ts";
import { HostTree } from "./host-tree.ts";
import {
  type ChangedPlace,
  emptyLandingPlan,
  type HeldBack,
  type LandingPlan,
  LandingPlanner,
  TooManyChanges,
} from "./landing-plan.ts";
import { landingRules } from "./landing-rules.ts";
import { lateEntries, readLateFiles } from "./late-files.ts";
import type { LandingPlace, LandingStep } from "./landing-step.ts";
import type { LayerEntry } from "./layer-changes.ts";
import { renamedFiles } from "./renamed-files.ts";
import { entriesOf, type Layer, makeLayer, placeOf } from "./layer.ts";
import { hasContent, type LayerDirectory, type LayerHome } from "./layer-home.ts";
import { type LayerRoot, layerRoots } from "./layer-roots.ts";
import { inTurn } from "./landing-turn.ts";
import { stagingDirectory } from "./staging-directory.ts";

/** A file or link of the host that the call changed. */
export interface LandedEntry {
  readonly path: string;
  readonly operation: "create" | "update" | "delete";
  readonly size: number;
}

export interface LandedLayers {
  readonly files: readonly LandedEntry[];
  readonly heldBack: readonly HeldBack[];
}

export interface LayerParts {
  readonly home: LayerHome;
  /** The path of native/keeper. */
  readonly keeper: string;
  /** See `LandingRules`. */
  targets(directories: readonly string[]): readonly string[];
}

/** Null if the call may change nothing of the machine. */
export function openCallLayers(view: View, parts: LayerParts): Result<CallLayers | null> {
  const roots = layerRoots(view);
  if (roots.length === 0) return ok(null);
  if (parts.home.path === null || roots.length > limits.layerCount)
    return fail("sandbox_unavailable", "No layer can be mounted for what this call may change.", {
      hint: "The state directory must be on a disk that is not itself an overlay, or /dev/shm must be in memory.",
    });
  const other = roots.find(({ path }) => !keepsTimes(path));
  if (other !== undefined)
    return fail(
      "sandbox_unavailable",
      `${other.path} is on a file system of which nobody can tell when a file changed.`,
      {
        hint: "Grant it with mode r, or use a path on a disk of this machine.",
      },
    );
  try {
    return ok(new CallLayers(view, roots, parts));
  } catch (error) {
    if (errorCode(error) === "") throw error;
    return fail("changed", `What this call may change was replaced, or cannot be read (${errorCode(error)}).`, {
      hint: "Call again: it will be judged anew.",
    });
  }
}

export class CallLayers {
  readonly layers: readonly Layer[];
  readonly #view: View;
  readonly #parts: LayerParts;
  readonly #directory: LayerDirectory;
  /** By the clock that the kernel uses for file times. */
  readonly #begunNs: bigint;
  /** By layer. What landed first may have been the old name of a file that lands late. */
  readonly #renamed = new Map<number, ReadonlySet<string>>();
  #isOpen = true;
  #hasLanded = false;

  constructor(view: View, roots: readonly LayerRoot[], parts: LayerParts) {
    this.#view = view;
    this.#parts = parts;
    this.#directory = parts.home.make();
    this.#begunNs = changeTimeOf(this.#directory.path);
    try {
      this.layers = roots.map((root, index) => makeLayer(root, `${this.#directory.path}/${index}`));
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /**
   * Resolves when a change of a file gets a later time than the call's beginning. The clock for file times stands still for up to one tick.
   * A program that starts after this has seen every change that does not have a later time.
   */
  async settled(): Promise<void> {
    for (let waited = 0; waited < limits.fileTimeTickMs; waited += 1) {
      chmodSync(this.#directory.path, 0o700);
      if (changeTimeOf(this.#directory.path) > this.#begunNs) return;
      await wait(1);
    }
  }

  /**
   * `mostBytes`: the size of all files that may land. Null if nobody wants it any more when its turn has come: `signal` says so. From then
   * on the landing is completed.
   */
  async land(mostBytes: number, signal?: AbortSignal): Promise<Result<LandedLayers> | null> {
    return await this.#inTurn(async () => {
      if (signal?.aborted === true) return null;
      const planned = this.#plan(null);
      if (!planned.ok) return planned;
      const { conflicts, bytes } = planned.value;
      if (conflicts.length > 0) return this.#refuseConflict(conflicts);
      if (bytes > mostBytes)
        return this.#refuse(
          `what the call wrote has ${bytes} bytes, and ${mostBytes} may land`,
          "limits.disk_mb says how much.",
        );
      return await this.#landPlan(planned.value);
    });
  }

  /** After `land`: the files of what was held back that a person can still allow, as they are in the layers. */
  lateFiles(held: readonly HeldBack[]): Result<LateFile[]> {
    const planned = this.#planLate(held);
    return planned.ok ? this.#lateFiles(planned.value) : planned;
  }

  /** Lands those files. `grant`: the yes to exactly these bytes. */
  async landLate(held: readonly HeldBack[], grant: Grant, signal?: AbortSignal): Promise<Result<LandedLayers>> {
    // SECURITY(T02, T08): checks the grant at run time, because the type accepts any object of the same shape.
    if (!Grant.isGrant(grant)) throw new TypeError("this landing was not granted");
    return await this.#inTurn(async () => {
      if (signal?.aborted === true) return fail("tool_failed", "The caller cancelled.");
      const planned = this.#planLate(held);
      if (!planned.ok) return planned;
      const files = this.#lateFiles(planned.value);
      if (!files.ok) return files;
      if (JSON.stringify(files.value) !== JSON.stringify(grant.action.operation?.late))
        return fail("changed", "What would land is not what was allowed.");
      return await this.#landPlan(planned.value);
    });
  }

  /** Keeps for a day what was held back, and says where. Nothing can land after this. */
  keepHeldBack(heldBack: readonly HeldBack[]): HeldBack[] {
    const kept = keepHeldBack(this.#parts.home, this.layers, heldBack);
    return heldBack.map((one) =>
      kept === null ? one : { ...one, reason: `${one.reason}; kept for a day in ${kept}` },
    );
  }

  /** Keeps the layers for a day. Null if nothing was written to them. */
  keep(): string | null {
    if (!this.#isOpen || !hasContent(this.#directory.path)) return null;
    this.#isOpen = false;
    return this.#parts.home.keep(this.#directory);
  }

  /** Removes the layers, unless they are kept. */
  close(): void {
    if (this.#isOpen) this.#parts.home.remove(this.#directory, this.#hasLanded);
    this.#isOpen = false;
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const changed = this.layers.filter((layer) => entriesOf(layer).length > 0);
    if (changed.length === 0) return await work();
    return await inTurn(this.#parts.keeper, [...new Set(changed.map((layer) => placeOf(layer).directory))], work);
  }

  async #landPlan({ steps: planned, heldBack }: LandingPlan): Promise<Result<LandedLayers>> {
    try {
      const { path, id } = this.#directory;
      const { places, steps } = this.#placed(planned);
      this.#hasLanded ||= steps.length > 0;
      const left = steps.length === 0 ? [] : await land(path, { id, places, steps });
      const skipped = new Set(left.map(({ path }) => path));
      const files = steps.flatMap((step) => landedFile(step, places)).filter(({ path }) => !skipped.has(path));
      return ok({ files, heldBack: [...heldBack, ...left.map((one) => ({ ...one, part: null }))] });
    } catch (error) {
      if (errorCode(error) === "") throw error;
      return this.#refuse(`what the call wrote could not be written (${errorCode(error)})`);
    }
  }

  #planLate(held: readonly HeldBack[]): Result<LandingPlan> {
    const planned = this.#plan(held);
    if (!planned.ok || planned.value.conflicts.length === 0) return planned;
    return fail("conflict", `Somebody else changed ${planned.value.conflicts.join(", ")} meanwhile.`);
  }

  #lateFiles({ steps }: LandingPlan): Result<LateFile[]> {
    return readLateFiles(steps, (index) => placeOf(this.layers[index] as Layer));
  }

  /** `late`: plans only what a person can allow of what was held back, as if they had. Null: everything else. */
  #plan(late: readonly HeldBack[] | null): Result<LandingPlan> {
    const directories = this.layers.flatMap(({ root }) => (root.kind === "directory" ? [root.path] : []));
    const opens = [...(this.#view.opens ?? []), ...(late ?? []).flatMap(({ part }) => part ?? [])];
    const rules = landingRules(this.#view, opens, () => this.#parts.targets(directories));
    const plan = emptyLandingPlan();
    try {
      for (const [index, layer] of this.layers.entries()) {
        const all = entriesOf(layer);
        if (all === "cut") return this.#refuse("the list of what the call changed was cut off");
        if (all === "many") throw new TooManyChanges();
        const place = placeOf(layer);
        const entries = late === null ? all : lateEntries(all, place, late);
        if (entries.length === 0) continue;
        const renamed = this.#renamed.get(index) ?? renamedIn(place, all);
        this.#renamed.set(index, renamed);
        const planner = new LandingPlanner({ index, renamed, ...place }, rules, this.#begunNs, plan);
        try {
          planner.add(entries);
        } finally {
          planner.close();
        }
      }
      return ok(inOrder(plan));
    } catch (error) {
      if (error instanceof TooManyChanges)
        return this.#refuse(
          `the call changed more than ${limits.landingSteps} files`,
          "Change fewer files in one call.",
        );
      if (errorCode(error) === "") throw error;
      return this.#refuse(`a directory of this call was replaced meanwhile (${errorCode(error)})`);
    }
  }

  /** The places that change. The planner counted all. */
  #placed(steps: readonly LandingStep[]): { places: LandingPlace[]; steps: LandingStep[] } {
    const used = [...new Set(steps.map(({ place }) => place))];
    const places = used.map((index) => {
      const place = placeOf(this.layers[index] as Layer);
      const paths = steps.filter((step) => step.place === index).map(({ path }) => path);
      return { ...place, staging: stagingDirectory(place.directory, paths) };
    });
    return { places, steps: steps.map((step) => ({ ...step, place: used.indexOf(step.place) })) };
  }

  #refuseConflict(conflicts: readonly string[]): Result<never> {
    const named = conflicts.slice(0, limits.conflictsNamed).join(", ");
    const more =
      conflicts.length > limits.conflictsNamed ? ` and ${conflicts.length - limits.conflictsNamed} more` : "";
    return fail(
      "conflict",
      `Somebody else changed ${named}${more} while the call ran. Nothing of the call has landed.`,
      {
        hint: `Read what is there now, and call again.${this.#keptHint()}`,
      },
    );
  }

  #refuse(why: string, hint = ""): Result<never> {
    return fail("tool_failed", `Nothing of the call has landed: ${why}.`, {
      hint: `${hint}${this.#keptHint()}`.trim(),
    });
  }

  #keptHint(): string {
    const kept = this.keep();
    return kept === null ? "" : ` What it wrote is kept for a day in ${kept}.`;
  }
}

function changeTimeOf(path: string): bigint {
  return lstatSync(path, { bigint: true }).ctimeNs;
}

function renamedIn({ directory }: ChangedPlace, entries: readonly LayerEntry[]): ReadonlySet<string> {
  const host = new HostTree(directory);
  try {
    return renamedFiles(entries, host);
  } finally {
    host.close();
  }
}

/** Deletions first, because something else may come in their place; what is in a directory before the directory. */
function inOrder(plan: LandingPlan): LandingPlan {
  const of = (op: LandingStep["op"]) => plan.steps.filter((step) => step.op === op);
  return { ...plan, steps: [...of("delete"), ...of("remove"), ...of("make"), ...of("put")] };
}

function landedFile(step: LandingStep, places: readonly LandingPlace[]): LandedEntry[] {
  const path = joinPath(places[step.place]?.directory ?? "", step.path);
  if (step.op === "delete") return [{ path, operation: "delete", size: 0 }];
  return step.op === "put" ? [{ path, operation: step.before === null ? "create" : "update", size: step.size }] : [];
}
