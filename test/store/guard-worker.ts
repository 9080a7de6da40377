// A process that holds placeholders: `guard-worker.ts STATE ROOT NAME…`. It makes them and waits; a line on stdin ends it
// in order, `crash-before` as the first name ends it between the book and the disk.

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openGuardLedger } from "../../src/store/guards.ts";

const [state = "", root = "", ...names] = process.argv.slice(2);
const ledger = openGuardLedger(state);
const hold = ledger.hold(
  root,
  names.map((name) => join(root, name)),
);
if (names[0] === "crash-before") process.kill(process.pid, "SIGKILL");
for (const path of hold.paths) writeFileSync(path, "", { flag: "a" });
process.stdout.write("held\n");
process.stdin.once("data", () => {
  ledger.release(hold, (paths) => paths.forEach((path) => rmSync(path, { force: true })));
  ledger.close();
  process.exit(0);
});
