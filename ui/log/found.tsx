// A text of the record, with what was searched for marked.

import type { ComponentChildren } from "preact";
import { shown } from "../text.tsx";

export function Found({ text, query }: { readonly text: string; readonly query: string }) {
  const safe = shown(text, { maxLength: 400 });
  const small = query.trim().toLowerCase();
  const lower = safe.toLowerCase();
  // Some letters change their length in lower case: then nothing is marked.
  if (small === "" || lower.length !== safe.length || !lower.includes(small)) return <bdi>{safe}</bdi>;
  const parts: ComponentChildren[] = [];
  let from = 0;
  for (let at = lower.indexOf(small); at >= 0; at = lower.indexOf(small, from)) {
    parts.push(safe.slice(from, at), <mark key={at}>{safe.slice(at, at + small.length)}</mark>);
    from = at + small.length;
  }
  return (
    <bdi>
      {parts}
      {safe.slice(from)}
    </bdi>
  );
}
