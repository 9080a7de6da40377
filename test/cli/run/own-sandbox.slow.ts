// Sandboxes of agents, with the agents as npm brings them: the tests of own-sandbox.inside.ts.

import { join } from "node:path";
import test from "node:test";
import { installClients } from "../../fixtures/agent-clients.ts";
import { testInInternet } from "../../fixtures/internet.ts";

const skip = process.getuid?.() !== 0 && "only root can make such an internet";

test("an agent's own sandbox, as root", { skip, timeout: 1_200_000 }, (t) =>
  testInInternet(t, ["test/cli/run/own-sandbox.inside.ts"], "root", {
    CLIENTS: installClients(join(import.meta.dirname, "../../..")),
  }),
);
