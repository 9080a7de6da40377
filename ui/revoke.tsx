// Revokes what the person has granted: a remembered answer, a device. A dialog asks once more, so that it does not happen by mistake.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { del } from "./client.ts";
import { useOwn } from "./devices/own-allowance.tsx";
import { Confirm } from "./confirm.tsx";
import "./revoke.css";

export interface RevokeProps {
  /** What is revoked, for a screen reader. */
  readonly name: string;
  /** `DELETE` of it revokes. */
  readonly path: string;
  /** What even a limited device may revoke: itself. */
  readonly isOwn?: boolean;
  /** The question of the dialog. */
  readonly title: string;
  /** What it is, and what follows. */
  readonly children: ComponentChildren;
  readonly onRevoked: () => void;
}

export function RevokeButton({ name, path, isOwn = false, title, children, onRevoked }: RevokeProps) {
  const [isAsking, setIsAsking] = useState(false);
  const isLimited = useOwn()?.limit !== undefined;
  if (isLimited && !isOwn) return null;
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
