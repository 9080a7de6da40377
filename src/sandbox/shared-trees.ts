// Where the files of a workspace in memory are materialized for programs: each call sees them through an overlay of its own. Where no
// overlay can be mounted, programs get the files themselves. Then calls on the same files run one after the other, and after each what
// is not as it was materialized is reported, and materialized again: as if it had been an overlay.

import type { Launch } from "../process/launch.ts";
import type { Outcome } from "../process/outcome.ts";
import type { Starter } from "../process/starter.ts";
import { OneAtATime } from "../shared/one-at-a-time.ts";
import { ok, type Result } from "../shared/result.ts";
import { MaterializedTree } from "./materialized-tree.ts";
import { TreeIndex } from "./tree-index.ts";

export interface WorkspaceTrees {
  /** An empty one. Whoever opens it closes it. */
  open(): MaterializedTree;
  /** A starter whose outcomes say what the program changed in its tree. */
  reporting(starter: Starter): Starter;
}

/** `directory`: private to this gate. */
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

  /** Runs it when no other call has the same files; its outcome says what it changed in them. */
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
