// Materializes the files of workspaces in memory for programs. Each call sees them through its own overlay. If this machine cannot
// mount overlays, programs get the materialized files directly. Then calls on the same files run one after another. After each call the
// gate reports the files that the program changed and restores them, so that the result is the same as with an overlay.

import type { Launch } from "../process/launch.ts";
import type { Outcome } from "../process/outcome.ts";
import type { Starter } from "../process/starter.ts";
import { OneAtATime } from "../shared/one-at-a-time.ts";
import { ok, type Result } from "../shared/result.ts";
import { MaterializedTree } from "./materialized-tree.ts";
import { TreeIndex } from "./tree-index.ts";

export interface WorkspaceTrees {
  /** Opens an empty tree. The caller closes it. */
  open(): MaterializedTree;
  /** Wraps a starter so that its outcomes list what the program changed in its tree. */
  reporting(starter: Starter): Starter;
}

/** `directory` is private to this gate. */
export function overlayTrees(directory: string): WorkspaceTrees {
  return { open: () => new MaterializedTree(directory), reporting: (starter) => starter };
}

export function sharedTrees(directory: string): WorkspaceTrees {
  const trees = new SharedTrees(directory);
  return {
    open: () => trees.open(),
    reporting: (starter) => ({
      name: starter.name,
      start: (launch, listener, dispatched) => trees.inTurn(launch, () => starter.start(launch, listener, dispatched)),
    }),
  };
}

interface SharedTree {
  readonly tree: MaterializedTree;
  readonly index: TreeIndex;
  readonly calls: OneAtATime;
}

class SharedTrees {
  readonly #directory: string;
  readonly #trees = new Map<string, SharedTree>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  open(): MaterializedTree {
    const index = new TreeIndex();
    const tree = new MaterializedTree(this.#directory, {
      written: (path, content, found) => index.note(path, content, found),
      removed: (path) => index.forget(path),
      closed: () => this.#trees.delete(tree.path),
    });
    this.#trees.set(tree.path, { tree, index, calls: new OneAtATime() });
    return tree;
  }

  /** Waits until no other call uses the same files, then runs the call. The outcome lists what the program changed. */
  async inTurn(launch: Launch, run: () => Promise<Result<Outcome>>): Promise<Result<Outcome>> {
    const { overlay } = launch.confinement;
    const shared = overlay === null ? undefined : this.#trees.get(overlay.lower);
    if (overlay === null || shared === undefined) return run();
    return shared.calls.run(async () => {
      const outcome = await run();
      const changes = await shared.index.takeChanges(shared.tree, overlay);
      return outcome.ok ? ok({ ...outcome.value, changes }) : outcome;
    });
  }
}
