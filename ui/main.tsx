// Starts the page.

import { render } from "preact";
import { App } from "./app.tsx";
import { connectThrough } from "./client.ts";
import { pageConnection } from "./page-connection.ts";

connectThrough(pageConnection);
render(<App />, document.getElementById("app") as HTMLElement);
