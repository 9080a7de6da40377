// Revokes what the person has granted: a remembered answer, a device. A dialog asks once more, so that it does not happen by mistake.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { del } from "./client.ts";
import { Confirm } from "./confirm.tsx";
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

export function RevokeButton({ name, path, title, children, onRevoked }: RevokeProps) {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <button class="button is-small" type="button" aria-label={`Revoke ${name}`} onClick={() => setIsAsking(true)}>
        Revoke
      </button>
      {isAsking && (
        <Confirm title={title} yes="Revoke" act={() => del(path)} onDone={onRevoked} onClose={() => setIsAsking(false)}>
          {children}
        </Confirm>
      )}
    </>
  );
}
