// `npm start`: whoever ends it ends the server; no shell stays between them.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import test from "node:test";
import { newCliUser } from "../fixtures/cli.ts";

const root = join(import.meta.dirname, "../..");
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: { start: string } };

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  const opened = await Promise.race([once(socket, "connect"), once(socket, "error").then(() => null)]).catch(
    () => null,
  );
  socket.destroy();
  return opened !== null;
}

for (const signal of ["SIGTERM", "SIGINT"] as const)
  test(`${signal} to what npm starts ends the server, with 0`, async (t) => {
    const person = newCliUser(t);
    const [prepare, ...rest] = scripts.start.split(" && ");
    assert.equal(prepare, "node scripts/prepare.js");
    // As npm does it. What is prepared is prepared: this is a test.
    const line = ["true", ...rest].join(" && ");
    const flags = ["--port", "0", "--json", "--state", person.state, "--project", person.project];
    const child = spawn("sh", ["-c", `${line} ${flags.join(" ")}`], {
      cwd: root,
      env: person.env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    t.after(() => child.kill("SIGKILL"));
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const { port } = JSON.parse(String((await lines.next()).value)) as { port: number };
    assert.equal(await isOpen(port), true);
    child.kill(signal);
    assert.deepEqual(await once(child, "exit"), [0, null]);
    assert.equal(await isOpen(port), false);
  });
