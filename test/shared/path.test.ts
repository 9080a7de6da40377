import assert from "node:assert/strict";
import { posix } from "node:path";
import test from "node:test";
import fc from "../fixtures/fast-check.ts";
import {
  ancestorsOf,
  baseName,
  isAbsolutePath,
  isWithin,
  joinPath,
  parentPath,
  tidyPath,
} from "../../src/shared/path.ts";

const name = fc
  .string({ minLength: 1, maxLength: 6 })
  .filter((text) => !text.includes("/") && text !== "." && text !== "..");
const tidy = fc.array(name, { maxLength: 5 }).map((names) => `/${names.join("/")}`);
const messy = fc
  .array(fc.oneof(name, fc.constantFrom("", ".", "")), { maxLength: 8 })
  .map((parts) => `/${parts.join("/")}`);

test("tidyPath says what node's normalize says, without the slash at the end", () => {
  fc.assert(fc.property(messy, (path) => assert.equal(tidyPath(path), posix.normalize(path).replace(/(?<=.)\/$/, ""))));
});

test("tidyPath is at rest after one go, and leaves `..` alone", () => {
  fc.assert(fc.property(messy, (path) => assert.equal(tidyPath(tidyPath(path)), tidyPath(path))));
  assert.equal(tidyPath("/a/../b"), "/a/../b");
});

test("parentPath and baseName take apart what joinPath put together", () => {
  fc.assert(
    fc.property(tidy, name, (directory, inner) => {
      const path = joinPath(directory, inner);
      assert.deepEqual([parentPath(path), baseName(path)], [directory, inner]);
      assert.equal(path, posix.join(directory, inner));
    }),
  );
  assert.equal(parentPath("/"), "/");
});

test("isWithin agrees with a path relative to the root, by whole components", () => {
  fc.assert(
    fc.property(
      tidy,
      tidy,
      fc.array(name, { maxLength: 3 }),
      fc.string({ minLength: 1, maxLength: 3 }),
      (root, other, inner, suffix) => {
        const below = inner.reduce(joinPath, root);
        assert.ok(isWithin(below, root));
        assert.equal(isWithin(other, root), !posix.relative(root, other).split("/").includes(".."));
        if (root !== "/" && !suffix.startsWith("/"))
          assert.ok(!isWithin(root + suffix, root), "a longer name is another name");
      },
    ),
  );
});

test("ancestorsOf lists every directory on the way, parents first, and ends with the path itself", () => {
  fc.assert(
    fc.property(tidy, (path) => {
      const all = ancestorsOf(path);
      assert.equal(all.at(-1) ?? "/", path);
      for (const [index, each] of all.entries()) assert.equal(parentPath(each), all[index - 1] ?? "/");
    }),
  );
});

test("only a path that begins with a slash is absolute", () => {
  for (const path of ["", "a", "./a", "~/a", " /a", "\\a"]) assert.ok(!isAbsolutePath(path));
  for (const path of ["/", "/a", "//a"]) assert.ok(isAbsolutePath(path));
});
