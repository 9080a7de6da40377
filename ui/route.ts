// The route of the page: the part of the address after `#`.

import { useEffect, useState } from "preact/hooks";

export type Route =
  | { readonly name: "queue" | "changes" | "log" | "sessions" | "machine" | "unknown" }
  | { readonly name: "question" | "together" | "staged" | "call" | "session" | "landing"; readonly id: string };

export function parseRoute(hash: string): Route {
  const [path = ""] = hash.replace(/^#/, "").split("?");
  const [, first = "", second = "", ...rest] = path.split("/");
  if (rest.length > 0) return { name: "unknown" };
  if (second === "") {
    if (first === "") return { name: "queue" };
    if (first === "changes" || first === "log" || first === "sessions" || first === "machine") return { name: first };
    return { name: "unknown" };
  }
  const id = decodePart(second);
  if (id === null) return { name: "unknown" };
  if (first === "q") return { name: "question", id };
  if (first === "changes") return { name: "session", id };
  if (first === "together" || first === "staged" || first === "call" || first === "landing") return { name: first, id };
  return { name: "unknown" };
}

/** The part of the fragment after `?`: the filters of a view. */
export function routeQuery(hash: string): URLSearchParams {
  const at = hash.indexOf("?");
  return new URLSearchParams(at < 0 ? "" : hash.slice(at + 1));
}

export const linkTo = {
  queue: () => "#/",
  question: (id: string) => `#/q/${encodeURIComponent(id)}`,
  together: (id: string) => `#/together/${encodeURIComponent(id)}`,
  staged: (id: string) => `#/staged/${encodeURIComponent(id)}`,
  changes: () => "#/changes",
  session: (name: string) => `#/changes/${encodeURIComponent(name)}`,
  landing: (id: string) => `#/landing/${encodeURIComponent(id)}`,
  call: (id: string) => `#/call/${encodeURIComponent(id)}`,
  log: () => "#/log",
  sessions: () => "#/sessions",
  machine: () => "#/machine",
} as const;

export function goTo(link: string): void {
  location.hash = link;
}

/** The current fragment. The component renders again when it changes. */
export function useHash(): string {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = () => setHash(location.hash);
    addEventListener("hashchange", follow);
    follow();
    return () => removeEventListener("hashchange", follow);
  }, []);
  return hash;
}

/** Null if it is not encoded as a part of an address. */
export function decodePart(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
