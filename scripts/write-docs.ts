// Writes the documents that are made from the code. Run it after a change of the configuration's schema.

import { writeFileSync } from "node:fs";
import { configReference } from "../src/config/reference.ts";

writeFileSync(new URL("../docs/configuration.md", import.meta.url), configReference());
