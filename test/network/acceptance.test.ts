// What is promised about hosts and is not in hosts.inside.ts, in an internet of the test's own, as root and as a user.

import test from "node:test";
import { testInInternet } from "../fixtures/internet.ts";

const skip = process.getuid?.() !== 0 && "only root can make such an internet";
const timeout = 600_000;

for (const as of ["root", "user"] as const)
  test(`as ${as}`, { skip, timeout }, (t) => testInInternet(t, ["test/network/acceptance.inside.ts"], as));
