// A pull as the extension makes it, in a worker of a page: the whole gate, with its record in SQLite and its files in a pack, both in
// the private file system. Only the person's yes comes at once. Or the library's part of it alone: read, checked, and stored in a pack.

import * as library from "../src/browser.ts";
import { openHandle, openStores } from "./worker-storage.ts";

/** Plain data: it comes by message. */
export interface PullTask {
  readonly url: string;
  readonly repository: string;
  readonly token: string;
  /** Of the gate. Null: without one. */
  readonly session: string | null;
}

export interface PullDone {
  readonly ms: number;
  readonly files: number;
}

const yes: library.Approver = {
  name: "bench",
  ask: async ({ action }) => ({ decision: "allow", digest: action.digest, scope: "once", who: "bench", reason: null }),
};

type Files = library.PackWorkspace["files"];

let stores: Promise<library.BrowserStores> | null = null;

async function pullThroughGate({ url, repository, token }: PullTask, session: string, files: Files): Promise<void> {
  const registry = library.createRegistry();
  library.registerBuiltinTools(registry);
  const { gate } = library.openBrowserGate({
    stores: await (stores as Promise<library.BrowserStores>),
    files,
    box: { run: () => Promise.reject(new Error("nothing runs here")) },
    registry,
    session,
    project: "/bench/project",
    github: {
      url,
      send: (address, options) => fetch(address, options),
      signedIn: { token: async () => token, author: () => ({ name: "Ana", email: "ana@example.com", guessed: [] }) },
    },
    approvers: [yes],
    command: () => "the bench",
  });
  const source = { type: "github", repo: repository, branch: "main" };
  const reply = await gate.call({ tool: "git_pull", args: { source, paths: ["."] } });
  if (!reply.ok) throw new Error(`${reply.error}: ${reply.message}`);
}

function valueOf<T>(result: library.Result<T>): T {
  if (!result.ok) throw new Error(result.failure.message);
  return result.value;
}

async function pullAlone({ url, repository, token }: PullTask, files: Files): Promise<void> {
  const api = library.createGithubApi({ baseUrl: url, token, send: (address, options) => fetch(address, options) });
  const repo = valueOf(library.parseGithubRepo(repository));
  const hash = library.objectHash("sha1", library.portableHashes);
  const reading = valueOf(await library.githubTarget({ repo, branch: "main", api, hash }).readState());
  const found: { readonly path: string; readonly id: string }[] = [];
  const walk = async (id: string, above: string): Promise<void> => {
    const directories: Promise<void>[] = [];
    for (const entry of await reading.readTree(id)) {
      const path = `${above}${new TextDecoder().decode(entry.name)}`;
      if (entry.mode === "40000") directories.push(walk(entry.id, `${path}/`));
      else found.push({ path, id: entry.id });
    }
    await Promise.all(directories);
  };
  await walk(reading.state.baseTree ?? "", "");
  const blobs = await reading.readBlobs(found.map(({ id }) => id));
  const changes = found.map(({ path, id }) => {
    const bytes = blobs.get(id);
    if (bytes === undefined) throw new Error(`${path} did not come`);
    return {
      operation: "write",
      path: valueOf(library.parseWorkspacePath(path)),
      bytes,
      executable: false,
    } as const;
  });
  valueOf(await files.apply(changes));
}

async function pull(task: PullTask): Promise<PullDone> {
  if (task.session !== null) await (stores ??= openStores());
  const handles = [await openHandle("a"), await openHandle("b")] as const;
  const begun = performance.now();
  const { files } = valueOf(await library.openPackWorkspace(handles));
  if (task.session === null) await pullAlone(task, files);
  else await pullThroughGate(task, task.session, files);
  const ms = performance.now() - begun;
  const { files: count } = await files.usage();
  await files.close();
  return { ms, files: count };
}

addEventListener("message", ({ data }: MessageEvent<PullTask>) => {
  pull(data).then(
    (answer) => postMessage({ answer }),
    (error: unknown) => postMessage({ error: error instanceof Error ? error.stack : String(error) }),
  );
});
