// The hooks of docs/agents.md in the clients that npm brings, with a scripted model: the tests of hook-clients.inside.ts.
// ONLY_CLIENT=codex runs one.

import { join } from "node:path";
import test from "node:test";
import { installClients } from "../../fixtures/agent-clients.ts";
import { testInInternet } from "../../fixtures/internet.ts";

const skip = process.getuid?.() !== 0 && "only root can make such an internet";

test("hooks of whole clients, outside a box", { skip, timeout: 1_800_000 }, async (t) => {
  process.env["CLIENTS"] = installClients(join(import.meta.dirname, "../../.."));
  await testInInternet(t, ["test/cli/hook/hook-clients.inside.ts"], "root");
});
