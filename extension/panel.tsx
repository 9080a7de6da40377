// Starts the side panel: the page's own views, behind a door of its own.

import { render } from "preact";
import { connectThrough } from "../ui/client.ts";
import { gateConnection, loadGate } from "./gate.ts";
import { SidePanel } from "./side-panel.tsx";

connectThrough(gateConnection);
await loadGate();
render(<SidePanel />, document.getElementById("app") as HTMLElement);
