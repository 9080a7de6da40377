// Every property that the ordinary run tries a tenth as often, in full.

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

process.env["SALLYPORT_TESTS_FULL"] = "1"; // before a test file is loaded

const directory = import.meta.dirname;
for (const file of globSync("**/*.test.ts", { cwd: directory }).sort()) {
  const path = join(directory, file);
  if (/ from ".*\/fixtures\/runs\.ts"/.test(readFileSync(path, "utf8"))) await import(path);
}
