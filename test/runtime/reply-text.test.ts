// The text that a model reads of a reply: what it asked for, and all it needs to go on.

import assert from "node:assert/strict";
import test from "node:test";
import { replyText } from "../../src/runtime/reply-text.ts";
import { makeTestDirectories } from "../fixtures/gate.ts";
import { openScriptGate } from "../fixtures/script-gate.ts";

test("a refusal says which, why, and what would pass", () => {
  const reply = {
    ok: false,
    error: "fs_denied",
    message: "No grant covers /srv.",
    hint: "Ask for it.",
    because: ["read /srv: no grant covers it"],
  } as const;
  assert.equal(
    replyText(reply),
    "fs_denied: No grant covers /srv.\nHint: Ask for it.\nBecause: read /srv: no grant covers it",
  );
  assert.equal(replyText({ ok: false, error: "internal", message: "No." }), "internal: No.");
});

test("each result is told so that a model can go on from it", async (t) => {
  const directories = makeTestDirectories();
  const { gate, close } = openScriptGate(directories);
  t.after(() => {
    close();
    directories.remove();
  });
  const text = async (tool: string, args: unknown) => replyText(await gate.call({ tool, args }));
  assert.match(await text("write_file", { path: "a.txt", content: "one\ntwo\n" }), /"operation":"create"/);
  assert.equal(await text("read_file", { path: "a.txt" }), "one\ntwo\n");
  assert.equal(await text("list_files", {}), "/workspace/a.txt (8 bytes)");
  assert.equal(await text("search_files", { pattern: "tw" }), "/workspace/a.txt:2: two");
  assert.equal(await text("search_files", { pattern: "three" }), "(no matches)");
  assert.match(await text("git_diff", {}), /^diff --git [\s\S]*\+two/);
  const run = await text("Bash", { script: "echo out; echo err >&2; echo x > b.txt; exit 3" });
  assert.match(
    run,
    /^exit code 3 after [\d.]+ s\nout\nstderr:\nerr\nChanged: \/workspace\/b\.txt \(create\)(?:\nHint: .*)?$/,
  );
  assert.match(await text("Bash", { script: "sleep 9", timeout_s: 1 }), /^ended by SIG\w+ after .* its time was up/);
  assert.match(await text("Bash", { script: "true", expect: { files: ["none"] } }), /\nNot met: files_exist: .*none/);
  assert.match(await text("Bash", { script: "kill -9 $$" }), /^ended by SIGKILL after/);
  const staged = await text("git_stage", { files: ["a.txt"], message: "a" });
  const id = /^Staged (c-\w+): create \/workspace\/a\.txt$/.exec(staged)?.[1];
  assert.ok(id !== undefined, staged);
  assert.equal(await text("git_discard", { commitId: id }), "Done.");
  assert.match(await text("read_file", { path: "gone" }), /^not_found: There is no file gone/);
});

test("commands of a list are told one by one", () => {
  const failed = {
    command: "curl x",
    error: "permission_denied",
    message: "curl is not one of Shell's.",
    hint: "Bash.",
  };
  const reply = { ok: true, result: { success: false, results: [failed] } } as const;
  assert.equal(
    replyText(reply),
    "$ curl x\npermission_denied: curl is not one of Shell's.\nHint: Bash.\nNot all of it was done.",
  );
});

test("a pull and a push are told in a line, with what is to be known beside", () => {
  const told = (result: Record<string, unknown>) => replyText({ ok: true, result });
  assert.equal(
    told({ pulled: ["/workspace/a"], conflicts: [], commitSha: "abc", notes: ["b is a submodule, and is left out"] }),
    "Pulled at abc: /workspace/a\nb is a submodule, and is left out",
  );
  assert.match(
    told({ pulled: [], conflicts: ["/workspace/a"], commitSha: "abc" }),
    /nothing\nIn the way: "\/workspace\/a"/,
  );
  const pushed = {
    commitSha: "abc",
    branch: "work",
    createdBranch: true,
    previousSha: null,
    target: "/r",
    filesChanged: 1,
  };
  assert.equal(told(pushed), "Pushed abc to /r, branch work, which is new");
});
