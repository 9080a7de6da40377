// What this page may do: all, or less on a device that was paired with a limit.
// Invariant: it only decides what is shown. The server refuses what the device may not do.

import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";
import type { OwnView } from "../../src/web/api-devices.ts";
import { useResource } from "../resource.ts";
import { T } from "../text.tsx";

const OwnContext = createContext<OwnView | null>(null);

export function OwnAllowance({ children }: { readonly children: ComponentChildren }) {
  const { value } = useResource<OwnView>("/api/own");
  return <OwnContext.Provider value={value}>{children}</OwnContext.Provider>;
}

export function useOwn(): OwnView | null {
  return useContext(OwnContext);
}

/** Its children, or why this device may not do what they are for. */
export function OnlyAll({ children }: { readonly children: ComponentChildren }) {
  return useOwn()?.limit === undefined ? <>{children}</> : <OwnLimit />;
}

/** Beside what has no buttons on a limited device. */
export function OwnLimit() {
  const limit = useOwn()?.limit;
  return limit === undefined ? null : <Limit text={limit} />;
}

/** In place of the buttons. */
export function Limit({ text }: { readonly text: string }) {
  return (
    <p class="notice" role="status">
      <T text={text} maxLength={400} />
    </p>
  );
}
