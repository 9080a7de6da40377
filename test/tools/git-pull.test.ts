// The way in: what of a repository comes into the workspace, what does not, and that nothing of it runs or changes.

import assert from "node:assert/strict";
import { chmodSync, existsSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { commit, git, makeRepository, pictureOf, plainGit, writeFiles } from "../fixtures/git.ts";
import { headOf, newWorld, seedFiles, type Tools } from "../fixtures/git-gates.ts";

const source = { type: "local", path: "." };
const spelled = (names: readonly string[]) => names.map((name) => `/workspace/${name}`);

async function workspaceFiles(tools: Tools): Promise<string[]> {
  const { files } = (await tools.done("list_files")) as { files: { path: string }[] };
  return files.map(({ path }) => path.slice("/workspace/".length));
}

async function pull(tools: Tools, paths: readonly string[], more: object = {}) {
  return (await tools.done("git_pull", { source, paths, ...more })) as {
    pulled: string[];
    conflicts: string[];
    commitSha: string;
    notes?: string[];
  };
}

test("paths, directories, globs and names of any language", async () => {
  const world = newWorld();
  commit(world.repo, "more", {
    "src/a.ts": "a",
    "src/deep/b.ts": "b",
    "src/deep/c.js": "c",
    "données/日本.md": "nihon",
    "[x]/y.md": "brackets",
    ".env.example.md": "not one",
    "~tilde.txt": "a name",
  });
  const cases: [paths: string[], expected: string[]][] = [
    [["README.md"], ["README.md"]],
    [["./README.md", "README.md"], ["README.md"]],
    [["templates"], ["templates/chart.svg", "templates/report.md"]],
    [["templates/"], ["templates/chart.svg", "templates/report.md"]],
    [["src/**/*.ts"], ["src/a.ts", "src/deep/b.ts"]],
    [["src/*.ts"], ["src/a.ts"]],
    [["src//a.ts"], ["src/a.ts"]],
    [["src/./deep/.//*.ts"], ["src/deep/b.ts"]],
    [["~tilde.txt"], ["~tilde.txt"]],
    [["**/*.js"], ["src/deep/c.js"]],
    [["*.md"], [".env.example.md", "README.md"]],
    [["données/日本.md"], ["données/日本.md"]],
    [
      ["src/deep", "templates/report.md"],
      ["src/deep/b.ts", "src/deep/c.js", "templates/report.md"],
    ],
  ];
  for (const [paths, expected] of cases) {
    const tools = world.open({ session: `paths ${paths.join()}` });
    const { pulled, commitSha } = await pull(tools, paths);
    assert.deepEqual(pulled.sort(), spelled(expected), paths.join());
    assert.deepEqual(await workspaceFiles(tools), expected);
    assert.equal(commitSha, headOf(world.repo, "main"));
  }
  const tools = world.open({ session: "all" });
  const all = git(world.repo, ["ls-files", "-z"]).split("\0").filter(Boolean);
  assert.deepEqual((await pull(tools, ["."])).pulled.sort(), spelled(all).sort());
  for (const paths of [["nothing/here"], ["**/*.rs"]])
    assert.equal((await tools.refused("git_pull", { source, paths })).error, "not_found", paths.join());
  for (const path of ["**/.git", "we\\*ird", "*/../[x]", "~/x", "~root"]) {
    const { message } = await tools.refused("git_pull", { source, paths: [path] });
    assert.ok(message.startsWith(`paths[0]: ${JSON.stringify(path)} `), message);
  }
  for (const paths of [["../x"], ["/etc/passwd"], [":(glob)**"], ["-x"], ["~"], [".git/config"], ["a\0b"], []])
    assert.equal((await tools.refused("git_pull", { source, paths })).error, "invalid_args", paths.join());
});

test("a name with brackets or stars in it means the file that bears it, and only then is it a glob", async () => {
  const world = newWorld();
  commit(world.repo, "more", {
    "pages/[id].tsx": "by id",
    "pages/i.tsx": "i",
    "pages/[...slug]/page.tsx": "slug",
    "pages/[open.tsx": "never closed",
    "pages/what?.md": "what",
    "pages/whatx.md": "x",
    "glob/a.ts": "a",
    "glob/b.ts": "b",
    "glob/*.md/c": "star",
    "**/deep": "two stars",
  });
  const cases: [paths: string[], expected: string[]][] = [
    [["pages/[id].tsx"], ["pages/[id].tsx"]],
    [["./pages/[...slug]/"], ["pages/[...slug]/page.tsx"]],
    [["pages/[...slug]/page.tsx"], ["pages/[...slug]/page.tsx"]],
    [["pages/[open.tsx"], ["pages/[open.tsx"]],
    [["pages/what?.md"], ["pages/what?.md"]],
    [["pages/wha??.md"], ["pages/what?.md", "pages/whatx.md"]],
    [["glob/[ab].ts"], ["glob/a.ts", "glob/b.ts"]],
    [["glob/*.md"], ["glob/*.md/c"]],
    [["**/deep"], ["**/deep"]],
    [["pages/[i]*.tsx"], ["pages/i.tsx"]],
  ];
  for (const [paths, expected] of cases) {
    const tools = world.open({ session: `names ${paths.join()}` });
    assert.deepEqual((await pull(tools, paths)).pulled.sort(), spelled(expected), paths.join());
  }
  const tools = world.open({ session: "not there" });
  for (const paths of [["pages/[gone.tsx"], ["pages/[z-a].tsx"]])
    assert.match((await tools.refused("git_pull", { source, paths })).message, /^paths\[0\]: .* is not a pattern/);
});

test("a branch by its name, at the commit that the result names; one that is not there is said", async () => {
  const world = newWorld();
  const first = headOf(world.repo, "main");
  git(world.repo, ["branch", "old"]);
  commit(world.repo, "second", { "README.md": "second\n" });
  const tools = world.open();
  const { commitSha } = (await tools.done("git_pull", {
    source: { ...source, branch: "old" },
    paths: ["README.md"],
  })) as { commitSha: string };
  assert.equal(commitSha, first);
  assert.equal(await tools.text("README.md"), seedFiles["README.md"]);
  const refused = await tools.refused("git_pull", { source: { ...source, branch: "gone" }, paths: ["."] });
  assert.equal(refused.error, "not_found");
  writeFileSync(join(world.repo, "README.md"), "not committed\n");
  await pull(tools, ["README.md"]);
  assert.equal(await tools.text("README.md"), "second\n", "what is committed, not what lies there");
});

test("conflicts: nothing is lost, unless it is asked for by name", async () => {
  const world = newWorld();
  const tools = world.open();
  await pull(tools, ["."]);
  await tools.write("README.md", "the agent's\n");
  commit(world.repo, "second", { "README.md": "theirs\n", "analysis.json": "{}\n" });
  const refused = await tools.refused("git_pull", { source, paths: ["."] });
  assert.equal(refused.error, "conflict");
  assert.match(refused.message, /\/workspace\/README\.md/);
  assert.equal(await tools.text("README.md"), "the agent's\n");
  assert.equal(await tools.text("analysis.json"), seedFiles["analysis.json"], "nothing of it changed");

  const both = await pull(tools, ["."], { onConflict: "keep-both" });
  assert.deepEqual(both.conflicts, ["/workspace/README.md"]);
  assert.equal(await tools.text("README.md"), "the agent's\n");
  assert.equal(await tools.text("README.md.conflict"), "theirs\n");
  assert.equal(await tools.text("analysis.json"), "{}\n", "what was not changed here is simply newer");

  commit(world.repo, "third", { "README.md": "theirs again\n" });
  await tools.write("README.md.conflict", "being merged\n");
  const again = await pull(tools, ["README.md"], { onConflict: "keep-both" });
  assert.equal(await tools.text("README.md.conflict"), "being merged\n", "a copy that was there is not lost either");
  assert.equal(again.pulled.length, 1);
  assert.equal(await tools.text(String(again.pulled[0])), "theirs again\n");

  const over = await pull(tools, ["README.md"], { onConflict: "overwrite" });
  assert.deepEqual(over.conflicts, ["/workspace/README.md"]);
  assert.equal(await tools.text("README.md"), "theirs again\n");
});

test("files as they were pulled are updated without a word, and a file that is the same is no conflict", async () => {
  const world = newWorld();
  const tools = world.open();
  await tools.write("README.md", seedFiles["README.md"] as string);
  assert.deepEqual((await pull(tools, ["."])).conflicts, []);
  commit(world.repo, "second", { "README.md": "newer\n" });
  assert.deepEqual((await pull(tools, ["README.md"])).conflicts, []);
  assert.equal(await tools.text("README.md"), "newer\n");
  assert.deepEqual((await tools.done("git_status"))["unstaged"], []);
});

test("what looks like a secret is asked about, and without a yes it does not come", async () => {
  const world = newWorld();
  const secrets = {
    ".env": "TOKEN=1\n",
    "deploy/.env.production": "TOKEN=2\n",
    "keys/server.pem": "pem\n",
    "keys/id_rsa": "rsa\n",
    ".ssh/config": "host\n",
    ".envrc": "export TOKEN=3\n",
    ".ENV": "TOKEN=4\n",
    ID_RSA: "rsa\n",
    "keys/id_ecdsa_sk": "ecdsa\n",
    "web/.npmrc": "//registry/:_authToken=1\n",
    "prod.env": "TOKEN=5\n",
    "credentials.json": "{}\n",
  };
  commit(world.repo, "secrets", { ...secrets, ".env.example": "TOKEN=\n", "src/environment.ts": "export {};\n" });
  const tools = world.open();
  tools.person.says = () => ({ decision: "deny", reason: "not the keys" });
  for (const path of Object.keys(secrets)) {
    const refused = await tools.refused("git_pull", { source, paths: [path] });
    assert.equal(refused.error, "approval_denied", path);
    assert.ok(tools.person.asked.at(-1)?.text.includes(path), path);
  }
  assert.deepEqual(await workspaceFiles(tools), []);
  tools.person.says = () => ({});
  await pull(tools, [".env"]);
  assert.equal(await tools.text(".env"), "TOKEN=1\n");
  const before = tools.person.asked.length;
  await pull(tools, ["README.md", ".env.example", "src/environment.ts"]);
  assert.equal(tools.person.asked.length, before, "the others are not");
  const alone = world.open({ session: "alone", approvers: [] });
  const refused = await alone.refused("git_pull", { source, paths: [".env"] });
  assert.equal(refused.error, "no_approver");
  assert.match(refused.hint ?? "", /Other files come without that yes: name other paths/);
  await alone.done("git_pull", { source, paths: ["README.md"] });
});

test("rules about pulls hold for repositories of this machine; one that allows a place allows no secret of it", async () => {
  const world = newWorld();
  commit(world.repo, "secrets", { ".env": "TOKEN=1\n" });
  const about = (decide: "allow" | "ask" | "deny", target?: string) =>
    world.open({
      session: `${decide} ${target ?? "any"}`,
      rules: [{ decide, effect: "pull", ...(target === undefined ? {} : { target }) }],
    });
  for (const target of [undefined, world.repo]) {
    const denied = about("deny", target);
    for (const path of ["README.md", ".env"])
      assert.equal((await denied.refused("git_pull", { source, paths: [path] })).error, "permission_denied");
    assert.equal(denied.person.asked.length, 0);
    const asking = about("ask", target);
    await pull(asking, ["README.md"]);
    assert.equal(asking.person.asked.length, 1);
  }
  const other = about("deny", world.bare);
  await pull(other, ["README.md"]);
  assert.equal(other.person.asked.length, 0, "control: a rule about another place says nothing");

  const allowed = about("allow", world.repo);
  await pull(allowed, ["README.md"]);
  assert.equal(allowed.person.asked.length, 0);
  await pull(allowed, [".env"]);
  assert.equal(allowed.person.asked.length, 1);
  const named = about("allow", `${world.repo}: .env`);
  await pull(named, [".env"]);
  assert.equal(named.person.asked.length, 0, "one that names the file does");
});

test("what the grants hide does not come by way of the repository", async () => {
  const world = newWorld();
  commit(world.repo, "secrets", { ".env": "TOKEN=1\n", "certs/a.crt": "crt\n" });
  const tools = world.open({ hide: [".env*", "*.crt"] });
  for (const path of [".env", "certs/a.crt"]) {
    const reply = await tools.call("git_pull", { source, paths: [path] });
    assert.equal(reply.ok, false, path);
    assert.equal(tools.person.asked.length, 0, "and nobody is asked");
  }
  const { pulled, notes } = await pull(tools, ["."]);
  assert.equal(
    pulled.some((path) => /\.env|\.crt/.test(path)),
    false,
  );
  assert.match((notes ?? []).join("\n"), /certs\/a\.crt/);
});

test("submodules and LFS pointers are said; a link that leads out stays out, one inside comes", async () => {
  const world = newWorld();
  const inner = makeRepository(join(world.directories.root, "inner"));
  git(world.repo, ["-c", "protocol.file.allow=always", "submodule", "add", "-q", inner, "module"]);
  writeFiles(world.repo, {
    "big.bin": `version https://git-lfs.github.com/spec/v1\noid sha256:${"0".repeat(64)}\nsize 12\n`,
  });
  symlinkSync("README.md", join(world.repo, "inside"));
  symlinkSync("../../etc/passwd", join(world.repo, "outside"));
  symlinkSync("/etc/shadow", join(world.repo, "absolute"));
  commit(world.repo, "strange");
  const tools = world.open();
  const { pulled, notes = [] } = await pull(tools, ["."]);
  const names = pulled.map((path) => path.slice("/workspace/".length));
  assert.ok(names.includes("inside") && names.includes("big.bin"));
  for (const left of ["module", "outside", "absolute"]) assert.ok(!names.includes(left), left);
  const said = notes.join("\n");
  for (const words of [/module.*submodule/, /big\.bin.*LFS/, /outside/, /absolute/]) assert.match(said, words);
  assert.equal(await tools.text("inside"), seedFiles["README.md"]);
});

function treeWith(repository: string, name: string): void {
  const blob = git(repository, ["hash-object", "-w", "--stdin"], { input: "x\n" }).trim();
  const content = Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(blob, "hex")]);
  const options = { input: content };
  const inner = git(repository, ["hash-object", "-w", "-t", "tree", "--literally", "--stdin"], options).trim();
  const outer = git(repository, ["mktree"], { input: `040000 tree ${inner}\tdir\n` }).trim();
  const made = git(repository, ["commit-tree", outer, "-m", "hand-made"]).trim();
  git(repository, ["update-ref", "refs/heads/hand-made", made]);
}

