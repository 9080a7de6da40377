// The hooks of the profiles in the clients that npm brings: the tests of said-clients.inside.ts. ONLY_CLIENT=codex runs one.

import { join } from "node:path";
import test from "node:test";
import { installClients } from "../../fixtures/agent-clients.ts";
import { testInInternet } from "../../fixtures/internet.ts";

const skip = process.getuid?.() !== 0 && "only root can make such an internet";

test("what whole clients say in the box", { skip, timeout: 1_800_000 }, async (t) => {
  process.env["CLIENTS"] = installClients(join(import.meta.dirname, "../../.."));
  await testInInternet(t, ["test/cli/run/said-clients.inside.ts"], "root");
});
