// The stores and the pack of the extension's gate, in a worker of a bench.

import sqlite3InitModule from "@sqlite.org/sqlite-wasm";
import * as library from "../src/browser.ts";

interface Directory {
  getFileHandle(
    name: string,
    options: { readonly create: boolean },
  ): Promise<{ createSyncAccessHandle(): Promise<library.PackHandles[0]> }>;
}

export async function openStores(): Promise<library.BrowserStores> {
  // Its types leave the option out that says where its own files are.
  const load = sqlite3InitModule as unknown as (options: object) => Promise<library.SqliteModule>;
  const sqlite = await load({ locateFile: (name: string) => `/${name}` });
  const pool = await library.openSqlitePool(sqlite, "/stores");
  return library.openBrowserStores({
    open: (name, schema, journal) => library.openWasmDatabase(sqlite, pool, `/${name}.sqlite`, schema, journal),
    auditKey: new Uint8Array(32).fill(7),
    command: () => "the bench",
  });
}

export async function openHandle(name: string): Promise<library.PackHandles[0]> {
  const { storage } = navigator as unknown as { storage: { getDirectory(): Promise<Directory> } };
  const handle = await (
    await (await storage.getDirectory()).getFileHandle(name, { create: true })
  ).createSyncAccessHandle();
  handle.truncate(0);
  handle.flush();
  return handle;
}
