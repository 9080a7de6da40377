// Discards what a session has changed. A dialog asks once more; for a day it can be taken back.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ChangesView, DiscardRequest } from "../../src/web/api-changes.ts";
import { post } from "../client.ts";
import { useArmed } from "../question/armed.ts";
import { goTo, linkTo } from "../route.ts";
import { T } from "../text.tsx";
import { counted } from "./session-facts.tsx";

export interface DiscardProps {
  readonly view: ChangesView;
  readonly path: string;
  readonly onFailed: (thrown: unknown) => void;
}

export function DiscardButton(props: DiscardProps) {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <div class="reject">
      <button type="button" class="button is-no" onClick={() => setIsAsking(true)}>
        Discard…
      </button>
      {isAsking && <DiscardDialog {...props} onClose={() => setIsAsking(false)} />}
    </div>
  );
}

function DiscardDialog({ view, path, onFailed, onClose }: DiscardProps & { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const keep = useRef<HTMLButtonElement>(null);
  const [isBusy, setIsBusy] = useState(false);
  const isArmed = useArmed("");
  useLayoutEffect(() => {
    dialog.current?.showModal();
    keep.current?.focus(); // "keep" has the focus, so a held or repeated Enter changes nothing
  }, []);
  const discard = (event: Event) => {
    if (!isArmed(event) || isBusy) return;
    setIsBusy(true);
    const body: DiscardRequest = { digest: view.digest };
    post(`${path}/discard`, body).then(
      () => goTo(linkTo.changes()),
      (thrown: unknown) => {
        dialog.current?.close();
        onFailed(thrown);
      },
    );
  };
  return (
    <dialog ref={dialog} class="discard" aria-labelledby="discard-title" onClose={onClose}>
      <h2 id="discard-title">
        Discard what <T text={view.session} maxLength={100} /> has changed?
      </h2>
      <p>
        {counted(view.files ?? 0, "file")}
        {(view.commits ?? 0) > 0 && ` and ${counted(view.commits ?? 0, "commit")} made inside`}. It is kept for a day,
        and can be restored until then. The agent's next call begins anew.
      </p>
      <div class="button-row">
        <button class="button is-no" type="button" aria-disabled={isBusy} onClick={discard}>
          Discard
        </button>
        <button ref={keep} class="button" type="button" onClick={() => dialog.current?.close()}>
          Keep
        </button>
      </div>
    </dialog>
  );
}
