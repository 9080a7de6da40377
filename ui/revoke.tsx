// Revokes what the person has granted: a remembered answer, a device. A dialog asks once more, so that it does not happen by mistake.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { del } from "./client.ts";
import { errorOf } from "./resource.ts";
import "./revoke.css";

export interface RevokeProps {
  /** What is revoked, for a screen reader. */
  readonly name: string;
  /** `DELETE` of it revokes. */
  readonly path: string;
  /** The question of the dialog. */
  readonly title: string;
  /** What it is, and what follows. */
  readonly children: ComponentChildren;
  readonly onRevoked: () => void;
}

export function RevokeButton(props: RevokeProps) {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <button
        class="button is-small"
        type="button"
        aria-label={`Revoke ${props.name}`}
        onClick={() => setIsAsking(true)}
      >
        Revoke
      </button>
      {isAsking && <RevokeDialog {...props} onClose={() => setIsAsking(false)} />}
    </>
  );
}

function RevokeDialog({ path, title, children, onRevoked, onClose }: RevokeProps & { readonly onClose: () => void }) {
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
    del(path).then(
      () => {
        dialog.current?.close();
        onRevoked();
      },
      (error: unknown) => {
        setIsBusy(false);
        setProblem(errorOf(error).message);
      },
    );
  };
  return (
    <dialog ref={dialog} class="revoke" aria-labelledby="revoke-title" onClose={onClose}>
      <h2 id="revoke-title">{title}</h2>
      {children}
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
