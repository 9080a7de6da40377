// The text that a model reads of a reply: what it asked for, and all it needs to go on.

import assert from "node:assert/strict";
import test from "node:test";
import { replyText } from "../../src/runtime/reply-text.ts";
import { makePlace } from "../fixtures/gate.ts";
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
  const place = makePlace();
  const { gate, close } = openScriptGate(place);
  t.after(() => {
    close();
    place.remove();
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
  const { id } = JSON.parse(await text("git_stage", { files: ["a.txt"], message: "a" })) as { id: string };
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
