// The agents that `sallyport run` knows, from npm, with a scripted model: the tests of clients.inside.ts, clients-on-terminal.inside.ts and
// clients-key.inside.ts. ONLY_CLIENT=codex runs one of them.

import { join } from "node:path";
import test from "node:test";
import { installClients } from "../../fixtures/agent-clients.ts";
import { testInInternet } from "../../fixtures/internet.ts";

const skip = process.getuid?.() !== 0 && "only root can make such an internet";
const timeout = 3_600_000;
const here = (name: string) => [`test/cli/run/${name}.inside.ts`];
const clients = () => ({ CLIENTS: installClients(join(import.meta.dirname, "../../..")) });

for (const as of ["root", "user"] as const) {
  test(`whole agents without a terminal, as ${as}`, { skip, timeout }, (t) =>
    testInInternet(t, here("clients"), as, clients()),
  );
  test(`whole agents on a terminal, as ${as}`, { skip, timeout }, (t) =>
    testInInternet(t, here("clients-on-terminal"), as, clients()),
  );
}

test("whole agents and the person's key, as root", { skip, timeout }, (t) =>
  testInInternet(t, here("clients-key"), "root", clients()),
);
