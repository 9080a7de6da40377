// Writes the documents that are made from the code. Run it after a change of the configuration's schema.

import { writeFileSync } from "node:fs";
import { configReference } from "../src/config/reference.ts";
import { workerReference } from "../src/config/worker-reference.ts";

writeFileSync(new URL("../docs/configuration.md", import.meta.url), configReference());
writeFileSync(new URL("../docs/worker.md", import.meta.url), workerReference());
