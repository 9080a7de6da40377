// A Launch is one step of a granted action, with everything about the box resolved: paths, limits, network.
// It is plain data that any starter can carry out.
// Invariant: it does not exist without a grant for its action, and it is used once.

import type { Action, Step } from "../action/action.ts";
import { Grant } from "../approval/grant.ts";

export type Mount =
  | {
      readonly kind: "bind";
      readonly source: string;
      readonly target: string;
      readonly writable: boolean;
      /** Somebody could put another thing in its place before the box is built: to be held by a descriptor. */
      readonly pinned?: boolean;
    }
  | { readonly kind: "scratch"; readonly target: string; readonly sizeBytes: number }
  /** The files of a workspace in memory. What the program changes goes to a layer of its own, of this size, and comes back as data. */
  | {
      readonly kind: "overlay";
      readonly target: string;
      /** The directory that holds them; private to the gate. */
      readonly lower: string;
      readonly sizeBytes: number;
      readonly fileCount: number;
    }
  | { readonly kind: "directory"; readonly target: string }
  | { readonly kind: "link"; readonly target: string; readonly text: string }
  | { readonly kind: "proc"; readonly covers: readonly Cover[] }
  | { readonly kind: "dev"; readonly shmBytes: number };

/** Something that is laid over a file or directory of the box's /proc. */
export interface Cover {
  readonly source: string;
  readonly target: string;
}

export type OverlayMount = Extract<Mount, { readonly kind: "overlay" }>;

export interface LaunchLimits {
  readonly memoryBytes: number;
  readonly fsizeBytes: number;
  /** Not written: the default. */
  readonly diskBytes?: number;
  readonly nofile: number;
  readonly nproc: number;
  readonly cpuS: number;
}

export interface Confinement {
  /** In the order in which they are made: parents first. */
  readonly mounts: readonly Mount[];
  /** The one of them that is an overlay; null: none is. */
  readonly overlay: OverlayMount | null;
  readonly network: "none" | "host";
  /** False when a socket of the host could be reached: then no UNIX socket can be made at all. */
  readonly unixSockets: boolean;
  readonly limits: LaunchLimits;
}

export class Launch {
  readonly step: Step;
  readonly confinement: Confinement;
  #used = false;

  constructor(grant: Grant, step: Step, confinement: Confinement) {
    // SECURITY(T02): no grant, or a step that is not of the granted action: no launch.
    if (!Grant.isGrant(grant)) throw new TypeError("a launch needs a grant");
    const action: Action = grant.action;
    if (!action.steps.includes(step)) throw new TypeError("this step is not part of what was granted");
    this.step = step;
    this.confinement = confinement;
    Object.freeze(this);
  }

  static isLaunch(value: unknown): value is Launch {
    return typeof value === "object" && value !== null && #used in value;
  }

  /** Called by the starter, once. */
  use(): void {
    if (this.#used) throw new TypeError("a launch is used once");
    this.#used = true;
  }
}

Object.freeze(Launch);
Object.freeze(Launch.prototype);
