// A run of the box that the person has begun. It goes on while they look at other views.

import { createContext } from "preact";
import { useContext, useRef, useState } from "preact/hooks";
import type { ExecutionResult } from "../../src/tools/programs/execution-result.ts";
import type { ApiError } from "../../ui/client.ts";
import { errorOf } from "../../ui/resource.ts";
import { workCalls } from "./work-calls.ts";

export interface RunPlan {
  readonly tool: "Bash" | "Python";
  readonly text: string;
}

export interface RunState {
  /** Of the form. It is kept while the person looks elsewhere. */
  readonly plan: RunPlan;
  readonly isRunning: boolean;
  /** Of the last run. */
  readonly result: ExecutionResult | null;
  readonly error: ApiError | null;
}

export interface Run extends RunState {
  readonly change: (plan: Partial<RunPlan>) => void;
  readonly begin: () => void;
}

const first: RunState = { plan: { tool: "Bash", text: "" }, isRunning: false, result: null, error: null };

export const RunContext = createContext<Run>({ ...first, change: () => undefined, begin: () => undefined });

export function useRun(): Run {
  return useContext(RunContext);
}

/** `session`: of the draft. What ran in another one is not shown in this. */
export function useRunState(session: string | null): Run {
  const [state, setState] = useState({ ...first, session });
  const now = useRef(session);
  now.current = session;
  const shown = state.session === session ? state : { ...first, session };
  const begin = () => {
    if (shown.isRunning || shown.plan.text.trim() === "") return;
    const began = { ...shown, isRunning: true, result: null, error: null };
    setState(began);
    const end = (ended: Partial<RunState>) => {
      if (now.current === session) setState((last) => ({ ...last, ...ended, isRunning: false }));
    };
    const { tool, text } = shown.plan;
    workCalls.call(tool, tool === "Bash" ? { script: text } : { code: text }).then(
      (result) => end({ result: result as ExecutionResult }),
      (thrown: unknown) => end({ error: errorOf(thrown) }),
    );
  };
  return { ...shown, begin, change: (plan) => setState({ ...shown, plan: { ...shown.plan, ...plan } }) };
}
