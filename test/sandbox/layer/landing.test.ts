// What a call writes to a path that it may change lands when the call ends, and never over what somebody else changed meanwhile.

import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import test, { type TestContext } from "node:test";
import { limits } from "../../../src/shared/limits.ts";
import { createRegistry, type Gate, registerShellTool } from "../../../src/index.ts";
import { type Grants, makeTestDirectories, openGate, type TestDirectories } from "../../fixtures/gate.ts";
import { isInLayer, keptLayers, layersOf } from "../../fixtures/layers.ts";
import { bare, bash, exec, refused, until } from "../../fixtures/run.ts";

interface Yard extends TestDirectories {
  readonly gate: Gate;
  /** Starts a call that has done this when it resolves, and that ends when it is let go. */
  readonly held: (first: string) => Promise<{ readonly end: () => ReturnType<typeof exec> }>;
}

function setUp(t: TestContext, files: Readonly<Record<string, string>> = {}, grants: Partial<Grants> = {}): Yard {
  const directories = makeTestDirectories();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(`${directories.root}/${name}`), { recursive: true });
    writeFileSync(`${directories.root}/${name}`, text);
  }
  const { root, outside, state } = directories;
  const paths = [
    { path: "/usr", mode: "r" },
    { path: root, mode: "rw" },
    { path: outside, mode: "r" },
  ] as const;
  const gate = openGate(directories, { paths, ...grants });
  t.after(() => (gate.close(), directories.remove()));
  let count = 0;
  return {
    ...directories,
    gate,
    held: async (first) => {
      const number = (count += 1);
      const call = exec(gate, ["/bin/bash", "-c", `cd ${root}; ${first}; touch begun-${number}; until [ -e ${outside}/go-${number} ]; do sleep 0.02; done`]); // prettier-ignore
      await until("it runs", () => isInLayer(state, `begun-${number}`));
      return { end: () => (writeFileSync(`${outside}/go-${number}`, ""), call) };
    },
  };
}

const isLeft = (root: string) => readdirSync(root, { recursive: true }).map(String).sort();

test("while a call runs, nothing of it is on the host; when it has ended, all of it is, and nothing of ours", async (t) => {
  const { root, state, held } = setUp(t, { "a.txt": "a\n", "dir/b.txt": "b\n", "dir/c.txt": "c\n", "old/x": "x" });
  chmodSync(`${root}/a.txt`, 0o640);
  const call = await held("echo more >> a.txt; rm dir/b.txt; rm -r old; mkdir -p new/deep; echo n > new/deep/n; ln -s a.txt link; printf '#!/bin/sh\\n' > run; chmod 755 run; touch -d 2001-02-03 run; mkdir empty"); // prettier-ignore
  assert.deepEqual(isLeft(root), ["a.txt", "dir", "dir/b.txt", "dir/c.txt", "old", "old/x"]);
  assert.ok((await call.end()).ok);
  assert.deepEqual(isLeft(root), ["a.txt", "begun-1", "dir", "dir/c.txt", "empty", "link", "new", "new/deep", "new/deep/n", "run"]); // prettier-ignore
  assert.equal(readFileSync(`${root}/a.txt`, "utf8"), "a\nmore\n");
  assert.equal(readlinkSync(`${root}/link`), "a.txt");
  assert.deepEqual([statSync(`${root}/a.txt`).mode & 0o7777, statSync(`${root}/run`).mode & 0o7777], [0o640, 0o755]);
  assert.equal(statSync(`${root}/run`).mtime.getUTCFullYear(), 2001);
  assert.deepEqual(layersOf(state), []);
});

test("the steps of one call share its layer, and a later call sees what landed", async (t) => {
  const directories = makeTestDirectories();
  const registry = createRegistry();
  registerShellTool(registry);
  const gate = openGate(directories, { tools: ["Shell"] }, { registry });
  t.after(() => (gate.close(), directories.remove()));
  const { root } = directories;
  const shell = async (command: readonly string[]) => {
    const reply = await gate.call({ tool: "Shell", args: { command, work_dir: root } });
    assert.ok(reply.ok, JSON.stringify(reply));
    return (reply.result["results"] as { readonly stdout: string }[]).map(({ stdout }) => stdout);
  };
  writeFileSync(`${root}/do.py`, "import os, sys; open(sys.argv[1], 'a').write(str(sorted(os.listdir('.'))))");
  await shell(["python3 do.py one", "python3 do.py two", "python3 do.py one"]);
  assert.equal(readFileSync(`${root}/one`, "utf8"), "['do.py', 'one']['do.py', 'one', 'two']");
  assert.deepEqual(await shell(["ls"]), ["do.py\none\ntwo\n"]);
  // The second program has an overlay that was mounted anew.
  writeFileSync(`${root}/move.py`, "import os; os.rename('one', 'renamed'); os.remove('two')");
  await shell(["python3 move.py", "python3 do.py renamed"]);
  assert.deepEqual(isLeft(root), ["do.py", "move.py", "renamed"]);
});

