// Starts the page.

import { render } from "preact";
import { App } from "./app.tsx";
import { connectThrough } from "./client.ts";
import { pageConnection } from "./page-connection.ts";

connectThrough(pageConnection);
// On its own machine the page keeps nothing: another program may have the port later.
if (location.protocol === "https:") void navigator.serviceWorker?.register("/service-worker.js").catch(() => undefined);
render(<App />, document.getElementById("app") as HTMLElement);
