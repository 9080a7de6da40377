// A Launch is one step of a granted action, with everything about the box resolved: paths, limits, network.
// It is plain data that any starter can run.
// Invariant: it does not exist without a grant for its action, and it is used once.

import type { Action, Step } from "../action/action.ts";
import { Grant } from "../approval/grant.ts";

export type Mount =
  | {
      readonly kind: "bind";
      readonly source: string;
      readonly target: string;
      readonly writable: boolean;
      /** Somebody could replace it before the box is built, so the starter must hold it by a descriptor. */
      readonly pinned?: boolean;
    }
  | { readonly kind: "scratch"; readonly target: string; readonly sizeBytes: number }
  /** The files of a workspace in memory. The program's changes go to a separate layer of this size, and are returned as data. */
  | {
      readonly kind: "overlay";
      readonly target: string;
      /** The directory with these files. It is private to the gate. */
      readonly lower: string;
      readonly sizeBytes: number;
      readonly fileCount: number;
    }
  /** A draft: the session's layer over a project, mounted by its holder. `directory` is the draft's own directory. */
  | {
      readonly kind: "draft";
      readonly target: string;
      readonly directory: string;
      readonly writable: boolean;
    }
  /** A layer of the call over a directory of the machine. `source` is that directory; `number` is the layer's. */
  | {
      readonly kind: "layer";
      readonly source: string;
      readonly target: string;
      readonly number: number;
      readonly writable: boolean;
    }
  | { readonly kind: "directory"; readonly target: string }
  | { readonly kind: "link"; readonly target: string; readonly text: string }
  | { readonly kind: "proc"; readonly covers: readonly Cover[] }
  | { readonly kind: "dev"; readonly shmBytes: number };

/** A mount over a file or directory of the box's /proc. */
export interface Cover {
  readonly source: string;
  readonly target: string;
}

export type OverlayMount = Extract<Mount, { readonly kind: "overlay" }>;

/** A directory that is changed in a layer, and the layer's own directory. */
export interface LayerSource {
  readonly root: string;
  readonly directory: string;
}

export interface LaunchLimits {
  readonly memoryBytes: number;
  readonly fsizeBytes: number;
  /** The default applies if absent. */
  readonly diskBytes?: number;
  /** Of the draft, over all its calls. The default applies if absent. */
  readonly draftBytes?: number;
  readonly nofile: number;
  readonly nproc: number;
  readonly cpuS: number;
}

export interface Confinement {
  /** In the order in which the box makes them: parents first. */
  readonly mounts: readonly Mount[];
  /** The mount that is an overlay; null if there is none. */
  readonly overlay: OverlayMount | null;
  /** What the mounts of kind `layer` show, by number. */
  readonly layers: readonly LayerSource[];
  /** The directory of the draft that the box enters; null if there is none. */
  readonly draft: string | null;
  /** `hosts`: only what the gate lets through, host by host. */
  readonly network: "none" | "host" | "hosts";
  /** False if a socket of the host could be reached. Then the program cannot create any UNIX socket. */
  readonly unixSockets: boolean;
  readonly limits: LaunchLimits;
}

export class Launch {
  readonly step: Step;
  readonly confinement: Confinement;
  #used = false;

  constructor(grant: Grant, step: Step, confinement: Confinement) {
    // SECURITY(T02): without a grant, or for a step that is not part of the granted action, there is no launch.
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

  /** The starter calls it once. */
  use(): void {
    if (this.#used) throw new TypeError("a launch is used once");
    this.#used = true;
  }
}

Object.freeze(Launch);
Object.freeze(Launch.prototype);
