// Who sends a request that was let in.

import type { Device } from "../store/devices.ts";

export interface Asker {
  /** For the record. */
  readonly who: string;
  /** Null for a page that entered by a link, and for the side panel at the gate of its own browser. */
  readonly device: Device | null;
}

declare module "hono" {
  interface ContextVariableMap {
    asker: Asker;
    /** Whether what let this request in would let it in now. */
    isStillIn?: () => boolean;
  }
}
