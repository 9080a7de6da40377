// native/forker and its gate's side: what it starts is what a direct start gives, it starts nothing twice, and it ends with us.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { arch, tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import {
  type BoxCommand,
  type BoxProcess,
  type Descriptor,
  KilledProcess,
  LostProcess,
} from "../../src/process/box-process.ts";
import { Forker } from "../../src/process/forker.ts";
import { nativeProgramPath } from "../../src/sandbox/native-program.ts";
import { until } from "../fixtures/run.ts";
import { noBinary, testBuilt } from "./built.ts";

testBuilt("forker");

const skip = noBinary;
const directory = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-forker-")));
test.after(() => rmSync(directory, { recursive: true, force: true }));

const qemu = ["/usr/bin/qemu-aarch64", "/usr/bin/qemu-aarch64-static"].find((path) => existsSync(path));

interface Opened {
  readonly forker: Forker;
  /** Of each native/forker that was started. */
  readonly pids: number[];
}

function open(t: TestContext, argv: readonly string[] = [nativeProgramPath("forker", arch())]): Opened {
  const pids: number[] = [];
  const [file = "", ...args] = argv;
  const forker = new Forker(() => {
    const child = spawn(file, args, { stdio: ["pipe", "pipe", "ignore"], env: {}, detached: true });
    pids.push(child.pid ?? 0);
    return child;
  });
  t.after(() => forker.close());
  return { forker, pids };
}

let files = 0;

/** What it prints goes to a file; it has no other descriptors than 0, 1 and 2, and `more`. */
function command(
  argv: readonly string[],
  more: readonly Descriptor[] = [],
  cwd = "/",
): BoxCommand & { said(): string } {
  const path = join(directory, `said-${files++}`);
  const [file = "", ...args] = argv;
  const said = openSync(path, "w");
  return {
    file,
    args,
    cwd,
    descriptors: [
      { fd: openSync("/dev/null", "r"), access: "read" },
      { fd: said, access: "write" },
      { fd: said, access: "write" },
      ...more,
    ],
    said: () => readFileSync(path, "utf8"),
  };
}

/** The control: by node itself. */
function startDirectly({ file, args, cwd, descriptors }: BoxCommand): BoxProcess {
  const child = spawn(file, args, { stdio: descriptors.map(({ fd }) => fd), env: {}, cwd, detached: true });
  return {
    pid: child.pid ?? null,
    started: Promise.resolve(),
    ended: new Promise((resolve) => child.once("error", resolve).once("exit", () => resolve(null))),
    get isOver() {
      return child.exitCode !== null || child.signalCode !== null;
    },
    kill: () => void child.kill("SIGKILL"),
  };
}

const never = () => assert.fail("it was started directly");

async function run({ forker }: Opened, wanted: BoxCommand): Promise<Error | null> {
  const box = forker.start(wanted, never);
  await box.started;
  return await box.ended;
}

test("a program finds the same as when it is started directly", { skip }, async (t) => {
  const opened = open(t);
  const place = join(directory, "a place");
  mkdirSync(place);
  const text = join(directory, "text");
  writeFileSync(text, "from a file\n");
  // Its session, what it ignores and blocks, its descriptors and whether they wait, its environment, its directory.
  const script = `
    read -r -a stat < /proc/self/stat; [ "\${stat[0]}" = "\${stat[5]}" ] && echo a session of its own
    grep -E '^(Sig(Blk|Ign|Cgt)|NoNewPrivs|Seccomp|Uid|Gid|Groups)' /proc/self/status
    for fd in 0 1 2 3 4 5; do echo "$fd $(sed -n 's/^flags:.//p' /proc/$$/fdinfo/$fd)"; done
    tr '\\0' ' ' < /proc/$$/environ; pwd; umask; ulimit -a; cat <&3; ls -d /proc/self/fd/5/text; printf '[%s]' "$@"`;
  const words = ["/bin/bash", "-c", script, "-", "", "a b", "ä\n"];
  const descriptors = (): Descriptor[] => [
    { fd: openSync(text, "r"), access: "read" },
    { fd: openSync(text, constants.O_RDWR), access: "both" },
    { fd: openSync(directory, 0o10000000), access: "path" },
  ];
  const [forked, direct] = [command(words, descriptors(), place), command(words, descriptors(), place)];
  assert.equal(await run(opened, forked), null);
  assert.equal(await startDirectly(direct).ended, null);
  const said = (of: typeof forked) => of.said().replaceAll(/said-\d+/g, "said");
  assert.match(said(direct), /a session of its own/, "the control");
  assert.match(said(direct), /from a file\n\/proc\/self\/fd\/5\/text\n\[\]\[a b\]\[ä\n\]$/, "the control");
  assert.equal(said(forked), said(direct));
  const listed = command(["/bin/sh", "-c", "ls /proc/$$/fd"], descriptors());
  assert.equal(await run(opened, listed), null);
  assert.equal(listed.said(), "0\n1\n2\n3\n4\n5\n", "and no other descriptor of ours");
});

