// Programs are found under the names that people use: through alternatives, links, and in places of their own.

import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import test, { after } from "node:test";
import { makeTestDirectories, openGate, resultOf } from "../fixtures/gate.ts";

const directories = makeTestDirectories();
const runtime = join(directories.base, "versions/node/bin");
mkdirSync(runtime, { recursive: true });
copyFileSync(process.execPath, join(runtime, "node"));
symlinkSync(join(runtime, "node"), join(directories.base, "node-link"));
const paths = [
  { path: "/usr", mode: "r" },
  { path: join(directories.base, "versions"), mode: "r" },
] as const;
const gate = openGate(directories, { paths });
after(() => {
  gate.close();
  directories.remove();
});

const run = async (argv: readonly string[]) => resultOf(await gate.call({ tool: "Exec", args: { argv } }));

test("a program behind /etc/alternatives is started by its own name", async () => {
  assert.equal((await run(["/usr/bin/awk", "BEGIN { print 6 * 7 }"]))["stdout"], "42\n");
  assert.equal((await run(["/usr/bin/which", "sh"]))["exit_code"], 0);
});

test("an interpreter outside /usr works when it is granted, and not otherwise", async () => {
  const argv = [join(runtime, "node"), "-p", "process.execPath"];
  assert.equal((await run(argv))["stdout"], `${join(runtime, "node")}\n`);
  const narrow = openGate(directories, { paths: [{ path: "/usr", mode: "r" }] });
  const reply = await narrow.call({ tool: "Exec", args: { argv } });
  narrow.close();
  assert.ok(!reply.ok && reply.error === "fs_denied");
});

test("a link from elsewhere to a granted program is followed, and is there in the box", async () => {
  assert.equal((await run([join(directories.base, "node-link"), "-p", "6 * 7"]))["stdout"], "42\n");
});
