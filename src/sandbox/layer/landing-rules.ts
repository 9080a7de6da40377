// Decides which changes of a call may land, by the real path. Nobody else decides this.
// Invariant: it uses the view that the box was built from.

import type { View } from "../../action/action.ts";
import { isHidden, writableRoot } from "../../policy/capability.ts";
import { executedPartOf } from "../../policy/executed-later.ts";
import { isWithin } from "../../shared/path.ts";

export interface LandingRules {
  /** Why a change of this path does not land. Null if it may. `replaces`: it puts something else than a directory there, or deletes it. */
  problem(path: string, replaces: boolean): string | null;
}

/** `targets`: real paths to which links and pointers lead that have names that others execute. Asked for at the first change. */
export function landingRules(view: View, targets: () => readonly string[]): LandingRules {
  const granted = { fsGrants: view.paths };
  const opens = view.opens ?? [];
  let known: readonly string[] | null = null;
  return {
    problem(path, replaces) {
      // SECURITY(T25): the person's hidden file stays, and a file of such a name would not be seen in the review of anybody.
      if (isHidden(granted, path)) return "a hide glob of the grants, or a rule, names it";
      const nearest = view.paths
        .filter((one) => isWithin(path, one.path))
        .reduce<View["paths"][number] | null>(
          (best, one) => (best === null || one.path.length > best.path.length ? one : best),
          null,
        );
      if (nearest?.mode !== "rw") return "it may be read, not changed";
      known ??= targets();
      // SECURITY(T08): nothing that others execute later lands, unless a person said yes to this path before the call.
      const part = executedPartOf(path, writableRoot(granted, path), known);
      if (part !== null && !opens.includes(part)) return "others execute it later";
      // SECURITY(T08, T16): a link in the place of a directory above would lead to other files under the same path.
      const isAbove = (inner: string) => inner !== path && isWithin(inner, path);
      if (replaces && (known.some(isAbove) || view.paths.some((one) => isAbove(one.path))))
        return "what lies below it may not be changed";
      return null;
    },
  };
}
