// A draft whose agent wrote to its git directory: nothing starts a program, and no answer about the first commit is wrong.

import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { DraftGit } from "../../../src/git/draft/draft-git.ts";
import type { ComparedBase } from "../../../src/git/publish/push/compared-base.ts";
import { WantedPaths } from "../../../src/git/publish/push/wanted-paths.ts";
import { ok, type Result } from "../../../src/shared/result.ts";
import type { WorkspacePath } from "../../../src/workspace/path.ts";
import { inertGit, newDraft, type TestDraft } from "../../fixtures/draft.ts";
import fc from "../../fixtures/fast-check.ts";
import { git, plainGit, writeFiles } from "../../fixtures/git.ts";
import { runs } from "../../fixtures/runs.ts";

const all = ((parsed) => (parsed.ok ? parsed.value : assert.fail()))(WantedPaths.parse(undefined));
const paths = ["a.txt", "dir/b.txt", "dir/deep/c.txt", "none", "dir/none"] as WorkspacePath[];
const begin = { "a.txt": "1\n", "dir/b.txt": "2\n", "dir/deep/c.txt": "3\n" };

/** All that is asked about a draft, as text. */
async function askedOf(base: ComparedBase, { files }: TestDraft): Promise<Result<string>[]> {
  const textOf = <T>(result: Result<T>, write: (value: T) => unknown): Result<string> =>
    result.ok ? ok(JSON.stringify(write(result.value))) : result;
  return [
    textOf(await base.files(paths), (found) => [...found].map(([path, one]) => [path, one.state, [...one.bytes()]])),
    textOf(await base.tracked(paths), (found) => [...found]),
    textOf(await base.changed(files, all, new Map()), ({ changes }) => changes),
    textOf(await base.commits(), (made) => made),
  ];
}

