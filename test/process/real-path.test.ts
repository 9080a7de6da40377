// resolvePath against the kernel's own way through random trees of links.

import assert from "node:assert/strict";
import {
  closeSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import fc from "../fixtures/fast-check.ts";
import { resolvePath } from "../../src/process/real-path.ts";
import { runs } from "../fixtures/runs.ts";

const O_PATH = 0o10000000;
const base = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-links-")));
test.after(() => rmSync(base, { recursive: true, force: true }));

const part = fc.constantFrom("a", "b", "c", "d", "..", ".");
const relative = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join("/"));
const target = fc.oneof(
  relative,
  relative.map((path) => `${base}/${path}`),
  fc.constantFrom("/", "/usr/bin", "/nowhere/x", "a//b/"),
);

type Node = { readonly at: string; readonly kind: "file" | "directory" | "link"; readonly target: string };
const node: fc.Arbitrary<Node> = fc.record({
  at: relative,
  kind: fc.constantFrom("file", "directory", "link", "link"),
  target,
});

function build(nodes: readonly Node[]): void {
  rmSync(base, { recursive: true, force: true });
  mkdirSync(base);
  for (const { at, kind, target: text } of nodes) {
    if (!staysInside(at)) continue;
    try {
      if (kind === "directory") mkdirSync(`${base}/${at}`, { recursive: true });
      else if (kind === "file") writeFileSync(`${base}/${at}`, "", { flag: "wx" });
      else symlinkSync(text, `${base}/${at}`);
    } catch {
      // it is taken, or its directory is not there: another tree then
    }
  }
}

/** A link that was made before may lead to / by now: nothing is made through it. */
function staysInside(at: string): boolean {
  const parts = at.split("/");
  return parts.every((_, index) => {
    try {
      const real = realpathSync(`${base}/${parts.slice(0, index).join("/")}`);
      return real === base || real.startsWith(`${base}/`);
    } catch {
      return !parts.slice(index).includes(".."); // not there yet
    }
  });
}

/** Where the kernel itself gets to; or why it does not. realpath(1) would do as well, but it never ends on some circles. */
function kernelPath(path: string): { readonly real: string | null; readonly code: string | undefined } {
  try {
    const fd = openSync(path, O_PATH);
    try {
      return { real: readlinkSync(`/proc/self/fd/${fd}`), code: undefined };
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    return { real: null, code: (error as NodeJS.ErrnoException).code };
  }
}

test("what exists is resolved as the kernel does, and what the kernel does not find does not exist", () => {
  fc.assert(
    fc.property(
      fc.array(node, { maxLength: 12 }),
      fc.array(relative, { minLength: 8, maxLength: 8 }),
      (nodes, asked) => {
        build(nodes);
        const paths = [...nodes.map(({ at }) => `${base}/${at}`), ...asked.map((path) => `${base}/${path}`)];
        for (const path of paths) {
          const { real, code } = kernelPath(path);
          const found = resolvePath(path);
          if (real !== null) assert.deepEqual([found.real, found.exists], [real, true], path);
          // We read `file/..` by its text, and so come to what is there; the kernel stops at the file.
          else assert.ok(!found.exists || code === "ENOTDIR", `${path}: ${code} ${JSON.stringify(found)}`);
        }
      },
    ),
    { numRuns: runs(300) },
  );
});

test("every link on the way is told, where it really lies and with its text", () => {
  fc.assert(
    fc.property(fc.array(node, { maxLength: 12 }), (nodes) => {
      build(nodes);
      for (const { at } of nodes) {
        for (const link of resolvePath(`${base}/${at}`).links) {
          assert.ok(lstatSync(link.path).isSymbolicLink());
          assert.equal(realpathSync(join(link.path, "..")), join(link.path, ".."));
        }
      }
    }),
    { numRuns: 60 },
  );
});

test("a circle of links does not exist, and ends", () => {
  build([
    { at: "a", kind: "link", target: "b" },
    { at: "b", kind: "link", target: "a" },
    { at: "c", kind: "link", target: "c/c" },
  ]);
  for (const path of ["a", "b", "c", "a/x"]) assert.equal(resolvePath(`${base}/${path}`).exists, false, path);
});

test("`..` after a link is the parent of where it leads, not of where it lies", () => {
  build([
    { at: "a/b", kind: "directory", target: "" },
    { at: "c", kind: "link", target: "a/b" },
  ]);
  assert.equal(resolvePath(`${base}/c/../x`).real, `${base}/a/x`);
});

test("what does not exist is its deepest ancestor and the rest", () => {
  build([
    { at: "a", kind: "directory", target: "" },
    { at: "l", kind: "link", target: "a" },
  ]);
  assert.deepEqual([resolvePath(`${base}/l/x/y`).real, resolvePath(`${base}/l/x/y`).exists], [`${base}/a/x/y`, false]);
  symlinkSync("gone/z", `${base}/dangling`);
  assert.deepEqual(
    [resolvePath(`${base}/dangling`).real, resolvePath(`${base}/dangling`).exists],
    [`${base}/gone/z`, false],
  );
});

test("links of /proc are not followed: they mean something else in each process", () => {
  for (const path of [
    "/proc/self/root/etc",
    "/proc/self/cwd",
    "/proc/self/exe",
    `/proc/${process.pid}/root`,
    "/proc/self/fd/0",
    "/dev/fd/0",
  ]) {
    assert.ok(resolvePath(path).real.startsWith("/proc/"), `${path}: ${resolvePath(path).real}`);
  }
});
