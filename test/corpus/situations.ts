// Situations that the corpus tells in words, each built by hand.

import { strict as assert } from "node:assert";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Reply } from "../../src/index.ts";
import { assertNoMarker, type Bench, configOf, openGate, ran, runnerOf, usualGrants } from "./bench.ts";
import { bare, ended, type Spawned } from "./bare.ts";
import { failed, nothingIsLeft } from "./contained.ts";
import type { WorkerOrder } from "./gate-worker.ts";
import { happens, processesOf } from "./leftovers.ts";
import { treeOf } from "./tree.ts";
import { writeScript } from "./world.ts";
import { isInLayer } from "../fixtures/layers.ts";

export const worker = fileURLToPath(new URL("gate-worker.ts", import.meta.url));
const ourPackage = fileURLToPath(new URL("../../", import.meta.url)).replace(/\/$/, "");

/** The order for a gate of the same agent in another process; its state is its own. */
export function orderFor({ world, how }: Bench, ...calls: WorkerOrder["calls"]): WorkerOrder {
  return { state: `${world.directory}/state`, project: world.root, config: configOf(usualGrants(world)), how, calls };
}

export async function repliesOf(started: Spawned): Promise<Reply[]> {
  const { stdout, stderr } = await ended(started);
  assert.notEqual(stdout, "", `the other gate said nothing: ${stderr}`);
  return JSON.parse(stdout) as Reply[];
}

/** SIGKILL to the gate while its program sleeps, with a second process in a session of its own. */
export async function gateKilledWhileRunning(bench: Bench): Promise<void> {
  const { world } = bench;
  const script = `setsid sh -c "sleep 2; touch ${world.marker}" & touch up; sleep 61`;
  const order = orderFor(bench, { argv: ["/bin/sh", "-c", script] });
  const gate = bare([process.execPath, worker, JSON.stringify(order)]);
  assert.ok(
    await happens(
      () => processesOf(world.directory).length >= 4 && isInLayer(`${world.directory}/state`, "up"),
      20_000,
    ),
    "the program did not start",
  );
  process.kill(gate.pid, "SIGKILL");
  await nothingIsLeft(world);
}

/** The gate's own parent left descriptors open: a low one and a high one, which Node does not close for its children. */
export async function descriptorsInherited(bench: Bench): Promise<void> {
  const { world, args } = bench;
  // The second looks at what the first cannot tell: `cat` of its own standard output waits for ever.
  const look = "for fd in /proc/$$/fd/*; do readlink $fd; done";
  const calls = [args.argv, ["/bin/bash", "-c", look]].map((argv) => ({ ...args, argv, timeout_s: 2 }));
  const order = orderFor(bench, ...calls);
  const replies = await repliesOf(withDescriptors(world.out, [process.execPath, worker, JSON.stringify(order)]));
  const [first, second] = replies.map(ran);
  assert.ok(first !== undefined && second !== undefined);
  for (const { stdout } of [first, second]) assert.ok(!stdout.includes(world.secret));
  assert.match(first.stderr, /3: Bad file descriptor/);
  assert.doesNotMatch(second.stdout, /secret/);
}

/** Starts a program with descriptors 3 and 200 open on the secret. */
export function withDescriptors(out: string, argv: readonly string[]): Spawned {
  return bare(["/bin/bash", "-c", 'exec 3<"$0" 200<"$0"; exec "$@"', `${out}/secret`, ...argv]);
}

/** A host process listens in the granted directory, and on an abstract name, and hands an open file to who connects. */
export async function descriptorFromHost({ world, run }: Bench): Promise<void> {
  const abstract = `\\0${world.directory}`;
  const server = bare([
    "/usr/bin/python3",
    "-c",
    serverScript,
    `${world.out}/secret`,
    `${world.root}/socket`,
    abstract,
  ]);
  try {
    assert.ok(await happens(() => server.stdout().includes("ready"), 10_000), server.stderr());
    for (const address of [`${world.root}/socket`, abstract]) {
      const argv = ["/usr/bin/python3", "-c", clientScript, address];
      const outside = await ended(bare(argv));
      assert.equal(outside.stdout, world.secret, "the server hands out nothing, so this shows nothing");
      const inside = ran(await run({ argv }));
      failed(inside);
      assert.ok(!inside.stdout.includes(world.secret));
    }
  } finally {
    server.kill();
  }
}

const connection = `
import os, socket, sys, threading
name = lambda text: text.replace("\\\\0", "\\0")
`;
const serverScript = `${connection}
def serve(path):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(name(path)); listener.listen()
    while True:
        peer, _ = listener.accept()
        fd = os.open(sys.argv[1], os.O_RDONLY)
        socket.send_fds(peer, [b"x"], [fd]); os.close(fd); peer.close()
for path in sys.argv[2:]: threading.Thread(target=serve, args=(path,)).start()
import time; time.sleep(0.2); print("ready", flush=True)
`;
const clientScript = `${connection}
peer = socket.socket(socket.AF_UNIX); peer.connect(name(sys.argv[1]))
_, fds, _, _ = socket.recv_fds(peer, 1, 1)
sys.stdout.write(os.read(fds[0], 4096).decode())
`;

