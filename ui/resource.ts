// The data that a view needs from the server: loading, loaded, or an error.

import { useEffect, useState } from "preact/hooks";
import { ApiError, get } from "./client.ts";

export interface Resource<Value> {
  /** The last value, kept while the next one is loading. */
  readonly value: Value | null;
  readonly error: ApiError | null;
  readonly isLoading: boolean;
}

/** Fetches when `path` changes, and again when `version` does. If `path` is null, it fetches nothing. */
export function useResource<Value>(path: string | null, version = ""): Resource<Value> {
  const [held, setHeld] = useState<Resource<Value> & { readonly path: string | null }>({
    path,
    value: null,
    error: null,
    isLoading: path !== null,
  });
  useEffect(() => {
    if (path === null) return;
    const stop = new AbortController();
    setHeld((before) => ({ ...(before.path === path ? before : { value: null, error: null }), path, isLoading: true }));
    get<Value>(path, stop.signal).then(
      (value) => {
        if (!stop.signal.aborted) setHeld({ path, value, error: null, isLoading: false });
      },
      (error: unknown) => {
        if (stop.signal.aborted) return;
        setHeld((before) => ({
          path,
          value: before.path === path ? before.value : null,
          error: errorOf(error),
          isLoading: false,
        }));
      },
    );
    return () => stop.abort();
  }, [path, version]);
  // The render between a new path and its effect must not show the old path's value.
  return held.path === path ? held : { value: null, error: null, isLoading: path !== null };
}

export function errorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(0, { error: "internal", message: error instanceof Error ? error.message : String(error) });
}
