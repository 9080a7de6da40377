// A push that the person has begun: staged, asked about, landed. It goes on while they look at other views.

import { createContext } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import type { Refused } from "../../src/web/api.ts";
import { ApiError } from "../../ui/client.ts";
import { errorOf } from "../../ui/resource.ts";
import { textOf, workCalls } from "./work-calls.ts";

export interface PushPlan {
  readonly repository: string;
  readonly branch: string;
  readonly message: string;
  readonly files: readonly string[];
}

export type PushState =
  | { readonly kind: "idle" }
  | { readonly kind: "staging" | "pushing"; readonly plan: PushPlan }
  /** `staged`: the commit that can be pushed again; null if there is none. */
  | { readonly kind: "failed"; readonly plan: PushPlan; readonly refused: Refused; readonly staged: string | null }
  | {
      readonly kind: "done";
      readonly plan: PushPlan;
      readonly commit: string;
      readonly branch: string;
      readonly isNewBranch: boolean;
      readonly files: number;
    };

export interface Push {
  readonly state: PushState;
  readonly begin: (plan: PushPlan) => void;
  readonly again: () => void;
  /** Takes what was staged back, or what is shown away. */
  readonly close: () => void;
}

const nothing: Push = {
  state: { kind: "idle" },
  begin: () => undefined,
  again: () => undefined,
  close: () => undefined,
};

export const PushContext = createContext<Push>(nothing);

export function usePush(): Push {
  return useContext(PushContext);
}

export function usePushState(): Push {
  const [state, setState] = useState<PushState>({ kind: "idle" });
  const isGone = useRef(false);
  useEffect(() => () => void (isGone.current = true), []);
  const set = (next: PushState) => {
    if (!isGone.current) setState(next);
  };
  const land = async (plan: PushPlan, staged: string): Promise<void> => {
    set({ kind: "pushing", plan });
    const target = { type: "github", repo: plan.repository, branch: plan.branch };
    try {
      const pushed = await workCalls.call("git_push", { commitId: staged, target });
      set({
        kind: "done",
        plan,
        commit: textOf(pushed["commitSha"]) ?? "",
        branch: textOf(pushed["branch"]) ?? plan.branch,
        isNewBranch: pushed["createdBranch"] === true,
        files: Number(pushed["filesChanged"] ?? plan.files.length),
      });
    } catch (thrown) {
      const { refused } = errorOf(thrown);
      // After the person's no there is nothing to try again.
      const isOver = refused.error === "approval_denied";
      if (isOver) await discard(staged);
      set({ kind: "failed", plan, refused, staged: isOver ? null : staged });
    }
  };
  const stage = async (plan: PushPlan): Promise<void> => {
    set({ kind: "staging", plan });
    try {
      const staged = textOf((await workCalls.call("git_stage", { files: plan.files, message: plan.message }))["id"]);
      if (staged === null) throw new ApiError(0, { error: "internal", message: "The gate staged nothing." });
      await land(plan, staged);
    } catch (thrown) {
      set({ kind: "failed", plan, refused: errorOf(thrown).refused, staged: null });
    }
  };
  return {
    state,
    begin: (plan) => void stage(plan),
    again: () => {
      if (state.kind === "failed") void (state.staged === null ? stage(state.plan) : land(state.plan, state.staged));
    },
    close: () => {
      if (state.kind === "failed" && state.staged !== null) void discard(state.staged);
      set({ kind: "idle" });
    },
  };
}

/** If it is gone already, that is what was wanted. */
async function discard(staged: string): Promise<void> {
  await workCalls.call("git_discard", { commitId: staged }).catch(() => undefined);
}
