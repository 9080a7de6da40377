// B1: a box of root's gate wrote the machine's settings through /proc, and could change the modes of files there for everybody.
// Nothing here changes anything: files are opened and not written, and a mode is set to the mode that is there.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import type { Gate } from "../../src/index.ts";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { openForWriting, parseFound } from "../fixtures/open-for-writing.ts";
import { bare, exec, isRoot, PERL, ran } from "../fixtures/run.ts";

const skip = !isRoot && "the machine's kernel files are root's";

/** Bubblewrap by hand, with no more than it needs, and no capabilities. */
const byHand = `/usr/bin/bwrap --unshare-user --unshare-pid --unshare-net --cap-drop ALL --ro-bind /usr /usr --symlink usr/lib /lib --symlink usr/lib64 /lib64 --symlink usr/bin /bin --proc /proc --dev /dev --`.split(" "); // prettier-ignore

const directories = makeTestDirectories();
const gate = openGate(directories);
test.after(() => (gate.close(), directories.remove()));

async function boxed(inGate: Gate, ...argv: string[]): Promise<string> {
  const { stdout, stderr } = ran(await exec(inGate, argv, { timeout_s: 60 }));
  assert.equal(stderr, "");
  return stdout;
}

/** Which of the files can be opened: read, or for writing. */
const opens = (mode: "<" | "+<", paths: readonly string[]) => [
  PERL,
  "-e",
  `for (@ARGV) { print "$_\\n" if open my $f, '${mode}', $_ }`,
  ...paths,
];

interface Row {
  readonly path: string;
  readonly written: boolean;
  readonly mode: boolean;
}

function documentedRows(): Row[] {
  const text = readFileSync(join(import.meta.dirname, "../../docs/box.md"), "utf8");
  return [...text.matchAll(/^\| `([^`]+)` \| (yes|no) \| (yes|no) \| \S.*\|$/gm)].map(([, path, written, mode]) => ({
    path: path as string,
    written: written === "yes",
    mode: mode === "yes",
  }));
}

async function assertDocumented(inGate: Gate): Promise<void> {
  const found = parseFound(await boxed(inGate, PERL, "-e", openForWriting, "/proc", "/dev"));
  const rows = documentedRows();
  const pathsOf = (what: "written" | "mode") => rows.filter((row) => row[what]).map(({ path }) => path);
  assert.ok(found.lookedAt > 500, `only ${found.lookedAt} files were looked at`);
  assert.deepEqual(found.open, pathsOf("written").sort());
  assert.deepEqual(found.mode, pathsOf("mode").sort());
}

test("what can be opened for writing, or changed, is what docs/box.md lists", () => assertDocumented(gate));

test("and no more where the network is granted", async (t) => {
  const other = makeTestDirectories();
  const withNetwork = openGate(other, { network: ["*"] });
  t.after(() => (withNetwork.close(), other.remove()));
  await assertDocumented(withNetwork);
});

test("control: in root's box made by hand, settings and modes of the machine are open", { skip }, () => {
  const { stdout } = bare([...byHand, PERL, "-e", openForWriting, "/proc"]);
  const found = parseFound(stdout);
  for (const path of ["/proc/sys/kernel/core_pattern", "/proc/sys/vm/overcommit_memory", "/proc/1/oom_score_adj"])
    assert.ok(found.open.includes(path), path);
  assert.ok(found.mode.includes("/proc/cpuinfo"));
  assert.ok(found.open.length > 200, `only ${found.open.length}`);
});

test("what containers mask, and what is root's alone, cannot be read", async () => {
  const masked = [
    "acpi",
    "asound",
    "interrupts",
    "kcore",
    "keys",
    "latency_stats",
    "sched_debug",
    "scsi",
    "timer_list",
  ];
  const rootOnly = readdirSync("/proc").filter(
    (name) => !/^\d+$/.test(name) && (statSync(`/proc/${name}`).mode & 4) === 0,
  );
  const paths = [...new Set([...masked, ...rootOnly])]
    .map((name) => `/proc/${name}`)
    .filter((path) => existsSync(path));
  assert.equal(await boxed(gate, ...opens("<", paths)), "");
  assert.equal(
    await boxed(gate, PERL, "-e", "for (@ARGV) { print if -d && opendir my $d, $_ }", ...paths, "/proc/1", "/sys"),
    "",
  );
  if (!isRoot) return;
  const read = bare([...byHand, ...opens("<", paths)]).stdout.split("\n");
  for (const name of ["keys", "timer_list", "slabinfo", "vmallocinfo"])
    if (paths.includes(`/proc/${name}`)) assert.ok(read.includes(`/proc/${name}`), `control: by hand, ${name} is read`);
  assert.ok(read.length > 4, "control: by hand, they are read");
});

test("what programs look up in /proc is there", async () => {
  const paths =
    "cpuinfo meminfo stat uptime loadavg version filesystems self/status self/maps self/mountinfo self/cgroup self/fd sys/kernel/osrelease sys/kernel/random/uuid sys/vm/overcommit_memory sys/fs/file-max net/dev"
      .split(" ")
      .map((name) => `/proc/${name}`);
  assert.equal(await boxed(gate, ...opens("<", paths)), `${paths.join("\n")}\n`);
  assert.match(await boxed(gate, "/bin/ps", "-e", "-o", "pid,comm"), /\bps$/m);
});
