// A pull as the extension makes it, in a worker of a page: the whole gate, with its record in SQLite and its files in a pack, both in
// the private file system. Only the person's yes comes at once.

import sqlite3InitModule from "@sqlite.org/sqlite-wasm";
import * as library from "../src/browser.ts";

/** Plain data: it comes by message. */
export interface PullTask {
  readonly url: string;
  readonly repository: string;
  readonly token: string;
  readonly session: string;
}

export interface PullDone {
  readonly ms: number;
  readonly files: number;
}

interface Directory {
  getFileHandle(
    name: string,
    options: { readonly create: boolean },
  ): Promise<{ createSyncAccessHandle(): Promise<library.PackHandles[0]> }>;
}

async function openStores(): Promise<library.BrowserStores> {
  // Its types leave the option out that says where its own files are.
  const load = sqlite3InitModule as unknown as (options: object) => Promise<library.SqliteModule>;
  const sqlite = await load({ locateFile: (name: string) => `/${name}` });
  const pool = await library.openSqlitePool(sqlite, "/stores");
  return library.openBrowserStores({
    open: (name, schema) => library.openWasmDatabase(sqlite, pool, `/${name}.sqlite`, schema),
    auditKey: new Uint8Array(32).fill(7),
    command: () => "the bench",
  });
}

async function openHandle(name: string): Promise<library.PackHandles[0]> {
  const { storage } = navigator as unknown as { storage: { getDirectory(): Promise<Directory> } };
  const handle = await (
    await (await storage.getDirectory()).getFileHandle(name, { create: true })
  ).createSyncAccessHandle();
  handle.truncate(0);
  handle.flush();
  return handle;
}

const yes: library.Approver = {
  name: "bench",
  ask: async ({ action }) => ({ decision: "allow", digest: action.digest, scope: "once", who: "bench", reason: null }),
};

let stores: Promise<library.BrowserStores> | null = null;

async function pull({ url, repository, token, session }: PullTask): Promise<PullDone> {
  stores ??= openStores();
  const opened = await stores;
  const handles = [await openHandle("a"), await openHandle("b")] as const;
  const registry = library.createRegistry();
  library.registerBuiltinTools(registry);
  const begun = performance.now();
  const pack = await library.openPackWorkspace(handles);
  if (!pack.ok) throw new Error(pack.failure.message);
  const { files } = pack.value;
  const { gate } = library.openBrowserGate({
    stores: opened,
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
  const ms = performance.now() - begun;
  if (!reply.ok) throw new Error(`${reply.error}: ${reply.message}`);
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