test("what cannot be started says why, and the next one starts", { skip }, async (t) => {
  const opened = open(t);
  const text = join(directory, "no-program");
  writeFileSync(text, "text\n", { mode: 0o755 });
  const wrong: [BoxCommand, string][] = [
    [command(["/nowhere"]), "ENOENT"],
    [command([text]), "ENOEXEC"],
    [command([directory]), "EACCES"],
    [command(["/bin/true"], [], "/nowhere"), "ENOENT"],
    [command(["/bin/true", ...Array.from({ length: 50 }, () => "x".repeat(100_000))]), "E2BIG"],
  ];
  for (const [each, errno] of wrong) assert.equal((await run(opened, each))?.message, errno);
  assert.throws(() => opened.forker.start(command(["/bin/echo", "a\0b"]), never), TypeError);
  const long = command(["/usr/bin/printf", "%s", ...Array.from({ length: 15 }, () => "x".repeat(100_000))]);
  assert.equal(await run(opened, long), null);
  assert.equal(long.said().length, 1_500_000);
});

test("hundreds at once each end once, with their own output", { skip }, async (t) => {
  const opened = open(t);
  const all = Array.from({ length: 300 }, (_, n) => command(["/bin/sh", "-c", `echo ${n}`]));
  assert.deepEqual(
    await Promise.all(all.map((each) => run(opened, each))),
    all.map(() => null),
  );
  for (const [n, each] of all.entries()) assert.equal(each.said(), `${n}\n`);
  assert.equal(opened.pids.length, 1);
  assert.deepEqual(childrenOf(opened.pids[0] as number), []);
  for (const fd of all.flatMap(({ descriptors }) => descriptors.flatMap(({ fd }) => fd ?? [])).filter(isFirst))
    closeSync(fd);
});

const isFirst = (value: number, index: number, all: readonly number[]) => all.indexOf(value) === index;

function childrenOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);
}

test("it is ended when that is asked for, also before it has begun", { skip }, async (t) => {
  const { forker } = open(t);
  const box = forker.start(command(["/bin/sleep", "60"]), never);
  assert.equal(box.pid, null);
  box.kill();
  assert.ok((await box.ended) instanceof KilledProcess);
  assert.equal(box.isOver, true);
  box.kill();
  const other = forker.start(command(["/bin/sleep", "60"]), never);
  await other.started;
  // It is told of while the kernel makes it its program: its words may come a moment later.
  const words = () => readFileSync(`/proc/${String(other.pid)}/cmdline`, "utf8");
  await until("it is what was asked for", () => words() === "/bin/sleep\x0060\0");
  other.kill();
  assert.ok((await other.ended) instanceof KilledProcess);
  assert.throws(() => process.kill(other.pid as number, 0), { code: "ESRCH" });
});

test(
  "when it is gone, what ran is lost and said to be; it is not started again; the next one gets a new forker",
  { skip },
  async (t) => {
    const { forker, pids } = open(t);
    const box = forker.start(command(["/bin/sleep", "5"]), never);
    await box.started;
    process.kill(pids[0] as number, "SIGKILL");
    assert.ok((await box.ended) instanceof LostProcess);
    assert.equal(box.isOver, false);
    process.kill(box.pid as number, "SIGKILL");
    const next = command(["/bin/echo", "next"]);
    assert.equal(await run({ forker, pids }, next), null);
    assert.equal(next.said(), "next\n");
    assert.equal(pids.length, 2);
  },
);

