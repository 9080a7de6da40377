// Writes what the documents take from the code: two whole pages, and the blocks of facts in the others. Run it after a change
// of a schema, of the effects or of the error codes; a test says when it is due.

import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { configReference } from "./config-reference.ts";
import { workerReference } from "./worker-reference.ts";
import { withFacts } from "./document-facts.ts";

const root = join(import.meta.dirname, "..");

writeFileSync(join(root, "docs/configuration.md"), configReference());
writeFileSync(join(root, "docs/worker.md"), workerReference());
for (const path of ["README.md", "ARCHITECTURE.md", ...globSync("docs/*.md", { cwd: root })]) {
  const file = join(root, path);
  const text = readFileSync(file, "utf8");
  const made = withFacts(text);
  if (made !== text) writeFileSync(file, made);
}
