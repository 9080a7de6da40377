// The workspace contract: what every place for an agent's files must hold. `open` makes an empty one.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../fixtures/fast-check.ts";
import { parseGlob } from "../../src/shared/glob.ts";
import type { Result } from "../../src/shared/result.ts";
import { parseWorkspacePath, type WorkspacePath } from "../../src/workspace/path.ts";
import type { Change, WorkspaceEntry, Workspace, WorkspaceLimits } from "../../src/workspace/workspace.ts";

export type OpenWorkspace = (limits?: WorkspaceLimits) => Workspace | Promise<Workspace>;

export const pathOf = (text: string): WorkspacePath => valueOf(parseWorkspacePath(text));
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

export const write = (path: string, text: string, executable = false): Change => ({
  operation: "write",
  path: pathOf(path),
  bytes: bytesOf(text),
  executable,
});
export const link = (path: string, target: string): Change => ({ operation: "link", path: pathOf(path), target });
export const remove = (path: string): Change => ({ operation: "delete", path: pathOf(path) });

export function valueOf<T>(result: Result<T>): T {
  assert.ok(result.ok, result.ok ? "" : result.failure.message);
  return result.value;
}

export function refusalOf(result: Result<unknown>): string {
  assert.ok(!result.ok, "it was not refused");
  return `${result.failure.error}: ${result.failure.message}`;
}

/** Everything there is, as one value to compare. */
export async function contentOf(workspace: Workspace): Promise<Record<string, string>> {
  const content: Record<string, string> = {};
  for (const entry of (await workspace.list()).entries) content[entry.path] = await describe(workspace, entry);
  return content;
}

async function describe(workspace: Workspace, entry: WorkspaceEntry): Promise<string> {
  if (entry.kind === "symlink") return `-> ${entry.target}`;
  const text = textOf(valueOf(await workspace.read(entry.path)).bytes);
  return entry.executable ? `* ${text}` : text;
}

const pathsOf = (entries: readonly { readonly path: string }[]): string[] => entries.map(({ path }) => path);

