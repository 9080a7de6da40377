// A process that stages: `staged-worker.ts DIRECTORY NAME`, without end, until it is killed. Every third commit is
// discarded again. It says each number once it is done with it.

import { contentHash, type StagedFile } from "../../src/git/staged.ts";
import { nodeHashes } from "../../src/process/node-hashes.ts";
import { openStagedStore } from "../../src/store/staged.ts";
import { sessionOfDefault } from "../fixtures/session-id.ts";

const [directory = "", name = ""] = process.argv.slice(2);
const store = openStagedStore(directory);
process.stdout.write("open\n");
for (let index = 1; ; index += 1) {
  const contents = ["x", "y", "z"].map((file) => Buffer.from(`${name} ${file} ${index} ${"-".repeat(5_000)}`));
  const files = contents.map((bytes, place): StagedFile => {
    const after = { contentHash: contentHash(nodeHashes, bytes), size: bytes.length, mode: "100644" } as const;
    return { path: `${name}/${place}`, operation: "create", after, before: null };
  });
  const id = `${name}-${index}`;
  store.stage(
    { id, session: "shared", agent: "default", message: id, files, createdAt: index },
    contents.map((bytes) => ({ hash: contentHash(nodeHashes, bytes), bytes })),
  );
  if (index % 3 === 0) store.discard(id, sessionOfDefault("shared"));
  process.stdout.write(`${index}\n`);
}
