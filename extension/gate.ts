// The gate that this browser is paired with: its address and the token, in the extension's own storage.
// Invariant: the token goes to the address that it was given for, and no page or other extension can read it.

import type { Connection } from "../ui/client.ts";

export interface PairedGate {
  /** Such as `http://127.0.0.1:7117`. */
  readonly address: string;
  /** Null once the server does not know it any more. */
  readonly token: string | null;
}

const KEY = "gate";
const listeners = new Set<() => void>();
let gate: PairedGate | null = null;

export function knownGate(): PairedGate | null {
  return gate;
}

/** Reads what is stored, and follows its changes: the panel and the service worker each have a copy. */
export async function loadGate(): Promise<void> {
  chrome.storage.onChanged.addListener((changes, area) => {
    if (area === "local" && KEY in changes) void read();
  });
  // SECURITY(T84): the token is for pages of this extension alone.
  await chrome.storage.local.setAccessLevel({ accessLevel: "TRUSTED_CONTEXTS" });
  await read();
}

async function read(): Promise<void> {
  gate = ((await chrome.storage.local.get(KEY))[KEY] as PairedGate | undefined) ?? null;
  for (const listener of listeners) listener();
}

export async function keepGate(paired: PairedGate): Promise<void> {
  gate = paired;
  await chrome.storage.local.set({ [KEY]: paired });
}

/** For the requests of a pairing, before there is a token. Nothing is stored. */
export function beginAt(address: string): void {
  gate = { address, token: null };
}

export const gateConnection: Connection = {
  get base() {
    return gate?.address ?? "";
  },
  token: () => gate?.token ?? null,
  forget() {
    if (gate !== null) void keepGate({ ...gate, token: null }).then(() => listeners.forEach((listener) => listener()));
  },
  onChange(listener) {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