export async function renameAround({ world, run }: Bench): Promise<void> {
  const before = treeOf(`${world.root}/.git`);
  const script =
    "mv .git a; mkdir -p a/hooks; echo x > a/hooks/x; mv a .git; mkdir -p .git/hooks; echo x > .git/hooks/x; rm -rf .git; true";
  ran(await run({ argv: ["/bin/bash", "-c", script] }));
  assert.deepEqual(treeOf(`${world.root}/.git`), before);
}

/** `.git` is a file that leads to a directory of an ordinary name, in the same root. */
export async function gitDirectoryElsewhere({ world, run }: Bench): Promise<void> {
  const { root } = world;
  mkdirSync(`${root}/meta`);
  renameSync(`${root}/.git`, `${root}/meta/storage`);
  writeFileSync(`${root}/.git`, "gitdir: meta/storage\n");
  const before = treeOf(`${root}/meta/storage`);
  const attempts = [
    "echo x > meta/storage/hooks/pre-commit",
    "echo x >> meta/storage/config",
    "mv meta/storage s && echo x > s/hooks/x && mv s meta/storage",
    "echo 'gitdir: elsewhere' > .git",
    "rm .git && mkdir -p .git/hooks",
    // The bind holds the directory, and not the name of the one above it.
    "mv meta meta2; mkdir -p meta/storage/hooks; echo x > meta/storage/hooks/pre-commit",
  ];
  for (const attempt of attempts) {
    ran(await run({ argv: ["/bin/bash", "-c", attempt] }));
    assert.equal(readFileSync(`${root}/.git`, "utf8"), "gitdir: meta/storage\n", attempt);
    const moved = isThere(`${root}/meta2`) ? `${root}/meta2/storage` : `${root}/meta/storage`;
    assert.deepEqual(treeOf(moved), before, attempt);
    assert.ok(!isThere(`${root}/meta/storage/hooks/pre-commit`), attempt);
  }
}

/** A program called bwrap where the gate is started, and the search path begins there. */
export async function helperInTheWorkspace(bench: Bench): Promise<void> {
  const { world } = bench;
  for (const name of ["bwrap", "mkfifo", "prlimit", "sh"])
    writeScript(`${world.root}/${name}`, `/usr/bin/touch ${world.marker}`);
  const order = orderFor(bench, { argv: ["/bin/echo", "boxed"] });
  const started = bare([process.execPath, worker, JSON.stringify(order)], {
    cwd: world.root,
    env: { ...process.env, PATH: `.:${world.root}:/usr/bin:/bin` },
  });
  assert.deepEqual(
    (await repliesOf(started)).map((reply) => ran(reply).stdout),
    ["boxed\n"],
  );
  assertNoMarker(world);
}

/** The command in the box opens a gate of its own, with grants it wrote itself. */
export async function gateInsideTheBox({ how, world, gate }: Bench): Promise<void> {
  const paths = [
    ...usualGrants(world).paths,
    { path: ourPackage, mode: "r" as const },
    { path: process.execPath, mode: "r" as const },
  ];
  const outer = openGate(world, { tools: ["Exec"], paths }, `${gate.session}-outer`);
  const innerGrants = {
    tools: ["Exec"],
    paths: [
      { path: "/usr", mode: "r" as const },
      { path: world.directory, mode: "rw" as const },
    ],
  };
  const inner = async (require: "kernel" | "limits", ...calls: WorkerOrder["calls"]) => {
    const config = configOf(innerGrants, { sandbox: { require } });
    const order: WorkerOrder = { state: "/tmp/state", project: "/tmp", config, how, calls };
    const env = { XDG_CONFIG_HOME: "/tmp/config" };
    const { stdout, stderr } = ran(
      await runnerOf(outer, how)({ argv: [process.execPath, worker, JSON.stringify(order)], env }),
    );
    assert.notEqual(stdout, "", `the inner gate said nothing: ${stderr}`);
    return JSON.parse(stdout) as Reply[];
  };
  try {
    const [boxed] = await inner("kernel", { argv: ["/bin/cat", `${world.out}/secret`] });
    assert.ok(boxed?.ok === false && boxed.error === "sandbox_unavailable", JSON.stringify(boxed));
    const scripts = [`cat ${world.out}/secret`, `touch ${world.marker}`, `cat ${world.root}/a.txt`];
    const replies = await inner(
      "limits",
      ...scripts.map((script) => ({ argv: ["/bin/sh", "-c", script], cwd: "/tmp" })),
    );
    for (const [index, script] of scripts.entries()) {
      const reply = replies[index];
      assert.ok(reply?.ok === true, JSON.stringify(reply));
      assert.equal(reply.result["exit_code"] === 0, script.endsWith("a.txt"), JSON.stringify(reply));
      assert.ok(!JSON.stringify(reply).includes(world.secret));
    }
    assertNoMarker(world);
  } finally {
    outer.close();
    rmSync(`${world.directory}/state`, { recursive: true, force: true });
  }
}

function isThere(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EISDIR";
  }
}