test("attributes, other names and a set-user-id bit stay behind, whether a file is copied or the layer's own lands", async (t) => {
  const { root, gate, state } = setUp(t);
  const marks = `import os; os.setxattr("attributed", "user.note", b"x")`;
  await bash(gate, `cd ${root}; echo p > plain; echo a > attributed; python3 -c '${marks}'; echo h > hard; ln hard other; echo s > setuid; chmod 4755 setuid; echo n > none; chmod 000 none`); // prettier-ignore
  for (const name of ["plain", "attributed", "hard", "other", "setuid", "none"]) {
    const found = statSync(`${root}/${name}`);
    assert.deepEqual([name, found.nlink, found.mode & 0o7000], [name, 1, 0]);
  }
  const attributes = bare(["/usr/bin/python3", "-c", `import os; print(os.listxattr("${root}/attributed"), os.listxattr("${root}/plain"))`]); // prettier-ignore
  assert.equal(attributes.stdout, "[] []\n");
  assert.deepEqual(layersOf(state), []);
});

test("two calls at once: each lands what it changed, and of one file the second is a conflict", async (t) => {
  const { root, state, held } = setUp(t, { same: "old", "dir/first": "old", "dir/second": "old" });
  const first = await held("echo first > same; echo first > dir/first");
  const second = await held("echo second > dir/second; echo second > dir/new");
  const third = await held("echo third > same; echo third > third; rm dir/first");
  assert.ok((await first.end()).ok);
  assert.ok((await second.end()).ok);
  const { error, message, hint } = refused(await third.end());
  assert.deepEqual([error, message], ["conflict", `Somebody else changed ${root}/dir/first, ${root}/same while the call ran. Nothing of the call has landed.`]); // prettier-ignore
  assert.match(hint ?? "", /kept for a day in .*kept-/);
  assert.deepEqual(["same", "dir/first", "dir/second", "dir/new"].map((name) => readFileSync(`${root}/${name}`, "utf8")), ["first\n", "first\n", "second\n", "second\n"]); // prettier-ignore
  assert.equal(existsSync(`${root}/third`), false);
  assert.equal(keptLayers(state).length, 1);
});

const conflicts: Readonly<Record<string, readonly [script: string, host: (root: string) => void, path: string]>> = {
  "changed, and changed by the host": ["echo c > f", (root) => writeFileSync(`${root}/f`, "host"), "f"],
  "deleted, and changed by the host": ["rm f", (root) => writeFileSync(`${root}/f`, "host"), "f"],
  "changed, and deleted by the host": ["echo c > f", (root) => rmSync(`${root}/f`), "f"],
  // In the overlays of users, the kernel does not tell the inode of a file that is gone.
  ...(process.getuid?.() === 0 && {
    "changed, and deleted by the host, in a call that deletes and replaces others": [
      "echo c > f; rm -r dir; mkdir dir; mv g moved",
      (root) => rmSync(`${root}/f`),
      "f",
    ],
  }),
  "changed, and deleted by the host, in a call that deletes what the host has deleted too": [
    "echo c > f; rm g",
    (root) => (rmSync(`${root}/f`), rmSync(`${root}/g`)),
    "f",
  ],
  "renamed, and deleted by the host": ["mv f moved", (root) => rmSync(`${root}/f`), "moved"],
  "made, and made by the host": ["echo c > new", (root) => writeFileSync(`${root}/new`, "host"), "new"],
  "deleted with its directory, where the host made one": ["rm -r dir", (root) => writeFileSync(`${root}/dir/host`, "host"), "dir/host"], // prettier-ignore
  "changed, and changed by the host, which set its time back": [
    "echo c > f",
    (root) => {
      writeFileSync(`${root}/f`, "hst");
      utimesSync(`${root}/f`, 1, 1);
    },
    "f",
  ],
  "made in a directory that the host replaced by a file": [
    "echo c > dir/new",
    (root) => {
      rmSync(`${root}/dir`, { recursive: true });
      writeFileSync(`${root}/dir`, "host");
    },
    "dir",
  ],
};
for (const [what, [script, host, path]] of Object.entries(conflicts)) {
  test(`a conflict, and nothing lands: ${what}`, async (t) => {
    const { root, held } = setUp(t, { f: "old", g: "other one", "dir/d": "old" });
    const call = await held(`${script}; echo other > other`);
    host(root);
    const before = isLeft(root);
    const { error, message } = refused(await call.end());
    assert.equal(error, "conflict", message);
    assert.match(message, new RegExp(`Somebody else changed [^.]*${root}/${path}[ ,]`));
    assert.deepEqual(isLeft(root), before);
    for (const name of ["f", "new", "dir/host"]) if (existsSync(`${root}/${name}`)) assert.ok(["host", "hst", "old"].includes(readFileSync(`${root}/${name}`, "utf8"))); // prettier-ignore
  });
}

