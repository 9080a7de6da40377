// What came of a call after a yes, as soon as the record has it.

import { useEffect, useState } from "preact/hooks";
import { type CallEnd, callEndOf } from "../../src/audit/call-end.ts";
import type { CallStory } from "../../src/web/api.ts";
import { useLive } from "../live.ts";
import { useResource } from "../resource.ts";
import { linkTo } from "../route.ts";
import { T } from "../text.tsx";

export function CallEndText({ call }: { readonly call: string }) {
  const { state } = useLive();
  const [end, setEnd] = useState<CallEnd | null>(null);
  // An ended call has no more entries that matter here.
  const path = end === null ? `/api/calls/${encodeURIComponent(call)}` : null;
  const { value } = useResource<CallStory>(path, String(state?.lastSeq ?? 0));
  useEffect(() => {
    if (value !== null) setEnd(callEndOf(value.entries));
  }, [value]);
  return (
    <>
      {end === null ? (
        <p class="quiet">It has not ended yet. What comes of it appears here.</p>
      ) : (
        <p class={`call-end${end.isGood ? "" : " notice is-medium"}`}>
          <T text={end.text} maxLength={1_000} />
        </p>
      )}
      <p class="call-end-links">
        {end !== null && end.link !== null && (
          <a href={end.link} target="_blank" rel="noopener noreferrer">
            The commit
          </a>
        )}
        <a href={linkTo.call(call)}>The call in the log</a>
      </p>
    </>
  );
}
