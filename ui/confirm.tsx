// Asks once more before something is taken away. The button that keeps has the focus, so a held or repeated Enter changes nothing.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useArmed } from "./question/armed.ts";
import { errorOf } from "./resource.ts";
import { T } from "./text.tsx";
import "./confirm.css";

export interface ConfirmProps {
  /** The question. */
  readonly title: ComponentChildren;
  /** What it is, and what follows. */
  readonly children: ComponentChildren;
  /** The word of the button that does it. */
  readonly yes: string;
  readonly act: () => Promise<unknown>;
  readonly onDone: () => void;
  /** Called when the dialog closes, also after it was done. */
  readonly onClose: () => void;
}

export function Confirm({ title, children, yes, act, onDone, onClose }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const keep = useRef<HTMLButtonElement>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  // The second half of a double click on what opened the dialog is no answer to it.
  const isArmed = useArmed("");
  // Opens in the layout effect, so that the next key goes to the dialog.
  useLayoutEffect(() => {
    dialog.current?.showModal();
    keep.current?.focus();
  }, []);
  const confirm = (event: Event) => {
    if (!isArmed(event) || isBusy) return;
    setIsBusy(true);
    act().then(
      () => {
        dialog.current?.close();
        onDone();
      },
      (thrown: unknown) => {
        setIsBusy(false);
        setProblem(errorOf(thrown).message);
      },
    );
  };
  return (
    <dialog ref={dialog} class="confirm" aria-labelledby="confirm-title" onClose={onClose}>
      <h2 id="confirm-title">{title}</h2>
      {children}
      {problem !== null && (
        <p class="problem" role="alert">
          <T text={problem} maxLength={2_000} />
        </p>
      )}
      <div class="button-row">
        <button class="button is-no" type="button" aria-disabled={isBusy} onClick={confirm}>
          {yes}
        </button>
        <button ref={keep} class="button" type="button" onClick={() => dialog.current?.close()}>
          Keep
        </button>
      </div>
    </dialog>
  );
}
