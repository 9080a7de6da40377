// Discards what a session has changed. A dialog asks once more; for a day it can be taken back.

import { useState } from "preact/hooks";
import type { ChangesView, DiscardRequest } from "../../src/web/api-changes.ts";
import { post } from "../client.ts";
import { Confirm } from "../confirm.tsx";
import { goTo, linkTo } from "../route.ts";
import { T } from "../text.tsx";
import { counted } from "./session-facts.tsx";

export interface DiscardProps {
  readonly view: ChangesView;
  readonly path: string;
  readonly onFailed: (thrown: unknown) => void;
}

export function DiscardButton({ view, path, onFailed }: DiscardProps) {
  const [isAsking, setIsAsking] = useState(false);
  const body: DiscardRequest = { digest: view.digest };
  // What failed is shown where the changes are, which may be others by now.
  const discard = () => post(`${path}/discard`, body).then(() => goTo(linkTo.changes()), onFailed);
  return (
    <div class="reject">
      <button type="button" class="button is-no" onClick={() => setIsAsking(true)}>
        Discard…
      </button>
      {isAsking && (
        <Confirm
          title={
            <>
              Discard what <T text={view.session} maxLength={100} /> has changed?
            </>
          }
          yes="Discard"
          act={discard}
          onDone={() => undefined}
          onClose={() => setIsAsking(false)}
        >
          <p>
            {counted(view.files ?? 0, "file")}
            {(view.commits ?? 0) > 0 && ` and ${counted(view.commits ?? 0, "commit")} made inside`}. It is kept for a
            day, and can be restored until then. The agent's next call begins anew.
          </p>
        </Confirm>
      )}
    </div>
  );
}
