// The file tools, one by one: what they take, what they answer, and what they refuse.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import test, { after } from "node:test";
import { limits } from "../../src/shared/limits.ts";
import { makeTestDirectories } from "../fixtures/gate.ts";
import { refused } from "../fixtures/run.ts";
import { isFull } from "../fixtures/runs.ts";
import { openScriptGate, type ScriptGate } from "../fixtures/script-gate.ts";

const directories = makeTestDirectories();
after(() => directories.remove());

function withGate(title: string, body: (tools: ScriptGate) => Promise<void>): void {
  test(title, async () => {
    const tools = openScriptGate(directories);
    try {
      await body(tools);
    } finally {
      tools.close();
    }
  });
}

withGate("arguments that do not fit are named, those that nobody knows too", async ({ call }) => {
  const wrong: [string, Record<string, unknown>, RegExp][] = [
    ["read_file", {}, /path/],
    ["read_file", { path: "" }, /path/],
    ["read_file", { path: "a", mode: "r" }, /"mode": no such argument/],
    ["read_file", { path: "a", encoding: "latin1" }, /encoding/],
    ["read_file", { path: "a", start_line: 0 }, /start_line/],
    ["read_file", { path: "a", start_line: 5, end_line: 4 }, /end_line: 4 is before start_line, 5/],
    ["read_file", { path: "a", encoding: "base64", start_line: 1 }, /start_line: base64 has no lines/],
    ["write_file", { path: "a" }, /content/],
    ["write_file", { path: "a", content: 1 }, /content/],
    ["write_file", { path: "a", content: "\ud800" }, /content: holds half/],
    ["write_file", { path: "a", content: "a_b", encoding: "base64" }, /content: is not base64/],
    ["write_file", { path: "a", content: "", executable: "yes" }, /executable/],
    ["edit_file", { path: "a", old_text: "x" }, /new_text/],
    ["list_files", { limit: 0 }, /limit/],
    ["list_files", { limit: 5_001 }, /limit/],
    ["list_files", { pattern: "[" }, /pattern/],
    ["search_files", {}, /pattern/],
    ["search_files", { pattern: "(" }, /pattern/],
    ["search_files", { pattern: "a(?=b)" }, /pattern/],
    ["search_files", { pattern: "a", glob: "[" }, /glob/],
    ["delete_file", { path: "/workspace" }, /path: .* is the workspace itself/],
  ];
  for (const [tool, args, message] of wrong) {
    const reply = refused(await call(tool, args));
    assert.deepEqual(
      [reply.error, message.test(reply.message)],
      ["invalid_args", true],
      `${tool} ${JSON.stringify([args, reply])}`,
    );
  }
});

withGate("paths that are none are refused by every tool, and name their field", async ({ call }) => {
  const bad = [
    "../a",
    "a/../../b",
    "/etc/passwd",
    "a\\b",
    "a\0b",
    ".git/config",
    "x/.GIT/hooks/y",
    ".g\u200cit/a",
    "GIT~1/a",
  ];
  const long = ["x".repeat(256), `${"d/".repeat(65)}f`, `${"dir/".repeat(600)}f`];
  for (const path of [...bad, ...long])
    for (const [tool, more] of [
      ["read_file", {}],
      ["write_file", { content: "x" }],
      ["edit_file", { old_text: "a", new_text: "b" }],
      ["delete_file", {}],
      ["list_files", {}],
      ["search_files", { pattern: "x" }],
    ] as const) {
      const reply = refused(await call(tool, { path, ...more }));
      assert.deepEqual(
        [reply.error, reply.message.startsWith("path: ")],
        ["invalid_args", true],
        `${tool} ${path}: ${reply.message}`,
      );
    }
});

withGate("write_file and read_file: text, its size and lines; create, update, unchanged", async ({ done }) => {
  assert.deepEqual(await done("write_file", { path: "src/ä.txt", content: "één\ntwo\n" }), {
    path: "/workspace/src/ä.txt",
    operation: "create",
    size: 10,
  });
  assert.deepEqual(await done("read_file", { path: "/workspace/src/ä.txt" }), {
    content: "één\ntwo\n",
    encoding: "utf8",
    size: 10,
    total_lines: 2,
  });
  assert.equal((await done("write_file", { path: "src//./ä.txt", content: "x" }))["operation"], "update");
  assert.equal((await done("write_file", { path: "src/ä.txt", content: "x" }))["operation"], "unchanged");
  assert.deepEqual(await done("write_file", { path: "empty", content: "" }), {
    path: "/workspace/empty",
    operation: "create",
    size: 0,
  });
  assert.equal((await done("read_file", { path: "empty" }))["total_lines"], 0);
});

