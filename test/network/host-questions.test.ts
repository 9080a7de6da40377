// Questions about hosts where people answer them: test/network/host-questions.inside.ts, in an internet of its own.

import test from "node:test";
import { testInInternet } from "../fixtures/internet.ts";

const skip = process.getuid?.() !== 0 && "only root can make such an internet";

test("questions about hosts, as root", { skip, timeout: 600_000 }, (t) =>
  testInInternet(t, ["test/network/host-questions.inside.ts"], "root"),
);