export function workspaceContract(name: string, open: OpenWorkspace): void {
  const withWorkspace = (title: string, body: (workspace: Workspace) => Promise<void>, limits?: WorkspaceLimits) => {
    test(`${name}: ${title}`, async () => {
      const workspace = await open(limits);
      try {
        await body(workspace);
      } finally {
        await workspace.close();
      }
    });
  };

  withWorkspace("files are written, read, replaced and deleted", async (workspace) => {
    const made = valueOf(
      await workspace.apply([write("a.txt", "one"), write("bin/run", "#!", true), write("empty", "")]),
    );
    assert.deepEqual(
      made.changes.map(({ path, operation, size }) => [path, operation, size]),
      [
        ["a.txt", "create", 3],
        ["bin/run", "create", 2],
        ["empty", "create", 0],
      ],
    );
    assert.deepEqual(await contentOf(workspace), { "a.txt": "one", "bin/run": "* #!", empty: "" });
    assert.deepEqual(await workspace.usage(), { files: 3, bytes: 5 });
    const next = valueOf(await workspace.apply([write("a.txt", "three"), write("bin/run", "#!"), remove("empty")]));
    assert.deepEqual(
      next.changes.map(({ operation, size }) => [operation, size]),
      [
        ["update", 5],
        ["update", 2],
        ["delete", 0],
      ],
    );
    assert.ok(next.version > made.version);
    assert.deepEqual(await contentOf(workspace), { "a.txt": "three", "bin/run": "#!" });
    assert.deepEqual(await workspace.usage(), { files: 2, bytes: 7 });
    const entry = await workspace.entry(pathOf("a.txt"));
    assert.deepEqual(
      [entry?.kind, entry?.size, entry?.executable, entry?.target, entry?.version],
      ["file", 5, false, null, next.version],
    );
    assert.equal(await workspace.entry(pathOf("empty")), undefined);
    assert.equal(await workspace.entry(pathOf("bin")), undefined);
  });

  withWorkspace("every byte comes back, and what was read stays as it was", async (workspace) => {
    const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => (index * 7) % 256);
    const window = bytes.subarray(1_000, 69_000);
    const expected = Uint8Array.from(window);
    const change: Change = { operation: "write", path: pathOf("b"), bytes: window, executable: false };
    valueOf(await workspace.apply([change]));
    bytes.fill(0);
    const read = valueOf(await workspace.read(pathOf("b"))).bytes;
    assert.deepEqual(read, expected);
    valueOf(await workspace.apply([write("b", "other")]));
    assert.deepEqual(read, expected);
  });

  withWorkspace("reading what is no file says what it is", async (workspace) => {
    valueOf(await workspace.apply([write("d/a", "1"), link("l", "d/a")]));
    assert.match(refusalOf(await workspace.read(pathOf("d/b"))), /^not_found: .*d\/b/);
    assert.match(refusalOf(await workspace.read(pathOf("d/a/b"))), /^not_found: .*d\/a\/b/);
    assert.match(refusalOf(await workspace.read(pathOf("d"))), /^invalid_args: d is a directory/);
    assert.match(refusalOf(await workspace.read(pathOf("l"))), /^invalid_args: l is a link/);
    assert.deepEqual(await Promise.all(["d", "d/a", "l", "x"].map((path) => workspace.isDirectory(pathOf(path)))), [
      true,
      false,
      false,
      false,
    ]);
  });

  withWorkspace("a batch that is refused changes nothing", async (workspace) => {
    valueOf(await workspace.apply([write("a", "1"), write("d/b", "2")]));
    const before = await contentOf(workspace);
    const version = await workspace.version();
    const refused: [changes: Change[], reason: RegExp][] = [
      [[write("new", "x"), write("a/b", "x")], /^conflict: a\/b cannot be made: a is a file/],
      [[remove("a"), write("d", "x")], /^conflict: d is a directory/],
      [[write("n", "x"), write("n/m", "x")], /^conflict: n\/m cannot be made: n is a file/],
      [[write("n/m", "x"), link("n", "a")], /^conflict: n\/m cannot be made: n is a link/],
      [[write("new", "x"), write("new", "y")], /^invalid_args: new is there twice/],
      [[write("new", "x"), link("out", "../x")], /^fs_denied: .*out/],
      [[remove("a"), link("out", "/etc/passwd")], /^fs_denied: .*out/],
      [[write("new", "x"), { ...write("a", "x"), basedOn: 999 }], /^conflict: a was changed/],
      [[write("new", "x"), { ...write("a", "x"), basedOn: 0 }], /^conflict: a was made/],
      [[write("new", "x"), { ...write("zz", "x"), basedOn: 1 }], /^conflict: zz was deleted/],
    ];
    for (const [changes, reason] of refused) {
      assert.match(refusalOf(await workspace.apply(changes)), reason);
      assert.deepEqual(await contentOf(workspace), before);
      assert.equal(await workspace.version(), version);
    }
  });

  withWorkspace("a file can become a directory and back, in one batch", async (workspace) => {
    valueOf(await workspace.apply([write("a", "1")]));
    valueOf(await workspace.apply([write("a/b/c", "2"), remove("a")]));
    assert.deepEqual(await contentOf(workspace), { "a/b/c": "2" });
    valueOf(await workspace.apply([write("a", "3"), remove("a/b/c")]));
    assert.deepEqual(await contentOf(workspace), { a: "3" });
    valueOf(await workspace.apply([remove("a")]));
    valueOf(await workspace.apply([write("x/y/z", "4")]));
    valueOf(await workspace.apply([remove("x/y/z")]));
    assert.equal(await workspace.isDirectory(pathOf("x")), false);
    valueOf(await workspace.apply([write("x", "5")]));
    assert.deepEqual(await contentOf(workspace), { x: "5" });
  });

  withWorkspace("what is the same already is no change", async (workspace) => {
    valueOf(await workspace.apply([write("a", "1"), link("l", "a")]));
    const version = await workspace.version();
    const same = valueOf(await workspace.apply([write("a", "1"), link("l", "a"), remove("nothing")]));
    assert.deepEqual(
      same.changes.map(({ operation }) => operation),
      ["unchanged", "unchanged", "unchanged"],
    );
    assert.equal(await workspace.version(), version);
    const mode = valueOf(await workspace.apply([write("a", "1", true), write("l", "a")]));
    assert.deepEqual(
      mode.changes.map(({ operation }) => operation),
      ["update", "update"],
    );
    assert.deepEqual(await contentOf(workspace), { a: "* 1", l: "a" });
  });

  withWorkspace(
    "limits: the last that fits fits, one more is refused whole, and deleting makes room",
    async (workspace) => {
      valueOf(await workspace.apply([write("a", "1234567890")]));
      assert.match(
        refusalOf(await workspace.apply([write("b", "12345678901")])),
        /^tool_failed: b has 11 bytes; .* 10\./,
      );
      valueOf(await workspace.apply([write("b", "1234567890")]));
      assert.match(refusalOf(await workspace.apply([write("c", "123456")])), /^tool_failed: .* 26 bytes; .* 25\./);
      valueOf(await workspace.apply([write("c", "12345")]));
      assert.match(refusalOf(await workspace.apply([write("d", "")])), /^tool_failed: .* 4 files; .* 3\./);
      assert.match(refusalOf(await workspace.apply([write("b", "1"), write("d", "")])), /4 files/);
      valueOf(await workspace.apply([write("d", "1"), remove("a")]));
      assert.deepEqual(pathsOf((await workspace.list()).entries), ["b", "c", "d"]);
      assert.deepEqual(await workspace.usage(), { files: 3, bytes: 16 });
    },
    { fileBytes: 10, totalBytes: 25, fileCount: 3 },
  );

  withWorkspace("links that stay inside are kept and lead where they say", async (workspace) => {
    valueOf(
      await workspace.apply([
        write("src/lib/a.ts", "a"),
        link("one", "src/lib/a.ts"),
        link("src/up", "../one"),
        link("lib", "./src/lib"),
        link("abs", "/workspace/src/lib"),
        link("deep/er/root", "../.."),
        link("loop", "loop"),
        link("nowhere", "not/there"),
      ]),
    );
    const lead: [path: string, to: string][] = [
      ["one", "src/lib/a.ts"],
      ["src/up", "src/lib/a.ts"],
      ["lib/a.ts", "src/lib/a.ts"],
      ["abs/a.ts", "src/lib/a.ts"],
      ["deep/er/root/lib/new.ts", "src/lib/new.ts"],
      ["deep/er/root/deep/er/root/one", "src/lib/a.ts"],
      ["nowhere", "not/there"],
      ["src/lib/a.ts", "src/lib/a.ts"],
    ];
    for (const [path, to] of lead) assert.equal(valueOf(await workspace.resolve(pathOf(path))), to, path);
    assert.match(refusalOf(await workspace.resolve(pathOf("loop"))), /links/);
    assert.match(
      refusalOf(await workspace.apply([write("lib/b", "x")])),
      /^conflict: lib\/b cannot be made: lib is a link/,
    );
    assert.equal((await contentOf(workspace))["src/up"], "-> ../one");
    for (const [path, target] of [
      ["x", ".."],
      ["x", "/"],
      ["x", "/workspaces/a"],
      ["x", "/workspace/../etc"],
      ["x", "src/../a"],
      ["x", "deep/er/root/.."],
      ["d/x", "../../a"],
      ["d/x", "e/../y"], // `e` may be a link to the workspace itself, one day
      ["x", ".git/config"],
      ["x", "a\\b"],
      ["x", "a\0b"],
      ["x", ""],
    ] as const)
      assert.match(refusalOf(await workspace.apply([link(path, target)])), /^fs_denied: The link/, target);
  });

  withWorkspace("lists are sorted, paged, and go by directory and pattern", async (workspace) => {
    const names = ["b", "a.txt", "a/z.ts", "a/b/c.ts", "ab", "a/b.md", "é", "😀", "a0", "A"];
    valueOf(await workspace.apply(names.map((path) => write(path, path))));
    const sorted = names.toSorted((one, other) => (one < other ? -1 : 1));
    assert.deepEqual(pathsOf((await workspace.list()).entries), sorted);
    const paged: string[] = [];
    for (let after = ""; ;) {
      const page = await workspace.list({ after, limit: 3 });
      paged.push(...pathsOf(page.entries));
      if (!page.more) break;
      assert.equal(page.entries.length, 3);
      after = page.entries.at(-1)?.path as string;
    }
    assert.deepEqual(paged, sorted);
    assert.deepEqual(await workspace.list({ limit: names.length }), await workspace.list());
    const under = pathOf("a");
    assert.deepEqual(pathsOf((await workspace.list({ under })).entries), ["a/b.md", "a/b/c.ts", "a/z.ts"]);
    assert.deepEqual(pathsOf((await workspace.list({ under, after: "a/b.md", limit: 1 })).entries), ["a/b/c.ts"]);
    assert.deepEqual((await workspace.list({ under: pathOf("ab") })).entries, []);
    const glob = (pattern: string) => valueOf(parseGlob(pattern));
    assert.deepEqual(pathsOf((await workspace.list({ glob: glob("*.ts") })).entries), ["a/b/c.ts", "a/z.ts"]);
    assert.deepEqual(pathsOf((await workspace.list({ under, glob: glob("/*.ts") })).entries), ["a/z.ts"]);
    assert.deepEqual((await workspace.list({ glob: glob("*.ts"), limit: 2 })).more, false);
    valueOf(await workspace.apply([remove("b"), write("aa", ""), remove("a/z.ts")]));
    valueOf(await workspace.apply([write("b", "again")]));
    const expected = [...sorted.filter((path) => path !== "a/z.ts"), "aa"].sort((one, other) => (one < other ? -1 : 1));
    assert.deepEqual(pathsOf((await workspace.list()).entries), expected);
  });

  withWorkspace("changes are told since any version", async (workspace) => {
    valueOf(await workspace.apply([write("a", "1"), write("b", "1"), write("c", "1")]));
    const first = await workspace.version();
    valueOf(await workspace.apply([write("b", "2"), remove("c"), link("d", "a")]));
    valueOf(await workspace.apply([write("b", "3"), write("e", "1")]));
    valueOf(await workspace.apply([remove("e")]));
    const since = await workspace.changesSince(first);
    const told = Object.fromEntries(since.changed.map(({ path, entry }) => [path, entry?.size]));
    assert.equal(since.isWhole, false);
    assert.deepEqual([told["a"], told["b"], told["c"], told["d"], told["e"]], [undefined, 1, undefined, 1, undefined]);
    assert.deepEqual(pathsOf(since.changed).sort(), ["b", "c", "d", "e"]);
    assert.equal(since.version, await workspace.version());
    assert.deepEqual((await workspace.changesSince(since.version)).changed, []);
  });

  withWorkspace("who began from what is no longer there is told so; other paths are not touched", async (workspace) => {
    valueOf(await workspace.apply([write("a", "1"), write("b", "1")]));
    const basedOn = (await workspace.entry(pathOf("a")))?.version as number;
    const outcomes = await Promise.all([
      workspace.apply([{ ...write("a", "first"), basedOn }]),
      workspace.apply([write("b", "other")]),
      workspace.apply([{ ...write("a", "second"), basedOn }]),
    ]);
    assert.deepEqual(
      outcomes.map((outcome) => outcome.ok),
      [true, true, false],
    );
    assert.deepEqual(await contentOf(workspace), { a: "first", b: "other" });
  });

  test(`${name}: whatever batches come, it is what a plain map would be, and followers arrive at the same`, async () => {
    const anyPath = fc.constantFrom("a", "b", "a/b", "a/c", "b/c/d", "e");
    const anyChange = fc.oneof(
      fc.tuple(anyPath, fc.constantFrom("", "1", "22"), fc.boolean()).map((change) => write(...change)),
      anyPath.map((path) => link(path, "e")),
      anyPath.map(remove),
    );
    const anyBatch = fc.uniqueArray(anyChange, { maxLength: 4, selector: ({ path }) => path });
    await fc.assert(
      fc.asyncProperty(fc.array(anyBatch, { maxLength: 8 }), fc.nat(), async (batches, seed) => {
        const workspace = await open();
        const model = new Map<string, string>();
        const follower = new Map<string, string>();
        let followed = 0;
        for (const [index, batch] of batches.entries()) {
          const next = applyToModel(model, batch);
          const result = await workspace.apply(batch);
          assert.equal(result.ok, next !== undefined, result.ok ? "it was taken" : result.failure.message);
          if (next !== undefined) {
            model.clear();
            for (const [path, text] of next) model.set(path, text);
          }
          assert.deepEqual(await contentOf(workspace), Object.fromEntries(model));
          if ((seed + index) % 3 === 0) continue;
          const since = await workspace.changesSince(followed);
          followed = since.version;
          for (const { path, entry } of since.changed) {
            if (entry === undefined) follower.delete(path);
            else follower.set(path, await describe(workspace, entry));
          }
          assert.deepEqual(follower, model);
        }
        await workspace.close();
      }),
      { numRuns: 100 },
    );
  });
}

/** The state after the batch; undefined when some path would lie below a file. */
function applyToModel(model: ReadonlyMap<string, string>, batch: readonly Change[]): Map<string, string> | undefined {
  const next = new Map(model);
  for (const change of batch) {
    if (change.operation === "delete") next.delete(change.path);
    else if (change.operation === "link") next.set(change.path, `-> ${change.target}`);
    else next.set(change.path, `${change.executable ? "* " : ""}${textOf(change.bytes)}`);
  }
  for (const path of next.keys()) {
    for (const other of next.keys()) if (path.startsWith(`${other}/`)) return undefined;
  }
  return new Map([...next].sort(([a], [b]) => (a < b ? -1 : 1)));
}
