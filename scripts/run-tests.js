// Runs the test files, the longest ones of the last run first, and ends with the ten slowest files and the total.
//
//   node scripts/run-tests.js [--slow] [--disk] [FILE OR FOLDER...]
//
// Temporary directories of the tests are in memory where this process may mount: half of the processor time went into
// the disk's file system. `--disk` leaves them on the disk; the slow suite always does.

import { spawn, spawnSync } from "node:child_process";
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir, totalmem } from "node:os";
import { dirname, join, relative } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";

const self = fileURLToPath(import.meta.url);
const root = dirname(dirname(self));
const timesFile = join(root, "node_modules", ".cache", "sallyport", "test-times.json");
const inMemory = "SALLYPORT_TESTS_IN_MEMORY";
const args = process.argv.slice(2);
const isSlow = args.includes("--slow");
const suffix = isSlow ? ".slow.ts" : ".test.ts";

function filesOf(names) {
  const patterns = names.length === 0 ? ["test"] : names.map((name) => relative(root, join(process.cwd(), name)));
  return patterns.flatMap((name) =>
    name.endsWith(".ts")
      ? [join(root, name)]
      : globSync(`${name}/**/*${suffix}`, { cwd: root }).map((file) => join(root, file)),
  );
}

/** Whether the tests' temporary directories fit into memory and do not hide the clone. */
function canUseMemory() {
  if (isSlow || args.includes("--disk") || process.env[inMemory] !== undefined) return false;
  if (process.getuid() !== 0 || totalmem() < 7e9 || realpathSync(root).startsWith("/var/tmp/")) return false;
  return spawnSync("unshare", ["--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;
}

/** The same command with mounts of its own: they are gone with its last process, however it ends. */
function runInMemory() {
  const directory = mkdtempSync(join(tmpdir(), "m-")); // short: a screen of 80 columns shows paths in it
  const mount = 'for d in "$0" /var/tmp; do mount -t tmpfs -o mode=1777 tmpfs "$d" || exit 1; done; exec "$@"';
  const command = [process.execPath, ...process.execArgv, self, ...args];
  const child = spawn("unshare", ["--mount", "sh", "-c", mount, directory, ...command], {
    stdio: "inherit",
    env: { ...process.env, TMPDIR: directory, [inMemory]: "1" },
  });
  for (const name of ["SIGTERM", "SIGHUP"]) process.on(name, () => child.kill(name));
  process.on("SIGINT", () => undefined); // the keys signal the child as well
  child.on("exit", (code) => {
    rmdirSync(directory);
    process.exitCode = code ?? 1;
  });
}

function readTimes() {
  try {
    return JSON.parse(readFileSync(timesFile, "utf8"));
  } catch {
    return {}; // the first run, or a broken file: only the order depends on it
  }
}

/** User and system seconds of this process and of all that it and its children waited for. */
function processorSeconds() {
  const stat = readFileSync("/proc/self/stat", "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [user, system, childrensUser, childrensSystem] = fields.slice(11, 15).map((ticks) => Number(ticks) / 100);
  return { user: user + childrensUser, system: system + childrensSystem };
}

async function runHere() {
  const known = readTimes();
  const times = {};
  const order = (file) => known[relative(root, file)] ?? Number.POSITIVE_INFINITY;
  const files = filesOf(args.filter((word) => !word.startsWith("--"))).sort(
    (a, b) => order(b) - order(a) || (a < b ? -1 : 1),
  );
  if (files.length === 0 || !files.every((file) => statSync(file, { throwIfNoEntry: false })?.isFile())) {
    console.error("run-tests: there is no such test file.");
    process.exitCode = 1;
    return;
  }
  const started = performance.now();
  const hasPages = files.some((file) => file.startsWith(join(root, "test", "ui")));
  const browser = hasPages ? await (await import("../test/ui/browser.ts")).shareBrowser() : null;
  const stream = run({ files, concurrency: isSlow ? 1 : 4, timeout: 900_000 });
  stream.on("test:fail", () => (process.exitCode = 1));
  stream.on("test:summary", ({ file, duration_ms: ms }) => {
    if (file !== undefined) times[relative(root, file)] = Math.round(ms);
  });
  stream.compose(spec).pipe(process.stdout);
  stream.on("end", () => {
    void browser?.close();
    const { user, system } = processorSeconds();
    const slowest = Object.entries(times)
      .sort(([, a], [, b]) => b - a)
      .slice(0, 10)
      .map(([file, ms]) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${file}`);
    const total = `${((performance.now() - started) / 1000).toFixed(0)} s, processor time ${user.toFixed(0)} s user and ${system.toFixed(0)} s system`;
    process.on("exit", () => {
      process.stdout.write(`\nThe slowest files:\n${slowest.join("\n")}\nTotal of ${files.length} files: ${total}\n`);
      mkdirSync(dirname(timesFile), { recursive: true });
      writeFileSync(timesFile, `${JSON.stringify({ ...known, ...times }, null, 2)}\n`);
    });
  });
}

if (canUseMemory()) runInMemory();
else await runHere();