withGate("line ranges", async ({ done }) => {
  await done("write_file", { path: "f", content: "1\n2\n3\n4\n5" });
  const lines = async (range: object) => (await done("read_file", { path: "f", ...range }))["content"];
  assert.equal(await lines({ start_line: 2, end_line: 3 }), "2\n3\n");
  assert.equal(await lines({ start_line: 4 }), "4\n5");
  assert.equal(await lines({ end_line: 1 }), "1\n");
  assert.equal(await lines({ start_line: 5, end_line: 99 }), "5");
  assert.equal(await lines({ start_line: 6 }), "");
});

withGate("base64 both ways; what is not text says so", async ({ done, call }) => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
  await done("write_file", { path: "b.bin", content: bytes.toString("base64"), encoding: "base64" });
  assert.equal((await done("read_file", { path: "b.bin", encoding: "base64" }))["content"], bytes.toString("base64"));
  const text = refused(await call("read_file", { path: "b.bin" }));
  assert.deepEqual([text.error, text.hint], ["invalid_args", 'Read it with "encoding": "base64".']);
  assert.match(
    refused(await call("edit_file", { path: "b.bin", old_text: "a", new_text: "b" })).message,
    /is not UTF-8 text/,
  );
});

withGate("a long file is refused whole, with its lines, and given in part", async ({ done, call }) => {
  await done("write_file", { path: "long", content: "line of text\n".repeat(100_000) });
  const reply = refused(await call("read_file", { path: "long" }));
  assert.match(`${reply.message} ${reply.hint}`, /too long to return: 1300000 bytes.*100000 lines.*start_line/);
  assert.equal((await done("read_file", { path: "long", start_line: 99_999 }))["content"], "line of text\n".repeat(2));
});

withGate("the executable bit is kept, set and taken", async ({ done, ranBash }) => {
  await done("write_file", { path: "run.sh", content: "#!/bin/sh\necho ran\n", executable: true });
  assert.equal((await ranBash("./run.sh")).stdout, "ran\n");
  await done("write_file", { path: "run.sh", content: "#!/bin/sh\necho again\n" });
  assert.equal((await ranBash("./run.sh")).stdout, "again\n", "kept");
  await done("edit_file", { path: "run.sh", old_text: "again", new_text: "edited" });
  assert.equal((await ranBash("./run.sh")).stdout, "edited\n", "kept by an edit");
  assert.equal(
    (await done("write_file", { path: "run.sh", content: "#!/bin/sh\necho edited\n", executable: false }))["operation"],
    "update",
  );
  assert.equal((await ranBash("./run.sh")).exit_code, 126);
});

