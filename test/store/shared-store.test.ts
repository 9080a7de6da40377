// Every implementation of the shared store passes its contract.

import type { TestContext } from "node:test";
import { LocalStore } from "../../src/runtime/local-store.ts";
import { thisProcess } from "../../src/store/holder.ts";
import { sharedStoreContract, type StoreWorld } from "../contracts/shared-store.ts";
import { makePlace } from "../fixtures/gate.ts";

function sqlite(t: TestContext): StoreWorld {
  const place = makePlace();
  let now = 1_000_000_000;
  const opened: LocalStore[] = [];
  const open = (boot?: string) => {
    const process = { ...thisProcess(), ...(boot === undefined ? {} : { boot, pid: 1 }) };
    const paths = { stateDirectory: place.state, configDirectory: place.base, home: place.base };
    const store = new LocalStore(paths, { process, clock: { now: () => now, monotonic: () => now } });
    opened.push(store);
    return store;
  };
  t.after(async () => {
    for (const store of opened) await store.close();
    place.remove();
  });
  return {
    open: () => open(),
    openElsewhere: () => open("another-machine"),
    pass: (ms) => void (now += ms),
    append: (entry) => void open().journal.append(entry),
    project: place.project,
  };
}

sharedStoreContract("SQLite", sqlite);
