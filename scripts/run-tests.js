// Runs the test files, the longest ones of the last run first, and ends with the ten slowest and
// the total. Up to eight files of a folder share a process, one after another; `alone` and the slow suite have one for each.
//
//   node scripts/run-tests.js [--slow] [--disk] [--alone] [FILE OR FOLDER...]
//
// Temporary directories of the tests are in memory where this process may mount: half of the processor time went into
// the disk's file system. `--disk` leaves them on the disk; the slow suite always does.

import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir, totalmem } from "node:os";
import { dirname, join, relative } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";
import { shareState } from "../test/fixtures/prepared-state.ts";
import { processorSeconds } from "../test/fixtures/test-files.ts";

const self = fileURLToPath(import.meta.url);
const root = dirname(dirname(self));
const cache = join(root, "node_modules", ".cache", "sallyport");
const timesFile = join(cache, "test-times.json");
const inMemory = "SALLYPORT_TESTS_IN_MEMORY";
const args = process.argv.slice(2);
const isSlow = args.includes("--slow");
const filesInProcess = 8;
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

/** They have a hook for all tests of a process, count what the process has, or are the longest of all. */
const alone = [
  "test/attacks/t10-killed-forker.test.ts",
  "test/browser/browser.test.ts",
  "test/corpus/approval-corpus.test.ts",
  "test/corpus/bash-corpus.test.ts",
  "test/corpus/corpus.test.ts",
  "test/corpus/git-corpus.test.ts",
  "test/corpus/push-corpus.test.ts",
  "test/corpus/shell-corpus.test.ts",
  "test/holes/box-as-user.test.ts",
  "test/holes/s7-persons-credentials.test.ts",
  "test/package/pack.test.ts",
  "test/runtime/load.test.ts",
  "test/tools/git-publish-remote.test.ts",
];

/** Rough seconds for two thousand bytes of a test file. Pages wait for their browser, and drafts and git for many processes. */
const secondsOf = (file) =>
  ({ ui: 9, extension: 9, runtime: 5, tools: 5, holes: 5, mcp: 5, network: 5, cli: 4 })[file.split("/")[1]] ?? 2;

/** The files of each process: the same in each run, so that one file's effect on another is found again. */
function shareOut(files) {
  const shares = new Map();
  const place = (name, file) => shares.set(name, [...(shares.get(name) ?? []), file]);
  const counts = {};
  for (const file of files.map((file) => relative(root, file)).toSorted()) {
    const folder = file.split("/")[1] ?? "";
    const isAlone = isSlow || args.includes("--alone") || alone.includes(file);
    if (isAlone) place(file.replaceAll("/", "."), file);
    else {
      counts[folder] = (counts[folder] ?? -1) + 1;
      place(`${folder}-${Math.floor(counts[folder] / filesInProcess) + 1}`, file);
    }
  }
  return shares;
}

/** What node starts for each process: a module that names its files. What node makes of the sources is kept for the next. */
function writeProcess(name, files, directory) {
  const entry = join(directory, `${name}.mjs`);
  const times = join(directory, "times");
  const lines = [
    `import { enableCompileCache } from "node:module";`,
    `enableCompileCache(${JSON.stringify(join(cache, "compiled"))});`,
    `const { runTestFiles } = await import(${JSON.stringify(join(root, "test", "fixtures", "test-files.ts"))});`,
    `await runTestFiles(${JSON.stringify(root)}, ${JSON.stringify(files)}, ${JSON.stringify(times)});`,
  ];
  writeFileSync(entry, `${lines.join("\n")}\n`);
  return entry;
}

/** The files, from the root, whose tests failed. */
async function runProcesses(entries, hasPages) {
  const browser = hasPages ? await (await import("../test/ui/browser.ts")).shareBrowser() : null;
  const failed = new Set();
  const stream = run({ files: entries, concurrency: isSlow ? 1 : 4, timeout: 900_000 });
  stream.on("test:fail", ({ file, name }) => failed.add(file === undefined ? name : relative(root, file)));
  stream.compose(spec).pipe(process.stdout);
  await new Promise((resolve) => stream.on("end", resolve));
  await browser?.close(); // its processor time counts
  return failed;
}

async function runHere() {
  const files = filesOf(args.filter((word) => !word.startsWith("--")));
  if (files.length === 0 || !files.every((file) => statSync(file, { throwIfNoEntry: false })?.isFile())) {
    console.error("run-tests: there is no such test file.");
    process.exitCode = 1;
    return;
  }
  const known = readTimes();
  // Before the first run, as in a fresh clone, the size of a file and what its folder's tests do stand for its seconds.
  const guess = (file) => (alone.includes(file) ? 100 : (statSync(join(root, file)).size / 2_000) * secondsOf(file));
  const weigh = (file) => known[file]?.wall ?? guess(file);
  const weights = new Map();
  const directory = mkdtempSync(join(tmpdir(), "sallyport-tests-")); // each run has its own: two may be under way in a clone
  for (const [name, share] of shareOut(files))
    weights.set(
      writeProcess(name, share, directory),
      share.reduce((sum, file) => sum + weigh(file), 0),
    );
  const started = performance.now();
  shareState(join(directory, "state"));
  const hasPages = files.some((file) => file.startsWith(join(root, "test", "ui")));
  const stalled = join(directory, "stalled");
  process.env["SALLYPORT_TESTS_STALLED"] = stalled;
  const sorted = [...weights.keys()].sort((a, b) => weights.get(b) - weights.get(a));
  const failed = await runProcesses(sorted, hasPages);
  // A page that its browser stopped drawing says nothing about the page: see test/ui/watch-drawing.ts.
  const again = existsSync(stalled) ? sorted.filter((entry) => readFileSync(stalled, "utf8").includes(entry)) : [];
  const isAgain = (file) => again.some((entry) => readFileSync(entry, "utf8").includes(file));
  const undrawn = [...failed].filter(isAgain);
  if (undrawn.length > 0) {
    console.log(`\nThe browser stopped drawing pages of these tests, which are run again: ${undrawn.join(" ")}\n`);
    for (const file of undrawn) failed.delete(file);
    for (const file of await runProcesses(again, true)) failed.add(file);
  }
  if (failed.size > 0) process.exitCode = 1;
  report();

  function report() {
    const { user, system } = processorSeconds();
    const total = `${((performance.now() - started) / 1000).toFixed(0)} s, processor time ${user.toFixed(0)} s user and ${system.toFixed(0)} s system`;
    const times = timesOf(join(directory, "times"));
    rmSync(directory, { recursive: true, force: true });
    const slowest = times
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, 10)
      .map(
        ([file, wall, processor]) =>
          `${wall.toFixed(1).padStart(7)} s, ${processor.toFixed(1)} s of a processor  ${file}`,
      );
    process.on("exit", () => {
      process.stdout.write(`\nThe slowest files:\n${slowest.join("\n")}\nTotal of ${files.length} files: ${total}\n`);
      const taken = Object.fromEntries(times.map(([file, wall, processor]) => [file, { wall, processor }]));
      writeFileSync(timesFile, `${JSON.stringify({ ...known, ...taken }, null, 2)}\n`);
    });
  }
}

function timesOf(file) {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

if (canUseMemory()) runInMemory();
else await runHere();
