// What a person has typed and not saved. It outlives the view and the panel, and goes when it is saved or taken back.

import { useEffect, useState } from "preact/hooks";

export interface Unsaved {
  readonly text: string;
  /** Of the file that it was made from; null for a new one. */
  readonly hash: string | null;
}

const PREFIX = "sallyport.unsaved";
const WRITE_AFTER_MS = 300;

const held = new Map<string, Unsaved>();
const listeners = new Set<() => void>();
const due = new Map<string, ReturnType<typeof setTimeout>>();

function keyOf(session: string, path: string): string {
  return `${PREFIX} ${session} ${path}`;
}

export function unsavedOf(session: string, path: string): Unsaved | null {
  const key = keyOf(session, path);
  const known = held.get(key);
  if (known !== undefined) return known;
  const stored = localStorage.getItem(key);
  if (stored === null) return null;
  const read = JSON.parse(stored) as Unsaved;
  held.set(key, read);
  return read;
}

export function keepUnsaved(session: string, path: string, unsaved: Unsaved | null): void {
  const key = keyOf(session, path);
  if (unsaved === null) held.delete(key);
  else held.set(key, unsaved);
  // Typing must not wait for the disk.
  clearTimeout(due.get(key));
  due.set(
    key,
    setTimeout(() => store(key), WRITE_AFTER_MS),
  );
  for (const listener of listeners) listener();
}

addEventListener("pagehide", () => {
  for (const key of due.keys()) store(key);
});

function store(key: string): void {
  clearTimeout(due.get(key));
  due.delete(key);
  const unsaved = held.get(key);
  try {
    if (unsaved === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(unsaved));
  } catch {
    // The browser has no room for it. It is kept as long as the panel is open.
  }
}

/** The files of a draft that have some. What is left of other drafts is removed. */
function unsavedPaths(session: string): ReadonlySet<string> {
  const own = `${PREFIX} ${session} `;
  const stored = Object.keys(localStorage).filter((key) => key.startsWith(`${PREFIX} `));
  for (const key of stored) if (!key.startsWith(own)) localStorage.removeItem(key);
  const keys = [...stored.filter((key) => !due.has(key)), ...held.keys()];
  return new Set(keys.filter((key) => key.startsWith(own)).map((key) => key.slice(own.length)));
}

export function useUnsavedPaths(session: string): ReadonlySet<string> {
  const [paths, setPaths] = useState(() => unsavedPaths(session));
  useEffect(() => {
    const follow = () => setPaths(unsavedPaths(session));
    listeners.add(follow);
    follow();
    return () => void listeners.delete(follow);
  }, [session]);
  return paths;
}
