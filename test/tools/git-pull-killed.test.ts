import test from "node:test";
import { runs } from "../fixtures/runs.ts";
import { killAndPullAgain } from "./git-pull-killed.ts";

test("a pull that is killed at any moment is whole or not at all, and can be done again", async (context) => {
  context.diagnostic(JSON.stringify(await killAndPullAgain((rounds) => rounds >= runs(6, 4))));
});
