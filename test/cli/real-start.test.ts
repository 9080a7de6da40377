// Most tests of the command line run it in a thread (test/fixtures/in-process.ts). Here each command that ends by itself
// is a process of its own as well, and both say the same. `mcp`, `serve`, `demo`, `run` and `hook` have real starts in their own tests.

import assert from "node:assert/strict";
import test from "node:test";
import { type Done, newCliUser } from "../fixtures/cli.ts";

const commands: readonly (readonly string[])[] = [
  ["--version"],
  ["call", "Exec", '{"argv":["/bin/sh","-c","echo hi; exit 3"]}'],
  ["exec", "--", "/bin/sh", "-c", "echo out; echo err >&2; exit 7"],
  ["git", "status"],
  ["policy", "list"],
  ["review", "--once"],
  ["changes"],
  ["worker", "status"],
  ["audit", "verify"],
  ["doctor"],
  ["init", "--json"],
  ["completion", "zsh"],
  ["devices"],
  ["ports"],
  ["nothing"],
];

/** Without what differs between two runs of the same. */
function steady({ code, out, err }: Done): Done {
  const plain = (text: string) => text.replaceAll(/"duration_s":[\d.]+/g, '"duration_s":0');
  return { code, out: plain(out), err: plain(err) };
}

for (const args of commands)
  test(`sallyport ${args.join(" ")}: a process of its own says what a thread says`, (t) => {
    const [inThread, asProcess] = [newCliUser(t), newCliUser(t)];
    const expected = steady(inThread.run(args));
    const done = steady(asProcess.runProcess(args));
    const renamed = (text: string) => text.replaceAll(asProcess.root, inThread.root);
    assert.deepEqual({ code: done.code, out: renamed(done.out), err: renamed(done.err) }, expected);
    assert.notEqual(done.out + done.err, "");
  });

test("standard input of a process is read too", (t) => {
  const person = newCliUser(t);
  const input = JSON.stringify({ argv: ["/bin/cat"], stdin: "from a pipe" });
  const done = person.runProcess(["call", "Exec", "-"], { input });
  assert.match(done.out, /"stdout":"from a pipe"/);
});