test("no conflict: what the host changed elsewhere, and a file that the call only opened", async (t) => {
  const { root, held } = setUp(t, { f: "old", opened: "old", "dir/d": "old" });
  const { ino } = statSync(`${root}/opened`);
  const call = await held("exec 3<>opened; echo c > f; echo c > dir/c; rm dir/d");
  writeFileSync(`${root}/dir/host`, "host");
  rmSync(`${root}/dir/d`);
  assert.ok((await call.end()).ok);
  assert.deepEqual(isLeft(root), ["begun-1", "dir", "dir/c", "dir/host", "f", "opened"]);
  assert.equal(statSync(`${root}/opened`).ino, ino, "it is the same file");
});

test("a file of the host that the call renames is no conflict", async (t) => {
  const { root, gate } = setUp(t, { f: "old", "dir/d": "old" });
  await bash(gate, `cd ${root}; mv f renamed; mv dir/d moved; echo more >> moved`);
  assert.deepEqual(isLeft(root), ["dir", "moved", "renamed"]);
  assert.deepEqual(
    [readFileSync(`${root}/renamed`, "utf8"), readFileSync(`${root}/moved`, "utf8")],
    ["old", "oldmore\n"],
  );
});

// What `touch -r` and `rsync --inplace --times` do, to the nanosecond.
const inPlace = (file: string, text: string) =>
  `python3 -c "import os; s = os.stat('${file}'); f = open('${file}', 'r+'); f.write('${text}'); f.close(); os.utime('${file}', ns=(s.st_atime_ns, s.st_mtime_ns))"`;

test("bytes that were written in place land, although size, mode and times are as before", async (t) => {
  const { root, gate } = setUp(t, { "dir/f": "old\n", g: "old\n", opened: "old\n" });
  const before = statSync(`${root}/dir/f`, { bigint: true });
  await bash(gate, `cd ${root}; ${inPlace("dir/f", "new")}; cp -p g ref; printf NEW | dd of=g conv=notrunc status=none; touch -r ref g; rm ref; exec 3<>opened`); // prettier-ignore
  const after = statSync(`${root}/dir/f`, { bigint: true });
  const apartNs = after.mtimeNs - before.mtimeNs; // a copy gets its times in seconds, as a number with a fraction
  assert.ok(after.size === before.size && after.mode === before.mode && apartNs > -1000n && apartNs < 1000n);
  assert.deepEqual(["dir/f", "g", "opened"].map((name) => readFileSync(`${root}/${name}`, "utf8")), ["new\n", "NEW\n", "old\n"]); // prettier-ignore
});

test("bytes that were written in place land also in a file that is granted alone", async (t) => {
  const directories = makeTestDirectories();
  const file = `${directories.outside}/one.txt`;
  writeFileSync(file, "old\n");
  const { ino } = statSync(file);
  const gate = openGate(directories, {
    paths: [
      { path: "/usr", mode: "r" },
      { path: file, mode: "rw" },
    ],
  });
  t.after(() => (gate.close(), directories.remove()));
  await bash(gate, `cat ${file}; exec 3<>${file}`);
  assert.equal(statSync(file).ino, ino, "a call that only opens it leaves it alone");
  await bash(gate, inPlace(file, "new"));
  assert.equal(readFileSync(file, "utf8"), "new\n");
});

test("a file that was renamed or linked and then changed again is no conflict", async (t) => {
  const { root, gate } = setUp(t, { a: "one\n", b: "two\n", "dir/c": "three\n", linked: "four\n" });
  await bash(gate, `cd ${root}; mv a b; mv dir/c new; rmdir dir; echo more >> new; ln linked second; mv b third`);
  assert.deepEqual(isLeft(root), ["linked", "new", "second", "third"]);
  assert.deepEqual(["linked", "new", "second", "third"].map((name) => readFileSync(`${root}/${name}`, "utf8")), ["four\n", "three\nmore\n", "four\n", "one\n"]); // prettier-ignore
});

