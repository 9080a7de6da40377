// Where no overlay can be mounted, programs get the files of a workspace in memory themselves. Then calls on the same files run one
// after the other, and after each what is not as it was laid is said, and laid again: as if it had been an overlay.

import type { Launch, Mount, OverlayMount } from "../process/launch.ts";
import type { Outcome } from "../process/outcome.ts";
import { ok, type Result } from "../shared/result.ts";
import { MaterializedTree } from "./materialized-tree.ts";
import { TreeIndex } from "./tree-index.ts";

export function isOverlay(mount: Mount): mount is OverlayMount {
  return mount.kind === "overlay";
}

interface SharedTree {
  readonly tree: MaterializedTree;
  readonly index: TreeIndex;
  /** Settles when the last call in the line has ended. */
  last: Promise<unknown>;
}

export class SharedTrees {
  readonly #trees = new Map<string, SharedTree>();

  open(room: string): MaterializedTree {
    const index = new TreeIndex();
    const tree = new MaterializedTree(room, {
      written: (path, content, found) => index.note(path, content, found),
      removed: (path) => index.forget(path),
      closed: () => this.#trees.delete(tree.path),
    });
    this.#trees.set(tree.path, { tree, index, last: Promise.resolve() });
    return tree;
  }

  /** Runs it when no other call has the same files; its outcome says what it changed in them. */
  async inTurn(launch: Launch, run: () => Promise<Result<Outcome>>): Promise<Result<Outcome>> {
    const overlay = launch.confinement.mounts.find(isOverlay);
    const shared = overlay === undefined ? undefined : this.#trees.get(overlay.lower);
    if (overlay === undefined || shared === undefined) return run();
    const turn = shared.last.then(async () => {
      const outcome = await run();
      const changes = await shared.index.takeChanges(shared.tree, overlay);
      return outcome.ok ? ok({ ...outcome.value, changes }) : outcome;
    });
    shared.last = turn.catch(() => undefined);
    return turn;
  }
}
