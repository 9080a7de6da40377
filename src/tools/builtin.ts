// The tools that start no program of the agent's choosing.

import { deleteFileTool } from "./delete-file.ts";
import { editFileTool } from "./edit-file.ts";
import { listFilesTool } from "./list-files.ts";
import { readFileTool } from "./read-file.ts";
import type { Registry } from "./registry.ts";
import { searchFilesTool } from "./search-files.ts";
import { writeFileTool } from "./write-file.ts";

/** The file tools. `Exec` is never among them, nor any other that runs programs: each has a function of its own. */
export function registerBuiltinTools(registry: Registry): void {
  registry.register(readFileTool);
  registry.register(writeFileTool);
  registry.register(editFileTool);
  registry.register(listFilesTool);
  registry.register(searchFilesTool);
  registry.register(deleteFileTool);
}
