// The state of the gate in the browser, for every view of this place: from the stream of events, and before its first one by a request.

import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { OpenRepository, WorkState } from "../../src/web/api-work.ts";
import type { ApiError } from "../../ui/client.ts";
import { useLive } from "../../ui/live.ts";
import { useResource } from "../../ui/resource.ts";

const ASK_AGAIN_MS = 1_500;

/** Asks again while another window has the gate. */
export function useLoadedWork(): { readonly work: WorkState | null; readonly error: ApiError | null } {
  const live = useLive();
  const [asked, setAsked] = useState(0);
  const { value, error } = useResource<WorkState>("/api/work", String(asked));
  const work = live.work ?? value;
  useEffect(() => {
    if (work !== null || error === null) return;
    const timer = setTimeout(() => setAsked((count) => count + 1), ASK_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [work, error]);
  return { work, error };
}

export const WorkContext = createContext<WorkState | null>(null);

export function useWork(): WorkState {
  const work = useContext(WorkContext);
  if (work === null) throw new Error("This view is shown only when the state is there.");
  return work;
}

/** The draft, in views that are shown only if there is one. */
export function useDraft(): OpenRepository {
  const { open } = useWork();
  if (open === null) throw new Error("This view is shown only when a repository is open.");
  return open;
}

/** Changes whenever the draft may have changed: each call is in the record. */
export function useDraftVersion(): string {
  const { state } = useLive();
  const { open } = useWork();
  return `${state?.lastSeq ?? ""} ${open?.commit ?? ""} ${open?.changed ?? ""}`;
}
