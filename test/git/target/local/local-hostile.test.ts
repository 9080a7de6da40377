// No configuration of a target, no hook and no attribute chooses a program while something lands.

import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, it } from "node:test";
import { git, makeRepository, plainGit, writeFiles } from "../../../fixtures/git.ts";
import { land, landingOf, look, openRoom } from "./local-room.ts";

const room = openRoom();
after(room.remove);

const hooks = [
  "reference-transaction",
  "post-index-change",
  "post-checkout",
  "post-commit",
  "pre-commit",
  "update",
  "pre-receive",
  "post-receive",
  "post-update",
  "push-to-checkout",
  "proc-receive",
  "pre-auto-gc",
  "fsmonitor-watchman",
];

/** Every program that it names writes its own name down. */
function hostileRepository(path: string): { repo: string; ran: () => string[] } {
  const repo = makeRepository(path, { isUnborn: true });
  const out = `${path}.out`;
  const program = (name: string, rest = "cat"): string => {
    const file = `${path}.${name}`;
    writeFileSync(file, `#!/bin/sh\necho ${name} >> ${out}\n${rest}\n`);
    chmodSync(file, 0o755);
    return file;
  };
  writeFiles(repo, {
    "f.txt": "one\n",
    "docs/g.txt": "g\n",
    "p.bin": "x\n",
    "plain.md": "plain\n",
    "untouched.txt": "u\n",
    "untouched.bin": "u\n",
  });
  git(repo, ["add", "-A"]);
  git(repo, ["commit", "-q", "-m", "first"]);
  writeFiles(repo, { ".gitattributes": "*.txt filter=evil diff=evil merge=evil\n*.bin filter=evilp\n" });
  git(repo, ["add", "-A"]);
  git(repo, ["commit", "-q", "-m", "attributes"]);
  for (const hook of hooks) {
    writeFileSync(join(repo, ".git/hooks", hook), `#!/bin/sh\necho hook:${hook} >> ${out}\n`);
    chmodSync(join(repo, ".git/hooks", hook), 0o755);
  }
  const settings: [string, string][] = [
    ["core.fsmonitor", program("fsmonitor", String.raw`printf '\0'`)],
    ["filter.evil.clean", program("clean")],
    ["filter.evil.smudge", program("smudge")],
    ["filter.evil.required", "true"],
    ["filter.evilp.process", program("process", "exit 1")],
    ["diff.evil.textconv", program("textconv")],
    ["diff.external", program("external")],
    ["merge.evil.driver", program("driver")],
    ["core.pager", program("pager")],
    ["core.editor", program("editor")],
    ["core.sshCommand", program("ssh")],
    ["core.askPass", program("askpass")],
    ["core.gitProxy", program("proxy")],
    ["core.alternateRefsCommand", program("alternates")],
    ["credential.helper", `!${program("credential")}`],
    ["gpg.program", program("gpg")],
    ["commit.gpgSign", "true"],
    ["push.gpgSign", "true"],
    ["alias.update-ref", `!${program("alias")}`],
    ["alias.ls-files", `!${program("alias")}`],
    ["remote.origin.url", program("remote")],
    ["remote.origin.uploadpack", program("uploadpack")],
    ["remote.origin.promisor", "true"],
    ["extensions.partialClone", "origin"],
    ["receive.procReceiveRefs", "refs"],
    ["gc.auto", "1"],
    ["maintenance.auto", "true"],
    ["uploadpack.packObjectsHook", program("packhook")],
  ];
  writeFileSync(
    `${path}.extra`,
    settings
      .slice(0, 5)
      .map(([key, value]) => section(key, value))
      .join(""),
  );
  for (const [key, value] of [...settings, ["include.path", `${path}.extra`]] as const)
    plainGit("/", ["config", "--file", join(repo, ".git/config"), key, value]);
  return {
    repo,
    ran: () => (existsSync(out) ? [...new Set(readFileSync(out, "utf8").trim().split("\n"))].sort() : []),
  };
}

function section(key: string, value: string): string {
  const [name, ...rest] = key.split(".");
  const last = rest.pop();
  return `[${name}${rest.length === 0 ? "" : ` "${rest.join(".")}"`}]\n\t${last} = ${value}\n`;
}

