// audit-flood in full: a hundred thousand refused calls. In the ordinary run it is four thousand.

import { after, test } from "node:test";
import { flood } from "./recorded.ts";
import { configHome, makeWorld, removeWorlds } from "./world.ts";

process.env["XDG_CONFIG_HOME"] = configHome;
after(removeWorlds);

test("audit-flood: 100000 refused calls are all on the record", () => flood(makeWorld("audit-flood"), 100_000));
