// Every implementation of the shared store passes its contract.

import type { TestContext } from "node:test";
import { LocalStore } from "../../src/runtime/local-store.ts";
import { thisProcess } from "../../src/store/holder.ts";
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
