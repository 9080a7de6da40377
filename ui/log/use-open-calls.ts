// Loads the entries of the calls that the person opened in the timeline, and again when a call goes on.
// Invariant: an older answer never replaces a newer one.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { CallRow, LogPage } from "../../src/web/api.ts";
import { type ApiError, get } from "../client.ts";
import { errorOf } from "../resource.ts";
import type { OpenCall } from "./timeline.ts";

export interface OpenCalls {
  readonly open: ReadonlyMap<string, OpenCall>;
  readonly error: ApiError | null;
  readonly toggle: (id: string) => void;
}

const MOST = 500;

/** Kept while the person looks at one call, so that they return to the same position. */
let left: ReadonlyMap<string, OpenCall> = new Map();

export function useOpenCalls(calls: ReadonlyMap<string, CallRow> | undefined): OpenCalls {
  const [open, setOpen] = useState(left);
  const [error, setError] = useState<ApiError | null>(null);
  /** The newest entry of each open call that was asked for. */
  const asked = useRef(new Map<string, number>());
  left = open;

  const load = useCallback((id: string, last: number) => {
    asked.current.set(id, last);
    get<LogPage>(`/api/log?${new URLSearchParams({ call_id: id, limit: String(MOST) })}`).then(
      ({ entries, next }) => {
        if (asked.current.get(id) !== last) return;
        setError(null);
        setOpen((now) => new Map(now).set(id, { rows: entries.toReversed(), isCut: next !== null }));
      },
      (why: unknown) => {
        asked.current.delete(id);
        setError(errorOf(why));
      },
    );
  }, []);

  useEffect(() => {
    for (const [id, { rows }] of open) {
      const last = calls?.get(id)?.last ?? 0;
      if (last > Math.max(rows.at(-1)?.seq ?? 0, asked.current.get(id) ?? 0)) load(id, last);
    }
  }, [calls, open]);

  const toggle = useCallback(
    (id: string) => {
      if (!open.has(id)) return load(id, calls?.get(id)?.last ?? 0);
      asked.current.delete(id);
      setOpen((now) => new Map([...now].filter(([other]) => other !== id)));
    },
    [open, calls],
  );
  return { open, error, toggle };
}
