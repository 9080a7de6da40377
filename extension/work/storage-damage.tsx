// What the gate found wrong with what this browser had stored, until the person has read it.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { OpenRequest, StorageDamage } from "../../src/web/api-work.ts";
import type { ApiError } from "../../ui/client.ts";
import { Problem } from "../../ui/problem.tsx";
import { errorOf } from "../../ui/resource.ts";
import { T } from "../../ui/text.tsx";
import { workCalls } from "./work-calls.ts";
import { useWork } from "./work-state.ts";

export function StorageDamageNotice() {
  const { storage } = useWork();
  const [error, setError] = useState<ApiError | null>(null);
  const { damage } = storage;
  if (damage === undefined || damage === null) return null;
  const read = () =>
    void workCalls.noteDamageRead().then(
      () => setError(null),
      (thrown: unknown) => setError(errorOf(thrown)),
    );
  return (
    <div class="notice is-high storage-damage" role="alert">
      <Words damage={damage} />
      {error !== null && <Problem error={error} />}
      <button class="button is-small" type="button" onClick={read}>
        I have read it
      </button>
    </div>
  );
}

function Words({ damage }: { readonly damage: StorageDamage }) {
  switch (damage.kind) {
    case "evicted":
      return (
        <Lost what="What was stored here is gone.">
          The browser has removed it, as it may when space is short, or somebody has cleared it: the settings, the
          record
          {damage.draft !== null && (
            <>
              {" "}
              and the draft of <Draft draft={damage.draft} />
            </>
          )}
          . What was pushed is at GitHub. What was not is lost.
        </Lost>
      );
    case "gone":
      return (
        <Lost what="The files of the draft are gone.">
          The work on <Draft draft={damage.draft} /> cannot go on. Open the repository again. What was pushed is at
          GitHub, and the record is whole.
        </Lost>
      );
    case "unreadable":
      return (
        <Lost what="The files of the draft cannot be opened.">
          Of <Draft draft={damage.draft} />: <T text={damage.why} maxLength={500} />
        </Lost>
      );
    case "cut":
      return (
        <Lost what="The stored files end in the middle of a change.">
          The draft of <Draft draft={damage.draft} /> is as it was before that change; {damage.bytes} bytes were left
          out. Look whether your last changes are there before you push.
        </Lost>
      );
  }
}

function Lost({ what, children }: { readonly what: string; readonly children: ComponentChildren }) {
  return (
    <p>
      <strong>{what}</strong> {children}
    </p>
  );
}

function Draft({ draft: { repository, branch } }: { readonly draft: OpenRequest }) {
  return (
    <>
      <T text={repository} maxLength={200} /> (<T text={branch} maxLength={200} />)
    </>
  );
}
