// What `init` writes, in the clients that npm brings, with a scripted model: the tests of init-clients.inside.ts. ONLY_CLIENT=codex runs one.

import { join } from "node:path";
import test from "node:test";
import { installClients } from "../../fixtures/agent-clients.ts";
import { testInInternet } from "../../fixtures/internet.ts";

const skip = process.getuid?.() !== 0 && "only root can make such an internet";

test("the tools of the gate in whole clients, as init wires them", { skip, timeout: 1_800_000 }, async (t) => {
  let clients: string;
  try {
    clients = installClients(join(import.meta.dirname, "../../.."));
  } catch (error) {
    return t.skip(String(error));
  }
  await testInInternet(t, ["test/cli/init/init-clients.inside.ts"], "root", { CLIENTS: clients });
});
