// The agents that `sallyport run` knows, from npm, with the gate inside: the tests of inside-clients.inside.ts. ONLY_CLIENT=claude runs one.

import { join } from "node:path";
import test from "node:test";
import { installClients } from "../../fixtures/agent-clients.ts";
import { testInInternet } from "../../fixtures/internet.ts";

const skip = process.getuid?.() !== 0 && "only root can make such an internet";

test("whole agents and the gate inside, as root", { skip, timeout: 1_800_000 }, async (t) => {
  process.env["CLIENTS"] = installClients(join(import.meta.dirname, "../../.."));
  await testInInternet(t, ["test/cli/run/inside-clients.inside.ts"], "root");
});
