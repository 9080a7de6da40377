// Every implementation of the shared store passes its contract.

import { join } from "node:path";
import type { TestContext } from "node:test";
import { openBrowserStores } from "../../src/browser/browser-stores.ts";
import { LocalStore } from "../../src/runtime/local-store.ts";
import { bareOwnCommand } from "../../src/shared/own-command.ts";
import { thisProcess } from "../../src/store/holder.ts";
import { openDatabase } from "../../src/store/sqlite.ts";
import { sharedStoreContract, type StoreWorld } from "../contracts/shared-store.ts";
import { makeTestDirectories } from "../fixtures/gate.ts";

function sqlite(t: TestContext): StoreWorld {
  const directories = makeTestDirectories();
  let now = 1_000_000_000;
  const opened: LocalStore[] = [];
  const open = (boot?: string) => {
    const process = { ...thisProcess(), ...(boot === undefined ? {} : { boot, pid: 1 }) };
    const paths = { stateDirectory: directories.state, configDirectory: directories.base, home: directories.base };
    const store = new LocalStore(paths, { process, clock: { now: () => now, monotonic: () => now } });
    opened.push(store);
    return store;
  };
  t.after(async () => {
    for (const store of opened) await store.close();
    directories.remove();
  });
  return {
    open: () => open(),
    openElsewhere: () => open("another-machine"),
    pass: (ms) => void (now += ms),
    append: (entry) => void open().journal.append(entry),
    project: directories.project,
  };
}

sharedStoreContract("SQLite", sqlite);

/** The stores of a browser, over SQLite of this machine. test/browser has them over SQLite in WebAssembly. */
function browser(t: TestContext): StoreWorld {
  const directories = makeTestDirectories();
  let now = 1_000_000_000;
  const { store, journal } = openBrowserStores({
    open: (name, schema) => openDatabase(join(directories.base, `${name}.sqlite`), schema),
    auditKey: new Uint8Array(32).fill(7),
    command: bareOwnCommand,
    clock: { now: () => now, monotonic: () => now },
  });
  t.after(async () => {
    await store.close();
    directories.remove();
  });
  return {
    open: () => store,
    openElsewhere: () => store,
    pass: (ms) => void (now += ms),
    append: (entry) => void journal.append(entry),
    project: directories.project,
  };
}

sharedStoreContract("a browser", browser, "one");
