// Makes the demo's repository: bare, with one commit. The gate writes the objects itself, and git reads them like any other.

import { deflateSync } from "node:zlib";
import { encodeCommit } from "../../git/publish/commit.ts";
import { type GitObject, makeObject, type ObjectType } from "../../git/publish/object.ts";
import { encodeTree, type TreeEntry } from "../../git/publish/tree-entry.ts";
import { objectHash } from "../../git/object-hash.ts";
import type { TempDirectory } from "../../store/temp-directory.ts";
import { nodeHashes } from "../../process/node-hashes.ts";

/** In git's order of tree entries. */
const demoFiles: readonly (readonly [name: string, text: string])[] = [
  ["prices.txt", "20\n30\n10\n"],
  [
    "test.sh",
    `#!/bin/sh
found=$(sh total.sh prices.txt)
[ "$found" = 60 ] && echo "ok: 60" && exit
echo "wrong: $found, not 60"
exit 1
`,
  ],
  ["total.sh", `#!/bin/sh\n# Adds up the prices in a file.\nawk '{ sum = $1 } END { print sum }' "$1"\n`],
];

const person = { name: "Demo", email: "demo@localhost" };

/** Returns the path of the repository. */
export async function makeDemoRepository(directory: TempDirectory, now: number): Promise<string> {
  const hash = objectHash("sha1", nodeHashes);
  const keep = async (type: ObjectType, content: Uint8Array): Promise<GitObject> => {
    const object = await makeObject(hash, type, content);
    const bytes = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
    directory.write(`shop.git/objects/${object.id.slice(0, 2)}/${object.id.slice(2)}`, deflateSync(bytes));
    return object;
  };
  const entries: TreeEntry[] = [];
  for (const [name, text] of demoFiles)
    entries.push({
      mode: "100644",
      name: Buffer.from(name),
      id: (await keep("blob", Buffer.from(text))).id,
    });
  const tree = await keep("tree", encodeTree(entries, "sha1"));
  const signature = { ...person, timeS: Math.floor(now / 1000), offsetMinutes: 0 };
  const both = { author: signature, committer: signature };
  const commit = encodeCommit({ tree: tree.id, parents: [], ...both, message: "A shop\n" });
  if (!commit.ok) throw new Error(commit.failure.message);
  const { id } = await keep("commit", commit.value);
  directory.write("shop.git/refs/heads/main", `${id}\n`);
  directory.write("shop.git/HEAD", "ref: refs/heads/main\n");
  directory.write("shop.git/config", "[core]\n\trepositoryformatversion = 0\n\tbare = true\n");
  directory.makeDirectory("shop.git/objects/pack");
  return `${directory.path}/shop.git`;
}
