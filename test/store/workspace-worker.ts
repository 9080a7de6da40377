// A process that saves: `workspace-worker.ts DIRECTORY COUNT NAME`. Each save is one batch of three files that hold its
// number, and of one file with a name of its own. COUNT 0: without end, until it is killed.

import { createMemoryWorkspace } from "../../src/workspace/memory.ts";
import { parseWorkspacePath } from "../../src/workspace/path.ts";
import type { Change } from "../../src/workspace/workspace.ts";
import { saveSession } from "../../src/store/saved-session.ts";
import { openWorkspaceStore } from "../../src/store/workspaces.ts";
import { sessionOfDefault } from "../fixtures/session-id.ts";

const [directory = "", count = "0", name = ""] = process.argv.slice(2);
const store = openWorkspaceStore(directory);
const kept = await saveSession(createMemoryWorkspace(), store, sessionOfDefault("shared"));
if (!kept.ok) throw new Error(kept.failure.message);

function write(path: string, text: string): Change {
  const parsed = parseWorkspacePath(path);
  if (!parsed.ok) throw new Error(parsed.failure.message);
  return { operation: "write", path: parsed.value, bytes: Buffer.from(text), executable: false };
}

process.stdout.write("open\n");
for (let index = 1; count === "0" || index <= Number(count); index += 1) {
  const batch = ["x", "y", "z"].map((file) => write(`${name}/${file}`, `${index} ${"-".repeat(5_000)}`));
  const applied = await kept.value.workspace.apply([...batch, write(`${name}/each/${index}`, `${name} ${index}`)]);
  if (!applied.ok) throw new Error(applied.failure.message);
  const saved = await kept.value.save();
  if (!saved.ok) throw new Error(saved.failure.message);
  process.stdout.write(`${index}\n`);
}
store.close();
