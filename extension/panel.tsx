// Starts the side panel: the page's own views, behind doors of its own.

import { render } from "preact";
import { browserGateConnection } from "./browser-gate/connection.ts";
import { gateConnection, loadGate } from "./gate.ts";
import { SidePanel } from "./side-panel.tsx";

await loadGate();
const host = { allow: (patterns: readonly string[]) => chrome.permissions.request({ origins: [...patterns] }) };
render(
  <SidePanel gates={{ review: gateConnection, work: browserGateConnection }} host={host} />,
  document.getElementById("app") as HTMLElement,
);
