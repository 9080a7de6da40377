// A box that reaches single hosts starts only where node takes what native/keeper sends: their form is node's own.

import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { arch, tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { openForker } from "../../src/process/start.ts";
import { hostsProblem, listenersTrial } from "../../src/sandbox/listeners-trial.ts";
import { nativeProgramPath } from "../../src/sandbox/native-program.ts";
import { probe } from "../../src/sandbox/probe.ts";
import { makeTestDirectories } from "../fixtures/gate.ts";
import { openScriptGate } from "../fixtures/script-gate.ts";
import { noBinary } from "../native/built.ts";

const skip = noBinary;
const directory = mkdtempSync(join(tmpdir(), "sallyport-listeners-"));
const directories = makeTestDirectories();
test.after(() => {
  directories.remove();
  rmSync(directory, { recursive: true, force: true });
});

/** A keeper that sends its listeners under this word, as if it were made for another node. Everything else the real one does. */
function otherKeeper(path: string, word: string, real: string): string {
  writeFileSync(
    path,
    `#!/usr/bin/python3
import json, os, socket, sys
if sys.argv[1] != "net": os.execv(${JSON.stringify(real)}, ["keeper"] + sys.argv[1:])
channel = socket.socket(fileno=int(sys.argv[2]))
end = sys.argv.index("--")
for index, kind in enumerate(sys.argv[4:end:3]):
    udp = kind == "d"
    if udp:
        one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        one.bind(("127.0.0.1", 0))
    else:
        one = socket.create_server(("127.0.0.1", 0))
    form = {"type": "dgram.Socket", "dgramType": "udp4"} if udp else {"type": "net.Server"}
    text = json.dumps({"cmd": "${word}", **form, "msg": {"box": sys.argv[3], "listener": index}}) + "\\n"
    socket.send_fds(channel, [text.encode()], [one.fileno()])
channel.close()
os.execv(sys.argv[end + 3], sys.argv[end + 3:])
`,
  );
  chmodSync(path, 0o755);
  return path;
}

function newForker(t: TestContext) {
  const forker = openForker(nativeProgramPath("forker", arch()), true);
  t.after(() => forker.close());
  return forker;
}

test("this node takes the listeners, and one success is remembered", { skip }, async (t) => {
  assert.equal(await hostsProblem(probe()), null);
  const real = nativeProgramPath("keeper", arch());
  const link = join(directory, "keeper");
  writeFileSync(link, `#!/bin/sh\nexec ${real} "$@"\n`, { mode: 0o755 });
  const trial = listenersTrial(link, newForker(t));
  assert.equal(await trial(), null);
  rmSync(link);
  assert.equal(await trial(), null, "it is not tried again");
});

test("listeners in another form are none; the control is the same in node's", { skip }, async (t) => {
  const real = nativeProgramPath("keeper", arch());
  const tryWith = (word: string) => listenersTrial(otherKeeper(join(directory, word), word, real), newForker(t))();
  const [fails, works] = await Promise.all([tryWith("NODE_HANDLE_2"), tryWith("NODE_HANDLE")]);
  assert.match(fails?.message ?? "", new RegExp(`^node ${process.version} does not take the listeners of a box$`));
  assert.equal(works, null);
});

test("a call with hosts is then refused, and says why; one without a network runs", { skip }, async (t) => {
  const paths = [{ path: "/usr", mode: "r" }] as const;
  const open = (network: readonly string[]) => {
    const gate = openScriptGate(directories, { network, paths }, { session: `s${network.length}` });
    t.after(() => gate.close());
    return gate;
  };
  const [hosts, none] = [open(["web.test:443"]), open([])];
  const boxes = join(directories.state, "box");
  const name = readdirSync(boxes).find((one) => one.startsWith("keeper-")) ?? assert.fail("no keeper");
  renameSync(join(boxes, name), join(boxes, "real"));
  otherKeeper(join(boxes, name), "NODE_HANDLE_2", join(boxes, "real"));
  const refused = await hosts.bash("touch /workspace/ran");
  assert.ok(!refused.ok, JSON.stringify(refused));
  assert.equal(refused.error, "sandbox_unavailable");
  assert.match(refused.message, /Programs cannot reach single hosts here: node v.* Nothing ran\./);
  assert.match(refused.hint ?? "", /another version of node/);
  assert.equal((await none.ranBash("echo ran")).stdout, "ran\n");
  rmSync(join(boxes, name));
  renameSync(join(boxes, "real"), join(boxes, name));
  assert.equal((await hosts.ranBash("ls /workspace")).stdout, "", "the control, and nothing had run");
});