withGate("edit_file: once, or nothing changes and the nearest place is shown", async ({ done, call, text }) => {
  const content = "function one() {\n  return 1;\n}\nfunction two() {\n  return 2;\n}\n";
  await done("write_file", { path: "f.ts", content });
  assert.deepEqual(await done("edit_file", { path: "f.ts", old_text: "return 2;", new_text: "return 22;" }), {
    path: "/workspace/f.ts",
    size: content.length + 1,
  });
  const twice = refused(await call("edit_file", { path: "f.ts", old_text: "return", new_text: "x" }));
  assert.match(twice.message, /old_text: is there 2 times, in line 2, 5/);
  const none = refused(
    await call("edit_file", { path: "f.ts", old_text: "function two()  {\n  return 3;", new_text: "x" }),
  );
  assert.match(`${none.message} ${none.hint}`, /old_text: is not in the file[^]*function two\(\) \{/);
  assert.match(
    refused(await call("edit_file", { path: "f.ts", old_text: "", new_text: "x" })).message,
    /old_text: is empty/,
  );
  assert.match(
    refused(await call("edit_file", { path: "f.ts", old_text: "one", new_text: "one" })).message,
    /new_text: is the same/,
  );
  assert.equal(await text("f.ts"), content.replace("return 2;", "return 22;"));
  assert.equal(refused(await call("edit_file", { path: "none", old_text: "a", new_text: "b" })).error, "not_found");
});

withGate("list_files: sorted, globs, sizes, pages", async ({ done, call }) => {
  for (const path of ["b.ts", "a.ts", "src/c.ts", "src/deep/d.ts", "src/e.js"])
    await done("write_file", { path, content: path });
  const paths = async (args: object) => {
    const { files, more } = (await done("list_files", args)) as { files: { path: string }[]; more: boolean };
    return [files.map(({ path }) => path.slice("/workspace/".length)).join(" "), more];
  };
  assert.deepEqual(await paths({}), ["a.ts b.ts src/c.ts src/deep/d.ts src/e.js", false]);
  assert.deepEqual(await paths({ pattern: "*.ts", path: "src" }), ["src/c.ts src/deep/d.ts", false]);
  assert.deepEqual(await paths({ pattern: "src/*.ts" }), ["src/c.ts", false]);
  assert.deepEqual(await paths({ limit: 2 }), ["a.ts b.ts", true]);
  assert.deepEqual(await paths({ limit: 2, after: "b.ts" }), ["src/c.ts src/deep/d.ts", true]);
  assert.deepEqual(await paths({ limit: 2, after: "/workspace/src/deep/d.ts" }), ["src/e.js", false]);
  assert.deepEqual((await done("list_files", { pattern: "a.ts" }))["files"], [
    { path: "/workspace/a.ts", size: 4, executable: false },
  ]);
  assert.match(refused(await call("list_files", { after: "../x" })).message, /^after: /);
});

for (const kind of ["memory", "directory"] as const)
  test(`list_files and search_files say what they cannot look into, in a ${kind} workspace`, async () => {
    const directory = `${directories.project}/looked`;
    mkdirSync(`${directory}/empty`, { recursive: true });
    const agent = { tool_grants: ["*"], fs_grants: [{ path: "/usr", mode: "r" }] };
    const workspace = kind === "memory" ? { kind } : { kind, path: directory };
    const configText = JSON.stringify({ version: 1, agents: { default: agent }, workspace });
    const { call, done, ranBash, close } = openScriptGate(directories, {}, { configText });
    const said = async (tool: string, args: object) => {
      const reply = await call(tool, args);
      if (reply.ok)
        return ((reply.result["files"] ?? reply.result["matches"]) as { path: string }[]).map((at) => at.path);
      assert.ok((reply.hint ?? "").length > 0, "says what would pass");
      return `${reply.error}: ${reply.message}`;
    };
    try {
      const search = { pattern: "a" };
      for (const path of [undefined, ".", "/workspace"]) {
        const at = path === undefined ? {} : { path };
        assert.deepEqual(await said("list_files", at), [], "an empty workspace is one");
        assert.deepEqual(await said("search_files", { ...search, ...at }), []);
      }
      if (kind === "directory") {
        assert.deepEqual(await said("list_files", { path: "empty" }), []);
        assert.deepEqual(await said("search_files", { ...search, path: "empty" }), []);
      }
      await done("write_file", { path: "w.txt", content: "a\nb\na\n" });
      await done("write_file", { path: "w.txt.old", content: "a\n" });
      await done("write_file", { path: "sub/w.txt", content: "a\n" });
      await ranBash("ln -s sub way; ln -s ../w.txt sub/link");
      const [one, other] = ["/workspace/w.txt", "/workspace/sub/w.txt"];
      assert.deepEqual(await done("search_files", { ...search, path: "w.txt" }), {
        matches: [
          { path: one, line: 1, text: "a" },
          { path: one, line: 3, text: "a" },
        ],
        more: false,
      });
      assert.deepEqual(await done("search_files", { ...search, path: "w.txt", limit: 1 }), {
        matches: [{ path: one, line: 1, text: "a" }],
        more: true,
        stopped: "limit",
      });
      assert.deepEqual(await said("search_files", { ...search, path: "sub/link" }), [one, one]);
      assert.deepEqual(await said("search_files", { ...search, path: "sub/w.txt", glob: "*.txt" }), [other]);
      assert.deepEqual(await said("search_files", { ...search, path: "sub/w.txt", glob: "*.md" }), []);
      assert.deepEqual(await said("search_files", { ...search, path: "way" }), [other]);
      assert.deepEqual(await said("list_files", { path: "way" }), ["/workspace/sub/link", other]);
      for (const path of ["w.txt", "/workspace/w.txt", "sub/link"])
        assert.match(
          String(await said("list_files", { path })),
          /^invalid_args: path: .* is a file, not a directory\.$/,
        );
      for (const path of ["nope", "w.txt/below", "su"])
        for (const [tool, args] of [
          ["list_files", {}],
          ["search_files", search],
        ] as const)
          assert.equal(await said(tool, { ...args, path }), `not_found: There is nothing at /workspace/${path}.`);
    } finally {
      close();
    }
  });

withGate("search_files: lines and places; a catastrophic pattern is quick", async ({ done }) => {
  await done("write_file", { path: "a.ts", content: "one\n// TODO: x\n" });
  await done("write_file", { path: "b/c.js", content: "todo\nTODO\n" });
  assert.deepEqual(await done("search_files", { pattern: "TODO" }), {
    matches: [
      { path: "/workspace/a.ts", line: 2, text: "// TODO: x" },
      { path: "/workspace/b/c.js", line: 2, text: "TODO" },
    ],
    more: false,
  });
  assert.equal(((await done("search_files", { pattern: "(?i)todo", path: "b" }))["matches"] as unknown[]).length, 2);
  assert.equal(((await done("search_files", { pattern: "TODO", glob: "*.ts" }))["matches"] as unknown[]).length, 1);
  assert.equal((await done("search_files", { pattern: "(?i)todo", limit: 1 }))["more"], true);
  await done("write_file", { path: "evil", content: `${"a".repeat(50_000)}!` });
  const found = await done("search_files", { pattern: "^(a+)+$" });
  assert.deepEqual(found["matches"], []);
});

withGate(
  "delete_file: a file, a link but not what it leads to; no directory, nothing twice",
  async ({ done, call, ranBash, text }) => {
    await ranBash("mkdir d; echo x > d/f; ln -s f d/l");
    assert.deepEqual(await done("delete_file", { path: "d/l" }), { path: "/workspace/d/l" });
    assert.equal(await text("d/f"), "x\n");
    assert.match(refused(await call("delete_file", { path: "d" })).message, /path: \/workspace\/d is a directory/);
    await done("delete_file", { path: "d/f" });
    const again = refused(await call("delete_file", { path: "d/f" }));
    assert.deepEqual([again.error, again.message], ["not_found", "There is no /workspace/d/f."]);
    assert.equal(refused(await call("read_file", { path: "d/f" })).error, "not_found");
    assert.equal((await ranBash("ls -A d 2>/dev/null | wc -l")).stdout, "0\n");
  },
);

withGate(
  "links that stay inside are followed; what leads out never comes to be",
  async ({ done, ranBash, text, call }) => {
    const made = await ranBash(
      "mkdir a; echo inside > a/f; ln -s a/f in; ln -s /etc/passwd out; ln -s ../../../etc up; ln -s a dir",
    );
    assert.deepEqual(
      made.artifacts.map(({ path, operation }) => `${operation} ${path}`),
      ["create /workspace/a/f", "create /workspace/dir", "create /workspace/in"],
    );
    assert.deepEqual(made.not_kept?.map(({ path }) => path).sort(), ["/workspace/out", "/workspace/up"]);
    assert.match(made.not_kept?.[0]?.reason ?? "", /leads out of the workspace/);
    assert.equal(await text("in"), "inside\n");
    assert.equal(await text("dir/f"), "inside\n");
    await done("write_file", { path: "in", content: "through\n" });
    assert.equal((await ranBash("cat a/f; readlink in")).stdout, "through\na/f\n");
    assert.equal(refused(await call("read_file", { path: "out" })).error, "not_found");
  },
);

test("a link in a directory workspace that leads out is neither read nor written through", async () => {
  const directory = `${directories.project}/ws`;
  mkdirSync(directory);
  writeFileSync(`${directories.outside}/secret`, "secret");
  symlinkSync(`${directories.outside}/secret`, `${directory}/link`);
  symlinkSync(directories.outside, `${directory}/dir`);
  const agent = { tool_grants: ["*"], fs_grants: [{ path: "/usr", mode: "r" }] };
  const configText = JSON.stringify({
    version: 1,
    agents: { default: agent },
    workspace: { kind: "directory", path: directory },
  });
  const tools = openScriptGate(directories, {}, { configText });
  try {
    for (const path of ["link", "dir/secret"]) {
      assert.equal(refused(await tools.call("read_file", { path })).error, "fs_denied", path);
      assert.equal(refused(await tools.call("write_file", { path, content: "x" })).error, "fs_denied", path);
    }
    assert.equal(readFileSync(`${directories.outside}/secret`, "utf8"), "secret");
    await tools.done("write_file", { path: "here", content: "x\n" });
    assert.equal(readFileSync(`${directory}/here`, "utf8"), "x\n");
    assert.equal((await tools.ranBash("cat here; pwd")).stdout, "x\n/workspace\n");
  } finally {
    tools.close();
  }
});

withGate("a file over the limit is refused, and the limit said", async ({ call }) => {
  const large = refused(
    await call("write_file", { path: "large", content: "x".repeat(limits.workspaceFileBytes + 1) }),
  );
  assert.match(large.message, /content: 67108865 bytes; a file may have 67108864/);
});

if (isFull)
  withGate("a workspace that is full is said, and nothing is half written", async ({ done, ranBash, text }) => {
    await done("write_file", { path: "kept", content: "before" });
    // More than all of the workspace may hold, in files that each may be.
    const flood = await ranBash(
      "echo after > kept; for i in $(seq 1 12); do head -c 60000000 /dev/zero > f$i || exit 9; done",
    );
    assert.notEqual(flood.exit_code, 0);
    const files = (await done("list_files"))["files"] as { size: number }[];
    const total = files.reduce((sum, { size }) => sum + size, 0);
    assert.ok(total <= limits.workspaceTotalBytes, `${total}`);
    assert.ok((await text("kept")).length > 0);
  });
