// Revokes a remembered answer. A dialog asks once more, so that it does not happen by mistake.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { RememberedRow } from "../../src/web/api.ts";
import { del } from "../client.ts";
import { errorOf } from "../resource.ts";
import { shown, T } from "../text.tsx";

export interface RevokeProps {
  readonly row: RememberedRow;
  readonly onRevoked: (row: RememberedRow) => void;
}

export function RevokeButton({ row, onRevoked }: RevokeProps) {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <button
        class="button is-small"
        type="button"
        aria-label={`Revoke ${shown(row.rule, { maxLength: 120 })}`}
        onClick={() => setIsAsking(true)}
      >
        Revoke
      </button>
      {isAsking && <RevokeDialog row={row} onRevoked={onRevoked} onClose={() => setIsAsking(false)} />}
    </>
  );
}

function RevokeDialog({ row, onRevoked, onClose }: RevokeProps & { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const keep = useRef<HTMLButtonElement>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  // Opens in the layout effect, so that the next key goes to the dialog.
  useLayoutEffect(() => {
    dialog.current?.showModal();
    keep.current?.focus(); // "keep" has the focus, so a held or repeated Enter changes nothing
  }, []);
  const revoke = () => {
    setIsBusy(true);
    del(`/api/remembered/${row.scope}/${encodeURIComponent(row.id)}`).then(
      () => {
        dialog.current?.close();
        onRevoked(row);
      },
      (error: unknown) => {
        setIsBusy(false);
        setProblem(errorOf(error).message);
      },
    );
  };
  const isYes = row.decide === "allow";
  return (
    <dialog ref={dialog} class="revoke" aria-labelledby="revoke-title" onClose={onClose}>
      <h2 id="revoke-title">Revoke this {isYes ? "yes" : "rule"}?</h2>
      <p>
        <code class="block revoke-rule">
          <T text={row.rule} maxLength={2_000} />
        </code>
      </p>
      <p>
        {isYes
          ? "It holds no longer, from the next call on. What needs a person is then asked about again."
          : "It holds no longer, from the next call on. What the other rules say then counts."}
      </p>
      {problem !== null && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <div class="button-row">
        <button class="button is-no" type="button" disabled={isBusy} onClick={revoke}>
          Revoke
        </button>
        <button ref={keep} class="button" type="button" onClick={() => dialog.current?.close()}>
          Keep
        </button>
      </div>
    </dialog>
  );
}
