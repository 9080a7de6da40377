// What a program of `sallyport run` can reach: the tests of box-of-run.inside.ts, as a user.

import test from "node:test";
import { testInInternet } from "../../fixtures/internet.ts";

const skip = process.getuid?.() !== 0 && "only root can make such an internet";

test("the box of a run, as a user", { skip, timeout: 600_000 }, (t) =>
  testInInternet(t, ["test/cli/run/box-of-run.inside.ts"], "user"),
);
