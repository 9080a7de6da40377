// The text of git_diff is characters: a file whose bytes are none is named, and never given with other bytes.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { commit, git } from "../fixtures/git.ts";
import { newWorld } from "../fixtures/git-gates.ts";

const latin = (text: string) => Buffer.from(text, "latin1");

test("text that is not UTF-8 is named with what changes in it; the rest applies, and what a person sees is whole", async () => {
  const world = newWorld();
  const old = "caf\u00e9\none\ntwo\n";
  commit(world.repo, "latin", { "latin.txt": latin(old), "utf.txt": "caf\u00e9\n" });
  const tools = world.open();
  await tools.done("git_pull", { source: { type: "local", path: "." }, paths: ["latin.txt", "utf.txt"] });
  await tools.done("Bash", {
    script:
      "printf 'th\\351\\none\\ntwo\\nthree\\n' > latin.txt; printf 'th\\303\\251\\n' > utf.txt; printf '\\374\\n' > new.txt",
  });
  const { id } = await tools.stage(["latin.txt", "utf.txt", "new.txt"]);
  const { diff } = (await tools.done("git_diff", { commitId: id })) as { diff: string };
  assert.equal((await tools.done("git_diff"))["diff"], diff);
  assert.ok(!diff.includes("\ufffd"), diff);
  const notes = diff.split("\n").filter((line) => /^(?:Binary|#)/.test(line));
  assert.deepEqual(notes, [
    "Binary files a/latin.txt and b/latin.txt differ",
    "# Not UTF-8 text, so its lines cannot stand here: 2 added, 1 removed.",
    "Binary files /dev/null and b/new.txt differ",
    "# Not UTF-8 text, so its lines cannot stand here: 1 added, 0 removed.",
  ]);

  const clone = join(world.directories.outside, "clone");
  git(world.directories.outside, ["clone", "-q", world.repo, clone]);
  const patch = join(world.directories.outside, "patch");
  writeFileSync(patch, diff);
  assert.throws(
    () => git(clone, ["apply", patch]),
    /cannot apply binary patch to 'latin\.txt'/,
    "not: lines that differ",
  );
  git(clone, ["apply", "--exclude=latin.txt", "--exclude=new.txt", patch]);
  assert.equal(readFileSync(join(clone, "utf.txt"), "utf8"), "th\u00e9\n");

  await tools.done("git_push", { commitId: id, target: { type: "local", path: ".", branch: "x" } });
  const shown = tools.person.asked.at(-1)?.diff?.find(({ path }) => path === "latin.txt");
  assert.deepEqual(
    [shown?.isBinary, shown?.hunks[0]?.lines.map(({ sign, text }) => `${sign}${text}`)],
    [false, ["-caf\u00e9", "+th\u00e9", " one", " two", "+three"]],
  );
  assert.equal(
    git(world.repo, ["cat-file", "-s", "x:latin.txt"]).trim(),
    `${latin("th\u00e9\none\ntwo\nthree\n").length}`,
  );
});