test("a file with several names that the call deletes excuses no other file that the host deleted", async (t) => {
  const { root, held } = setUp(t, { f: "the file\n", "pkg/index.js": "a package\n", "pkg/same": "the file\n" });
  for (const name of ["index.js", "same"]) linkSync(`${root}/pkg/${name}`, `${root}/../${name}`);
  const call = await held("echo c >> f; rm -r pkg");
  rmSync(`${root}/f`);
  const { error, message } = refused(await call.end());
  assert.deepEqual([error, message.includes(`${root}/f `)], ["conflict", true], message);
  assert.deepEqual(isLeft(root), ["pkg", "pkg/index.js", "pkg/same"]);
});

test("a file with several names that the call renames is no conflict, and excuses none that looks like it", async (t) => {
  const { root, held } = setUp(t, { f: "the file\n", "pkg/a": "the file\n", "pkg/b": "other\n", "pkg/c": "deep\n" });
  for (const name of ["a", "b", "c"]) linkSync(`${root}/pkg/${name}`, `${root}/../${name}`);
  for (const name of ["f", "pkg/a"]) utimesSync(`${root}/${name}`, 1, 1);
  const control = await held("mv pkg/a moved; mv pkg/b .; mkdir new; mv pkg/c new");
  assert.ok((await control.end()).ok, "the control");
  assert.deepEqual(isLeft(root), ["b", "begun-1", "f", "moved", "new", "new/c", "pkg"]);
  linkSync(`${root}/moved`, `${root}/../moved`);
  const call = await held("chmod 600 f; mv moved again");
  rmSync(`${root}/f`);
  assert.equal(refused(await call.end()).error, "conflict");
  assert.ok(!existsSync(`${root}/f`));
});

test("what a call opens for writing and is too large to compare counts as changed", async (t) => {
  const { root, gate } = setUp(t, { small: "", large: "" }, { limits: { fsize_mb: 512 } });
  truncateSync(`${root}/small`, 1024 * 1024);
  truncateSync(`${root}/large`, limits.hashedFileBytes + 1);
  const before = ["small", "large"].map((name) => statSync(`${root}/${name}`).ino);
  await bash(gate, `cd ${root}; exec 3<>small 4<>large`);
  const after = ["small", "large"].map((name) => statSync(`${root}/${name}`).ino);
  assert.equal(after[0], before[0], "the control: the same bytes are no change");
  assert.notEqual(after[1], before[1]);
});

test("a file that was written right before the call is no conflict", async (t) => {
  const { root, gate } = setUp(t);
  for (let round = 0; round < 10; round += 1) {
    writeFileSync(`${root}/f`, `${round}`);
    await bash(gate, `echo call >> ${root}/f`);
    assert.equal(readFileSync(`${root}/f`, "utf8"), `${round}call\n`);
  }
});

test("a call that timed out, was cancelled or died lands nothing, and what it wrote is kept for a day", async (t) => {
  const { root, gate, state } = setUp(t, { f: "old" });
  const abort = new AbortController();
  const ends: (() => Promise<Awaited<ReturnType<typeof bash>>>)[] = [
    () => bash(gate, `cd ${root}; echo c > f; echo c > new; sleep 100`, { timeout_s: 1 }),
    () => bash(gate, `cd ${root}; echo c > f; echo c > new; kill -9 $$`),
    () => {
      const call = bash(gate, `cd ${root}; echo c > f; echo c > cancelled; sleep 100`, {}, { signal: abort.signal });
      void until("it runs", () => isInLayer(state, "cancelled")).then(() => abort.abort());
      return call;
    },
  ];
  for (const [index, end] of ends.entries()) {
    const { not_kept } = await end();
    assert.match(not_kept?.[0]?.reason ?? "", /did not end by itself.*kept for a day in .*kept-/);
    assert.deepEqual([isLeft(root), readFileSync(`${root}/f`, "utf8")], [["f"], "old"]);
    assert.equal(keptLayers(state).length, index + 1);
  }
  const [kept = ""] = keptLayers(state);
  utimesSync(`${state}/layers/${kept}`, new Date(0), new Date(0));
  gate.close();
  openGate({ base: "", state, root, project: root, outside: root, remove: () => undefined }).close();
  assert.equal(keptLayers(state).length, 2, "the one that is older is gone");
});

