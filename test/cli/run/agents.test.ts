// Known agents and the person's key, end to end, in an internet of their own: the tests of agents.inside.ts.

import test from "node:test";
import { testInInternet } from "../../fixtures/internet.ts";

const skip = process.getuid?.() !== 0 && "only root can make such an internet";

test("known agents, as root", { skip, timeout: 600_000 }, (t) =>
  testInInternet(t, ["test/cli/run/agents.inside.ts"], "root"),
);
