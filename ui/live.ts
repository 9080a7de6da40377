// The newest live state, for every view. The frame of the page provides it.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Live } from "./live-events.ts";

export const LiveContext = createContext<Live>({ state: null, isConnected: false });

export function useLive(): Live {
  return useContext(LiveContext);
}