test("a tree with an entry called .git, .. or worse is refused whole", async () => {
  const world = newWorld();
  const tools = world.open();
  for (const name of [".git", "..", ".", ".GIT", "git~1", ".g\u200cit", "a\\b", "a/b", ".git "]) {
    treeWith(world.repo, name);
    const refused = await tools.refused("git_pull", { source: { ...source, branch: "hand-made" }, paths: ["."] });
    assert.ok(refused.error === "invalid_args", `${JSON.stringify(name)}: ${refused.error} ${refused.message}`);
    assert.deepEqual(await workspaceFiles(tools), [], name);
  }
  treeWith(world.repo, "fine");
  await tools.done("git_pull", { source: { ...source, branch: "hand-made" }, paths: ["."] });
  assert.deepEqual(await workspaceFiles(tools), ["dir/fine"], "the control");
});

test("nothing of the repository runs, and nothing in it changes", async () => {
  const world = newWorld();
  const { repo } = world;
  const marker = join(world.directories.outside, "marker");
  const hostile = join(world.directories.outside, "hostile.sh");
  writeFileSync(hostile, `#!/bin/sh\ntouch ${marker}\ncat\n`);
  chmodSync(hostile, 0o755);
  commit(repo, "attributes", { ".gitattributes": "* filter=evil\n" });
  git(repo, ["clone", "-q", ".", join(world.directories.outside, "copy")]);
  for (const [key, value] of Object.entries({
    "filter.evil.smudge": hostile,
    "filter.evil.clean": hostile,
    "filter.evil.process": hostile,
    "core.fsmonitor": hostile,
    "core.hooksPath": join(repo, ".git/hooks"),
    "core.pager": hostile,
    "core.sshCommand": hostile,
    "credential.helper": `!${hostile}`,
    "uploadpack.packObjectsHook": hostile,
    "fetch.bundleURI": `ext::${hostile}`,
    "diff.external": hostile,
  }))
    git(repo, ["config", key, value]);
  writeFileSync(join(repo, ".git/hooks/post-checkout"), `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });

  const before = pictureOf(repo);
  const tools = world.open({ mode: "rw" });
  const { pulled } = await pull(tools, ["."]);
  assert.ok(pulled.length > Object.keys(seedFiles).length);
  assert.deepEqual(pictureOf(repo), before);
  assert.equal(existsSync(marker), false);
  await tools.write("README.md", "mine\n");
  await tools.stage(["README.md"]);
  await tools.done("git_status");
  assert.deepEqual(pictureOf(repo), before);
  assert.equal(existsSync(marker), false);

  plainGit(repo, ["checkout", "-q", "-b", "side"]);
  assert.equal(existsSync(marker), true, "the control: plain git runs it");
  rmSync(marker);
  git(repo, ["config", "--unset", "core.hooksPath"]);
  rmSync(join(repo, ".git/hooks/post-checkout"));
  git(repo, ["config", "--unset", "core.fsmonitor"]);
  rmSync(join(repo, "README.md"));
  plainGit(repo, ["checkout", "README.md"]);
  assert.equal(existsSync(marker), true, "the control: its smudge filter too");
});

test("a tree that says it holds a million directories is refused, whatever is wanted of it", async () => {
  const world = newWorld();
  let id = git(world.repo, ["hash-object", "-w", "--stdin"], { input: "boom" }).trim();
  for (let level = 0; level <= 6; level += 1) {
    const kind = level === 0 ? "100644 blob" : "040000 tree";
    const lines = Array.from({ length: 10 }, (_, index) => `${kind} ${id}\td${index}\n`).join("");
    id = git(world.repo, ["mktree"], { input: lines }).trim();
  }
  const made = git(world.repo, ["commit-tree", id, "-m", "many"]).trim();
  git(world.repo, ["branch", "many", made]);
  const tools = world.open();
  for (const paths of [["."], ["**/*.rs"]]) {
    const refused = await tools.refused("git_pull", { source: { ...source, branch: "many" }, paths });
    assert.equal(refused.error, "invalid_args");
    assert.match(refused.message, /more than 100000 (files|directories)/);
  }
});

test("a name that git would take for any commit of the repository names nothing", async () => {
  const world = newWorld();
  writeFileSync(join(world.repo, "README.md"), "private work in progress\n");
  git(world.repo, ["stash"]);
  const id = git(world.repo, ["rev-parse", "refs/stash"]).trim();
  git(world.repo, ["stash", "drop"]);
  const described = `nosuch-g${id.slice(0, 8)}`;
  assert.equal(git(world.repo, ["rev-parse", `refs/heads/${described}^{commit}`]).trim(), id, "the control");
  const tools = world.open();
  const branch = { source: { ...source, branch: described }, paths: ["README.md"] };
  await tools.refused("git_pull", branch);
  assert.deepEqual(await workspaceFiles(tools), []);
  git(world.repo, ["branch", described, "HEAD"]);
  await tools.done("git_pull", branch);
  assert.deepEqual(await workspaceFiles(tools), ["README.md"], "a branch that really bears such a name");
});
