// Hosts that programs inside `sallyport run` ask for, in an internet of their own: the tests of inside-network.inside.ts.

import test from "node:test";
import { testInInternet } from "../../fixtures/internet.ts";

const skip = process.getuid?.() !== 0 && "only root can make such an internet";

test("hosts asked for from inside, as root", { skip, timeout: 600_000 }, (t) =>
  testInInternet(t, ["test/cli/run/inside-network.inside.ts"], "root"),
);
