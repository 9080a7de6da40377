// The agents that `sallyport run` knows, from npm, with a scripted model: the tests of clients.inside.ts. ONLY_CLIENT=codex runs one.

import { join } from "node:path";
import test from "node:test";
import { installClients } from "../../fixtures/agent-clients.ts";
import { testInInternet } from "../../fixtures/internet.ts";

const skip = process.getuid?.() !== 0 && "only root can make such an internet";
const timeout = 1_800_000;
const inside = ["test/cli/run/clients.inside.ts"];

test("whole agents, as root", { skip, timeout }, async (t) => {
  process.env["CLIENTS"] = installClients(join(import.meta.dirname, "../../.."));
  await testInInternet(t, inside, "root");
});
