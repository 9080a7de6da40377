// What a page does with a repository at GitHub: looks at its branch, and lands a commit over it. As use-library.ts, it goes
// to the browser as text.

import type { Library } from "./use-library.ts";

export interface GithubUse {
  readonly before: string | null;
  readonly commit: string;
  readonly landed: string;
  /** The branch afterwards, and a file as it is there. */
  readonly after: string | null;
  readonly content: string;
}

export async function useGithub(library: Library, baseUrl: string): Promise<GithubUse> {
  const api = library.createGithubApi({
    baseUrl,
    token: "a-token-of-nobody",
    send: (url, options) => fetch(url, options),
  });
  const repo = library.parseGithubRepo("octo/r0");
  if (!repo.ok) throw new Error(repo.failure.message);
  const hash = library.objectHash("sha1", library.portableHashes);
  const target = library.githubTarget({ repo: repo.value, branch: null, api, hash });
  const look = async () => {
    const looked = await target.readState();
    if (!looked.ok) throw new Error(looked.failure.message);
    return looked.value;
  };
  const looked = await look();
  const { state } = looked;
  // Not text, so that it goes as a blob of its own.
  const blob = await library.makeObject(hash, "blob", Uint8Array.of(0, 1, 2, 255));
  const path = "data/from-a-page.bin";
  const change = { path, mode: "100644", id: blob.id, size: blob.content.length } as const;
  const tree = await library.buildTree(state.baseTree, [change], {
    hash,
    source: { read: (id) => looked.readTree(id) },
  });
  if (!tree.ok) throw new Error(tree.failure.message);
  const person = { name: "Ana", email: "ana@example.com", timeS: 1_767_312_000, offsetMinutes: 0 };
  const content = library.encodeCommit({
    tree: tree.value.id,
    parents: state.baseCommit === null ? [] : [state.baseCommit],
    author: person,
    committer: person,
    message: "From a page\n",
  });
  if (!content.ok) throw new Error(content.failure.message);
  const commit = await library.makeObject(hash, "commit", content.value);
  const changes = [{ path, before: null, after: { mode: "100644", id: blob.id, content: blob.content } }];
  const landed = await target.land(
    {
      state,
      commit: commit.id,
      objects: [blob, ...tree.value.objects, commit],
      steps: [{ commit: commit.id, changes }],
      changes,
    },
    () => undefined,
  );
  const after = await look();
  const found = (await after.readBlobs([blob.id])).get(blob.id) ?? new Uint8Array();
  return {
    before: state.oldCommit,
    commit: commit.id,
    landed: JSON.stringify(landed),
    after: after.state.oldCommit,
    content: [...found].join(),
  };
}

export interface ArchiveUse {
  readonly files: number;
  /** What was sent for them, without what the state and the trees took. */
  readonly requests: readonly string[];
}

/** Reads every file of a flat repository at once. */
export async function useArchive(library: Library, baseUrl: string): Promise<ArchiveUse> {
  const requests: string[] = [];
  const send = (url: string, options: RequestInit) => {
    requests.push(`${options.redirect} ${new URL(url).pathname}`);
    return fetch(url, options);
  };
  const api = library.createGithubApi({ baseUrl, token: "a-token-of-nobody", send });
  const repo = library.parseGithubRepo("octo/r0");
  if (!repo.ok) throw new Error(repo.failure.message);
  const hash = library.objectHash("sha1", library.portableHashes);
  const looked = await library.githubTarget({ repo: repo.value, branch: null, api, hash }).readState();
  if (!looked.ok) throw new Error(looked.failure.message);
  const { state } = looked.value;
  const entries = await looked.value.readTree(state.baseTree ?? "");
  requests.length = 0;
  const files = await looked.value.readBlobs(entries.map(({ id }) => id));
  return { files: files.size, requests };
}