test("no configuration, hook, attribute or filter of the draft starts a program", async () => {
  const draft = newDraft((root) => writeFiles(root, begin));
  const { root } = draft;
  const [marker, program] = [join(root, "../started"), join(root, ".git/program")];
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> '${marker}'\ncat\n`);
  chmodSync(program, 0o755);
  writeFiles(root, { ".gitattributes": "* diff=x filter=x merge=x\n", "a.txt": "changed\n", "new.txt": "new\n" });
  writeFileSync(join(root, ".git/info/attributes"), "* diff=x filter=x\n");
  for (const hook of ["post-index-change", "fsmonitor-watchman"]) {
    writeFiles(root, { [`.git/hooks/${hook}`]: readFileSync(program, "utf8") });
    chmodSync(join(root, ".git/hooks", hook), 0o755);
  }
  for (const key of ["core.fsmonitor", "diff.external", "diff.x.command", "diff.x.textconv", "filter.x.clean"])
    git(root, ["config", key, program]);
  for (const key of ["filter.x.smudge", "filter.x.process", "core.sshCommand", "gpg.program", "core.pager"])
    git(root, ["config", key, program]);
  git(root, ["config", "log.showSignature", "true"]);
  rmSync(marker, { force: true });

  const replies = await askedOf(draft.base, draft);
  assert.ok(
    replies.every((reply) => reply.ok),
    JSON.stringify(replies),
  );
  assert.equal(existsSync(marker), false, existsSync(marker) ? readFileSync(marker, "utf8") : "");
  plainGit(root, ["diff", draft.first]);
  assert.match(readFileSync(marker, "utf8"), /program/, "without the box's words and configuration, it starts");
  draft.remove();
});

test("a file that the agent tells git to take for unchanged is not listed, but its first state is known", async () => {
  const draft = newDraft((root) => writeFiles(root, begin));
  const { root, base, files } = draft;
  git(root, ["update-index", "--assume-unchanged", "a.txt"]);
  git(root, ["update-index", "--skip-worktree", "dir/b.txt"]);
  writeFiles(root, { "a.txt": "changed\n", "dir/b.txt": "changed\n", "dir/deep/c.txt": "changed\n" });
  const found = await base.changed(files, all, new Map());
  assert.deepEqual(found.ok && found.value.changes, [{ path: "dir/deep/c.txt", status: "modified" }]);
  const first = await base.files(paths);
  assert.deepEqual(first.ok && [...first.value.values()].map((one) => Buffer.from(one.bytes()).toString()), [
    "1\n",
    "2\n",
    "3\n",
  ]);
  draft.remove();
});

test("an object with another content under its id, a missing one and a replaced one are said, and not believed", async () => {
  const looseFile = (root: string, id: string) => join(root, ".git/objects", id.slice(0, 2), id.slice(2));
  for (const name of ["^{commit}", "^{tree}", ":dir", ":dir/b.txt"]) {
    const draft = newDraft((root) => writeFiles(root, begin));
    const { root } = draft;
    const id = git(root, ["rev-parse", `${draft.first}${name}`]).trim();
    const type = git(root, ["cat-file", "-t", id]).trim();
    const other = newDraft((place) => writeFiles(place, { ...begin, "dir/b.txt": "evil\n" }));
    const content = readFileSync(looseFile(other.root, git(other.root, ["rev-parse", `HEAD${name}`]).trim()));
    chmodSync(looseFile(root, id), 0o644);
    writeFileSync(looseFile(root, id), content);
    assert.equal(plainGit(root, ["cat-file", type, id]).exitCode, 0, "git itself believes it");
    const files = await draft.base.files(paths);
    assert.match(files.ok ? "" : files.failure.message, /cannot be right/, name);

    rmSync(looseFile(root, id));
    const missing = await draft.baseWith((words, stdin) => draft.git.read(words, stdin)).files(paths);
    assert.equal(missing.ok ? "" : missing.failure.error, "tool_failed", name);
    other.remove();
    draft.remove();
  }
  const draft = newDraft((root) => writeFiles(root, begin));
  const { root } = draft;
  const ids = ["evil\n", "1\n"].map((input) => git(root, ["hash-object", "-w", "--stdin"], { input }).trim());
  git(root, ["replace", ids[1] as string, ids[0] as string]);
  assert.equal(git(root, ["cat-file", "blob", ids[1] as string]), "evil\n", "git itself takes the other");
  const files = await draft.base.files(["a.txt"] as WorkspacePath[]);
  assert.equal(files.ok && Buffer.from(files.value.get("a.txt")?.bytes() ?? []).toString(), "1\n");
  draft.remove();
});

test("an output that was changed anywhere is an error or makes no difference, and is never an exception", async () => {
  const draft = newDraft((root) => writeFiles(root, begin));
  writeFiles(draft.root, { "a.txt": "changed\n", "dir/new": "new\n" });
  git(draft.root, ["commit", "-q", "-m", "inside", "a.txt"]);
  const outputs = new Map<string, Result<Uint8Array>>();
  const remembered: DraftGit["read"] = async (words, stdin) => {
    const key = JSON.stringify([words, stdin]);
    const known = outputs.get(key) ?? (await draft.git.read(words, stdin));
    outputs.set(key, known);
    return known;
  };
  const honest = await askedOf(draft.baseWith(remembered), draft);
  assert.ok(honest.every((reply) => reply.ok));
  let refused = 0;
  const changes = fc.oneof(
    fc.record({ kind: fc.constant("cut"), at: fc.nat(2_000), byte: fc.nat(255) }),
    fc.record({ kind: fc.constant("set"), at: fc.nat(2_000), byte: fc.nat(255) }),
    fc.record({ kind: fc.constant("add"), at: fc.nat(2_000), byte: fc.nat(255) }),
  );
  const property = fc.asyncProperty(changes, async ({ kind, at, byte }) => {
    const lie: DraftGit["read"] = async (words, stdin) => {
      const output = await remembered(words, stdin);
      if (!output.ok || output.value.length === 0) return output;
      const cut = at % output.value.length;
      const [head, tail] = [output.value.slice(0, cut), output.value.slice(cut)];
      if (kind === "cut") return ok(head);
      return ok(Uint8Array.from([...head, byte, ...tail.subarray(kind === "set" ? 1 : 0)]));
    };
    const replies = await askedOf(draft.baseWith(lie), draft);
    for (const [each, reply] of replies.entries()) {
      if (!reply.ok) refused += 1;
      // Of the list of changes and of commits, which are the agent's to write, only the form can be checked.
      if (reply.ok && each < 2) assert.deepEqual(reply, honest[each]);
    }
  });
  await fc.assert(property, { numRuns: runs(3_000) });
  assert.ok(refused > 100);
  draft.remove();
});

test("an output beyond the limit is said", async () => {
  const draft = newDraft((root) => writeFiles(root, { ...begin, large: "x".repeat(100_000) }));
  for (let each = 0; each < 3_000; each += 1) writeFileSync(join(draft.root, `new-${"n".repeat(50)}-${each}`), "");
  const small = inertGit(draft.root, 50_000);
  const base = draft.baseWith((words, stdin) => small.read(words, stdin));
  for (const reply of [await base.files(["large"] as WorkspacePath[]), await base.changed(draft.files, all, new Map())])
    assert.match(reply.ok ? "" : reply.failure.message, /more than 50000 bytes/);
  assert.ok((await base.files(paths)).ok);
  draft.remove();
});