test(
  "where it cannot be started, or cannot see our descriptors, commands are started directly, once",
  { skip },
  async (t) => {
    const broken = join(directory, "broken");
    writeFileSync(broken, "#!/bin/sh\nexit 3\n");
    chmodSync(broken, 0o755);
    for (const file of ["/nowhere", broken]) {
      const { forker, pids } = open(t, [file]);
      for (const round of [1, 2]) {
        const each = command(["/bin/echo", "here"]);
        let count = 0;
        const box = forker.start(each, () => ((count += 1), startDirectly(each)));
        assert.equal(await box.ended, null);
        assert.equal(box.isOver, true);
        assert.deepEqual([each.said(), count, pids.length], ["here\n", 1, 1], `${file}, time ${round}`);
      }
    }
    // A socket cannot be opened again: for the test, this is what no descriptor can be on a machine that hides /proc.
    const server = createServer().listen(0, "127.0.0.1");
    t.after(() => server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const { fd } = (server as unknown as { _handle: { fd: number } })._handle;
    const opened = open(t);
    const each = command(["/bin/echo", "here"], [{ fd, access: "both" }]);
    let count = 0;
    assert.equal(await opened.forker.start(each, () => ((count += 1), startDirectly(each))).ended, null);
    assert.deepEqual([each.said(), count], ["here\n", 1]);
  },
);

test("one that ends without a word is not asked again, and what it was asked is not repeated", { skip }, async (t) => {
  const { forker } = open(t, ["/bin/false"]);
  assert.ok((await forker.start(command(["/bin/true"]), never).ended) instanceof LostProcess);
  const next = command(["/bin/echo", "next"]);
  assert.equal(await forker.start(next, () => startDirectly(next)).ended, null);
  assert.equal(next.said(), "next\n");
});

const program = (end: string) => `
  import { openSync } from "node:fs";
  import { openForker } from ${JSON.stringify(new URL("../../src/process/start.ts", import.meta.url).href)};
  import { nativeProgramPath } from ${JSON.stringify(new URL("../../src/sandbox/native-program.ts", import.meta.url).href)};
  import { readFileSync } from "node:fs";
  const forker = openForker(nativeProgramPath("forker", process.arch));
  const fd = openSync("/dev/null", "r+");
  const descriptors = [0, 1, 2].map(() => ({ fd, access: "both" }));
  const box = forker.start({ file: "/bin/sleep", args: ["1"], descriptors, cwd: "/" }, () => process.exit(9));
  await box.started;
  const children = readFileSync("/proc/self/task/" + process.pid + "/children", "utf8").trim();
  console.log(children);
  box.ended.then(() => console.log("ended"));
  ${end}`;

test("it keeps its process alive while something runs, no longer, and ends with it", { skip }, async () => {
  for (const [end, expected] of [
    ["", /^\d+\nended\n$/],
    ["process.exit(0)", /^\d+\n$/],
    ['process.kill(process.pid, "SIGKILL")', /^\d+\n$/],
  ] as const) {
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program(end)], {
      encoding: "utf8",
      timeout: 60_000,
    });
    assert.match(stdout, expected, stderr);
    const pid = stdout.split("\n")[0];
    await until(
      "the forker ends",
      () => !existsSync(`/proc/${pid}/cmdline`) || readFileSync(`/proc/${pid}/cmdline`, "utf8") === "",
    );
  }
});

test(
  "forker-arm64 under qemu starts and ends a program",
  {
    skip: arch() === "arm64" ? "it runs without qemu here" : qemu === undefined && "there is no qemu-aarch64",
  },
  async (t) => {
    const opened = open(t, [qemu as string, nativeProgramPath("forker", "arm64")]);
    const each = command(["/bin/echo", "from there"]);
    assert.equal(await run(opened, each), null);
    assert.equal(each.said(), "from there\n");
    const box = opened.forker.start(command(["/bin/sleep", "60"]), never);
    await box.started;
    box.kill();
    assert.ok((await box.ended) instanceof KilledProcess);
  },
);
