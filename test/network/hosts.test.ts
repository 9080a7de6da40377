// Boxes that reach single hosts, end to end, in an internet of their own: the tests of the files that end in inside.ts. The slow suite
// has them also as a user, and with more clients.

import test from "node:test";
import { testInInternet } from "../fixtures/internet.ts";

const skip = process.getuid?.() !== 0 && "only root can make such an internet";
const timeout = 600_000;

test("hosts, as root", { skip, timeout }, (t) => testInInternet(t, ["test/network/hosts.inside.ts"], "root"));
test("clients, as a user", { skip, timeout }, (t) => testInInternet(t, ["test/network/clients.inside.ts"], "user"));
