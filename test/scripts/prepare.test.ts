// scripts/prepare.js in a small clone of its own. npm, apt-get, the pinned node and the compiler are stand-ins that write
// down how they were called, so that "it did nothing" and "it asked for exactly this" can be seen. The real ones run
// whenever the tests of a fresh clone are started.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import test, { type TestContext } from "node:test";

const root = join(import.meta.dirname, "../..");
const version = "24.0.1";

class Clone {
  readonly directory = mkdtempSync(join(tmpdir(), "sallyport-prepare-"));

  constructor(t: TestContext) {
    t.after(() => rmSync(this.directory, { recursive: true, force: true }));
    chmodSync(this.directory, 0o755);
    copyFileSync(join(root, "scripts/prepare.js"), this.path("scripts/prepare.js"));
    this.write("package.json", JSON.stringify({ type: "module", devDependencies: { node: version } }));
    this.write("package-lock.json", JSON.stringify({ packages: { "": {}, "node_modules/a": { version: "1.0.0" } } }));
    this.write("src/a.ts", "export const a = 1;\n");
    symlinkSync("/bin/sh", this.path("tools/sh"));
    for (const name of ["bwrap", "prlimit", "git"]) this.program(`tools/${name}`, "exit 0");
    for (const name of ["mkdir", "cat", "chmod", "ln", "id"])
      symlinkSync(`/usr/bin/${name}`, this.path(`tools/${name}`));
    this.program("tools/npm", `case $1 in ci) ${this.install()} ;; rebuild) ${this.fetchNode()} ;; esac`);
    this.program("tools/apt-get", `case $* in *install*bubblewrap*) ln -s git "${this.path("tools/bwrap")}" ;; esac`);
  }

  path(name: string): string {
    const path = join(this.directory, name);
    mkdirSync(dirname(path), { recursive: true });
    return path;
  }

  write(name: string, text: string): void {
    writeFileSync(this.path(name), text);
  }

  program(name: string, body: string): void {
    this.write(name, `#!/bin/sh\necho "${name.split("/").at(-1)} $*" >> "${this.path("calls")}"\n${body}\n`);
    chmodSync(this.path(name), 0o755);
  }

  private install(): string {
    const lock = JSON.stringify({ packages: { "node_modules/a": { version: "1.0.0" } } });
    return `mkdir -p node_modules/a && echo '${lock}' > node_modules/.package-lock.json`;
  }

  /** The stand-in for the pinned node: it knows its version, and "compiles" by making the outputs of src/ and of ui/. */
  private fetchNode(): string {
    const node = `case $* in --version) echo v${version} ;; *vite*) echo page >> calls; rm -rf dist/ui; mkdir -p dist/ui; echo > dist/ui/index.html; test ! -e ui/bad.tsx ;; *) echo build >> calls; mkdir -p dist; for f in src/*.ts; do b=\${f#src/}; echo > dist/\${b%.ts}.js; done; test ! -e src/bad.ts ;; esac`;
    return `mkdir -p node_modules/node/bin node_modules/.bin; cat > node_modules/node/bin/node <<'END'\n#!/bin/sh\n${node}\nEND\nchmod +x node_modules/node/bin/node; ln -sf ../node/bin/node node_modules/.bin/node`;
  }

  prepare(purpose: string, options: { uid?: number } = {}) {
    rmSync(join(this.directory, "calls"), { force: true });
    const done = spawnSync(process.execPath, ["scripts/prepare.js", "--for", purpose], {
      cwd: this.directory,
      env: { PATH: this.path("tools") },
      encoding: "utf8",
      ...options,
    });
    const calls = existsSync(this.path("calls")) ? readFileSync(this.path("calls"), "utf8").trim().split("\n") : [];
    return { code: done.status, stdout: done.stdout, stderr: done.stderr, calls };
  }
}

test("a fresh clone gets dependencies, node and build, and is told so", (t) => {
  const { code, stdout, calls } = new Clone(t).prepare("start");
  assert.equal(code, 0);
  assert.match(stdout, /npm ci[\s\S]*fetching node v24\.0\.1[\s\S]*building/);
  assert.match(calls.join("\n"), /^npm ci --ignore-scripts .*\nnpm rebuild node --ignore-scripts=false .*\nbuild$/);
});

test("when all is there it says nothing and starts nothing", (t) => {
  const clone = new Clone(t);
  clone.prepare("start");
  assert.deepEqual(clone.prepare("start"), { code: 0, stdout: "", stderr: "", calls: [] });
  assert.deepEqual(clone.prepare("build"), { code: 0, stdout: "", stderr: "", calls: [] });
});