test("with keep_partial, what was written so far lands, however the call ended", async (t) => {
  const { root, gate, state } = setUp(t, { f: "old" });
  const abort = new AbortController();
  const ends: ((name: string) => Promise<Awaited<ReturnType<typeof bash>>>)[] = [
    (name) =>
      bash(gate, `cd ${root}; echo ${name} > f; touch ${name}; sleep 100`, { timeout_s: 1, keep_partial: true }),
    (name) => bash(gate, `cd ${root}; echo ${name} > f; touch ${name}; kill -9 $$`, { keep_partial: true }),
    (name) => bash(gate, `cd ${root}; echo ${name} > f; touch ${name}; trap '' TERM; while :; do sleep 1; done`, { timeout_s: 1, keep_partial: true }), // prettier-ignore
    (name) => {
      const call = bash(gate, `cd ${root}; echo ${name} > f; touch ${name}; sleep 100`, { keep_partial: true }, { signal: abort.signal }); // prettier-ignore
      void until("it runs", () => isInLayer(state, name)).then(() => abort.abort());
      return call;
    },
  ];
  for (const [index, end] of ends.entries()) {
    const { not_kept, exit_code } = await end(`end-${index}`);
    assert.deepEqual([not_kept ?? [], exit_code], [[], null]);
    assert.ok(existsSync(`${root}/end-${index}`));
    assert.equal(readFileSync(`${root}/f`, "utf8"), `end-${index}\n`);
  }
  assert.deepEqual(layersOf(state), []);
});

test("a failing program has ended by itself: what it wrote lands", async (t) => {
  const { root, gate } = setUp(t);
  assert.equal((await bash(gate, `echo x > ${root}/log; exit 3`)).exit_code, 3);
  assert.ok(existsSync(`${root}/log`));
});

test("a granted file is changed in a copy, and lands like any other", async (t) => {
  const directories = makeTestDirectories();
  const [file, go] = [`${directories.outside}/one.txt`, `${directories.project}/go`];
  writeFileSync(file, "old\n", { mode: 0o640 });
  const gate = openGate(directories, { paths: [{ path: "/usr", mode: "r" }, { path: file, mode: "rw" }, { path: directories.project, mode: "r" }] }); // prettier-ignore
  t.after(() => (gate.close(), directories.remove()));
  await bash(gate, `echo new >> ${file}`);
  assert.equal(readFileSync(file, "utf8"), "old\nnew\n");
  assert.equal(statSync(file).mode & 0o7777, 0o640);
  const call = exec(gate, ["/bin/bash", "-c", `echo call > ${file}; until [ -e ${go} ]; do sleep 0.02; done`]);
  await until("it has written", () => isInLayer(directories.state, "one.txt", "call\n"));
  writeFileSync(file, "host\n");
  writeFileSync(go, "");
  assert.equal(refused(await call).error, "conflict");
  assert.equal(readFileSync(file, "utf8"), "host\n");
});

test("what lies inside of a path that may be changed keeps its own rights", async (t) => {
  const { root, gate } = setUp(t, { "vendor/lib.js": "theirs", ".env": "CANARY", "vendor/own/f": "old" }, {}); // prettier-ignore
  gate.close();
  const directories = { base: root, state: `${root}/../state`, root, project: `${root}/../project`, outside: root, remove: () => undefined }; // prettier-ignore
  const nested = openGate(directories, { paths: [{ path: "/usr", mode: "r" }, { path: root, mode: "rw", hide: [".env"] }, { path: `${root}/vendor`, mode: "r" }, { path: `${root}/vendor/own`, mode: "rw" }] }); // prettier-ignore
  t.after(() => nested.close());
  const { stdout, stderr, not_kept } = await bash(nested, `cd ${root}; cat .env; rm -f .env; echo x > sub.env; mkdir s; echo x > s/.env; echo x > vendor/lib.js; echo new > vendor/own/f; rm -r vendor`); // prettier-ignore
  assert.doesNotMatch(stdout, /CANARY/);
  assert.match(stderr, /Read-only file system/);
  assert.deepEqual(
    not_kept?.map(({ path }) => path),
    [`${root}/s/.env`],
  );
  assert.deepEqual([".env", "vendor/lib.js"].map((name) => readFileSync(`${root}/${name}`, "utf8")), ["CANARY", "theirs"]); // prettier-ignore
  assert.ok(existsSync(`${root}/sub.env`) && lstatSync(`${root}/s`).isDirectory());
});
