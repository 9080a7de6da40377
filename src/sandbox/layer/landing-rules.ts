// Decides which changes of a call may land, by the real path. Nobody else decides this.
// Invariant: it uses the view that the box was built from.

import type { View } from "../../action/action.ts";
import { isHidden, writableRoot } from "../../policy/capability.ts";
import { executedPart, executedPartOf, isRepositoryPart } from "../../policy/executed-later.ts";
import { isWithin } from "../../shared/path.ts";

export interface LandingProblem {
  readonly reason: string;
  /** The path that others execute later. With a person's yes to it, the change lands. Null if no yes helps. */
  readonly part: string | null;
}

export interface LandingRules {
  /** Why a change of this path does not land. Null if it may. `replaces`: it puts something else than a directory there, or deletes it. */
  problem(path: string, replaces: boolean): LandingProblem | null;
}

/**
 * `opens`: parts that a person allowed. `targets`: real paths to which links and pointers lead that have names that others execute. Asked
 * for at the first change.
 */
export function landingRules(view: View, opens: readonly string[], targets: () => readonly string[]): LandingRules {
  const granted = { fsGrants: view.paths };
  const never = (reason: string): LandingProblem => ({ reason, part: null });
  let known: readonly string[] | null = null;
  return {
    problem(path, replaces) {
      // SECURITY(T25): the person's hidden file stays, and a file of such a name would not be seen in the review of anybody.
      if (isHidden(granted, path)) return never("a hide glob of the grants, or a rule, names it");
      const nearest = view.paths
        .filter((one) => isWithin(path, one.path))
        .reduce<View["paths"][number] | null>(
          (best, one) => (best === null || one.path.length > best.path.length ? one : best),
          null,
        );
      if (nearest?.mode !== "rw") return never("it may be read, not changed");
      known ??= targets();
      // SECURITY(T08): nothing that others execute later lands, unless a person said yes to this path, before the call or after it.
      const root = writableRoot(granted, path);
      const part = executedPartOf(path, root, known);
      if (part !== null && !opens.includes(part)) {
        // Where a link leads to may be a git directory.
        const named = executedPart(path, root);
        return {
          reason: "others execute it later",
          part: named === null || isRepositoryPart(named) ? null : named,
        };
      }
      // SECURITY(T08, T16): a link in the place of a directory above would lead to other files under the same path.
      const isAbove = (inner: string) => inner !== path && isWithin(inner, path);
      if (replaces && (known.some(isAbove) || view.paths.some((one) => isAbove(one.path))))
        return never("what lies below it may not be changed");
      return null;
    },
  };
}