test("dependencies that someone installed by hand are taken as they are", (t) => {
  const clone = new Clone(t);
  clone.prepare("start");
  rmSync(clone.path("node_modules/.cache"), { recursive: true });
  assert.deepEqual(clone.prepare("start").calls, ["build"]);
});

test("another lock, a lost node, a changed source: only that is made again", (t) => {
  const clone = new Clone(t);
  clone.prepare("start");
  clone.write("src/b.ts", "export const b = 2;\n");
  assert.deepEqual(clone.prepare("start").calls, ["build"]);
  rmSync(clone.path("src/b.ts"));
  assert.deepEqual(clone.prepare("start").calls, ["build"]);
  assert.equal(existsSync(clone.path("dist/b.js")), false, "the output of a removed source stays");
  rmSync(clone.path("node_modules/node/bin/node"));
  assert.match(clone.prepare("start").calls.join(), /^npm rebuild node [^,]*$/);
  clone.write("package-lock.json", JSON.stringify({ packages: { "node_modules/a": { version: "2.0.0" } } }));
  assert.match(clone.prepare("start").calls.join(), /^npm ci /);
});

test("the page is built beside it, again after a change of ui/ or src/, and a build of src/ leaves it there", (t) => {
  const clone = new Clone(t);
  clone.write("ui/main.tsx", "");
  assert.deepEqual(clone.prepare("start").calls.slice(-2), ["build", "page"]);
  assert.equal(existsSync(clone.path("dist/ui/index.html")), true);
  assert.deepEqual(clone.prepare("start").calls, []);
  clone.write("ui/other.tsx", "");
  assert.deepEqual(clone.prepare("build").calls, ["page"]);
  clone.write("src/b.ts", "export const b = 2;\n");
  assert.deepEqual(clone.prepare("build").calls, ["build", "page"]);
  rmSync(clone.path("dist/ui"), { recursive: true });
  assert.deepEqual(clone.prepare("build").calls, ["page"]);
  clone.write("ui/bad.tsx", "");
  const failed = clone.prepare("build");
  assert.deepEqual([failed.code, /the build of the page failed/.test(failed.stderr)], [1, true]);
  rmSync(clone.path("ui/bad.tsx"));
  assert.deepEqual(clone.prepare("build").calls, ["page"]);
});

test("what fails stops it, with the reason", (t) => {
  const clone = new Clone(t);
  clone.write("src/bad.ts", "");
  const built = clone.prepare("build");
  assert.deepEqual([built.code, /the build failed/.test(built.stderr)], [1, true]);
  assert.equal(clone.prepare("build").code, 1, "a failed build is taken for a good one");
  clone.program("tools/npm", "exit 9");
  rmSync(clone.path("node_modules"), { recursive: true });
  const installed = clone.prepare("build");
  assert.deepEqual([installed.code, /npm ci failed: .*9/.test(installed.stderr)], [1, true]);
});

test("npm that leaves out the pinned node is noticed", (t) => {
  const clone = new Clone(t);
  clone.prepare("build");
  clone.program("tools/npm", "exit 0");
  clone.program("node_modules/node/bin/node", "echo v20.0.0");
  const { code, stderr } = clone.prepare("build");
  assert.equal(code, 1);
  assert.match(stderr, /should be v24\.0\.1 and is v20\.0\.0[\s\S]*npm rebuild node/);
});

const isRoot = process.getuid?.() === 0;
const asNobody = isRoot ? { uid: 65534 } : {};
const canBeNobody = spawnSync(process.execPath, ["-v"], { cwd: "/", ...asNobody }).status === 0;

test("root gets a missing bubblewrap from apt-get", { skip: isRoot ? false : "needs root" }, (t) => {
  const clone = new Clone(t);
  rmSync(clone.path("tools/bwrap"));
  const { code, calls } = clone.prepare("start");
  assert.equal(code, 0);
  assert.deepEqual(
    calls.filter((call) => call.startsWith("apt-get")),
    ["apt-get update -q", "apt-get -q install -y --no-install-recommends bubblewrap"],
  );
});

test(
  "others are told the command; start goes on, test does not",
  { skip: canBeNobody ? false : "another user cannot start this node" },
  (t) => {
    const clone = new Clone(t);
    clone.prepare("build");
    rmSync(clone.path("tools/bwrap"));
    const start = clone.prepare("start", asNobody);
    assert.deepEqual([start.code, start.calls], [0, []]);
    assert.match(start.stdout, /warning: bwrap is missing[\s\S]*sudo apt-get install -y bubblewrap/);
    const tests = clone.prepare("test", asNobody);
    assert.equal(tests.code, 1);
    assert.match(tests.stderr, /sudo apt-get install -y bubblewrap/);
  },
);

test("an unknown purpose is refused", (t) => {
  assert.match(new Clone(t).prepare("fun").stderr, /usage/);
});