/** Git looks into files that may have changed after it wrote the index, also when it only writes the index again. */
function makeRacy(repo: string): void {
  const later = Date.now() / 1_000 + 3_600;
  const at = [
    `--git-dir=${join(repo, ".git")}`,
    `--work-tree=${repo}`,
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
  ];
  const inert = ["evil", "evilp"].flatMap((name) =>
    ["clean", "process"].flatMap((key) => ["-c", `filter.${name}.${key}=`]),
  );
  for (const path of ["untouched.txt", "untouched.bin"]) utimesSync(join(repo, path), later, later);
  plainGit(repo, [...at, ...inert, "-c", "filter.evil.required=false", "update-index", "--refresh"]);
}

it("nothing that the target names runs", async () => {
  const { repo, ran } = hostileRepository(room.path("hostile"));
  makeRacy(repo);
  const looked = await look(repo);
  const landing = await landingOf(looked, {
    "f.txt": "two\n",
    "p.bin": "y\n",
    "docs/g.txt": null,
    "docs/new.txt": "new\n",
    "plain.md": "p\n",
    "x:s.sh": "s\n",
  });
  await looked.readBlobs(landing.changes.flatMap(({ before }) => (before === null ? [] : [before.id])));
  const landed = await land(repo, landing);
  assert.deepEqual(landed, { ok: true, value: { kept: [] } });
  assert.deepEqual(ran(), []);
  assert.equal(readFileSync(join(repo, "f.txt"), "utf8"), "two\n");
  const again = await landingOf(await look(repo, "fresh"), { "f.txt": "three\n" });
  assert.ok((await land(repo, again)).ok);
  writeFiles(repo, { "f.txt": "mine\n" });
  const refused = await land(repo, await landingOf(await look(repo), { "f.txt": "four\n" }));
  assert.equal(refused.ok, false);
  assert.deepEqual(ran(), []);
});

it("a filter whose name could not be switched off is a reason to refuse", async () => {
  const repo = makeRepository(room.path("no-text"));
  const config = join(repo, ".git/config");
  writeFileSync(
    config,
    Buffer.concat([readFileSync(config), Buffer.from('[filter "\xff"]\n\tclean = cat\n', "latin1")]),
  );
  const landed = await land(repo, await landingOf(await look(repo), { "a.txt": "new\n" }));
  assert.match(landed.ok ? "" : landed.failure.message, /no text/);
  assert.equal(readFileSync(join(repo, "a.txt"), "utf8"), "one\ntwo\nthree\n");
});

it("control: plain git runs them for the same work", async () => {
  const { repo, ran } = hostileRepository(room.path("control"));
  // Without the one that ends at once: it takes git along, now and then.
  const at = [`--git-dir=${join(repo, ".git")}`, `--work-tree=${repo}`, "-c", "filter.evilp.process="];
  writeFileSync(join(repo, "f.txt"), "two\n");
  plainGit(repo, [...at, "add", "f.txt"]);
  plainGit(repo, [...at, "update-index", "--refresh"]);
  const id = plainGit(repo, [...at, "rev-parse", "HEAD:plain.md"]).stdout.trim();
  plainGit(repo, [...at, "update-index", "--add", "--cacheinfo", `100644,${id},new.md`]);
  plainGit(repo, [...at, "update-ref", "refs/heads/other", "HEAD"]);
  for (const name of ["clean", "fsmonitor", "hook:post-index-change", "hook:reference-transaction"])
    assert.ok(ran().includes(name), `${name}: ${ran().join(" ")}`);
});

it("control: plain git runs a filter for a file that it was not asked about", async () => {
  const { repo, ran } = hostileRepository(room.path("racy-control"));
  makeRacy(repo);
  assert.deepEqual(ran(), []);
  const at = [
    `--git-dir=${join(repo, ".git")}`,
    `--work-tree=${repo}`,
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
  ];
  const id = plainGit(repo, [...at, "rev-parse", "HEAD:plain.md"]).stdout.trim();
  plainGit(repo, [...at, "update-index", "--add", "--cacheinfo", `100644,${id},new.md`]);
  assert.ok(ran().includes("clean") || ran().includes("process"), ran().join(" "));
});

it("an ignored mode or missing links in the target's configuration are heeded", async () => {
  const repo = makeRepository(room.path("plain-disk"));
  git(repo, ["config", "core.fileMode", "false"]);
  git(repo, ["config", "core.symlinks", "false"]);
  chmodSync(join(repo, "a.txt"), 0o755);
  mkdirSync(join(repo, "d"));
  const landing = await landingOf(await look(repo), { "a.txt": "new\n", "d/link": ["../a.txt"] });
  assert.deepEqual(await land(repo, landing), { ok: true, value: { kept: [] } });
  assert.equal(readFileSync(join(repo, "d/link"), "utf8"), "../a.txt");
  assert.equal(git(repo, ["status", "--porcelain"]), "");
});
