// pnpm in a draft, with the real registry: its store lies in HOME of the session, never in the project.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import test from "node:test";
import { makeProject, openDraft } from "../fixtures/draft-gate.ts";

const certificates = "/etc/ssl/certs/ca-certificates.crt";

test("pnpm installs anew in a draft, and then adds and removes packages", async (t) => {
  const project = makeProject(t, {
    "package.json": JSON.stringify({ name: "x", version: "1.0.0", dependencies: { "is-odd": "3.0.1" } }),
    ".gitignore": "node_modules\n",
  });
  const tools = join(project.outside, "tools");
  const home = join(project.outside, "home");
  for (const path of [tools, home]) mkdirSync(path);
  const outside = (program: string, words: readonly string[], cwd: string) => {
    const { status, stderr } = spawnSync(program, words, {
      cwd,
      encoding: "utf8",
      env: { ...process.env, HOME: home },
    });
    assert.equal(status, 0, stderr);
  };
  outside("npm", ["install", "--no-audit", "--no-fund", "pnpm@9.15.9"], tools);
  const pnpm = join(tools, "node_modules/pnpm/bin/pnpm.cjs");
  outside(process.execPath, [pnpm, "install"], project.path);
  project.git("add", "--all");
  project.git("commit", "--quiet", "--message=with a lock file");
  const before = project.digest();

  const paths = [dirname(process.execPath), tools, "/etc/ssl"].map((path) => ({ path, mode: "r" }));
  const fsGrants = [{ path: "/usr", mode: "r" }, { path: project.path, mode: "r" }, ...paths];
  const agents = { default: { tool_grants: ["*"], net_grants: ["*"], fs_grants: fsGrants } };
  const gate = openDraft(t, project, { more: { agents, workspace: { kind: "draft" } } });
  const run = `export NODE_EXTRA_CA_CERTS=${certificates} npm_config_update_notifier=false; pnpm() { ${process.execPath} ${pnpm} "$@"; }`;
  assert.match(await gate.bash(`${run}; pnpm add is-number@7.0.0 || true`), /ERR_PNPM_UNEXPECTED_STORE/);
  await gate.bash(`${run}; CI=1 pnpm install --frozen-lockfile`);
  await gate.bash(`${run}; pnpm add is-number@7.0.0; pnpm remove is-odd`);
  assert.equal(
    await gate.bash("git status --short; ls -A; ls node_modules; ls $HOME/.local/share/pnpm/store"),
    " M package.json\n M pnpm-lock.yaml\n.git\n.gitignore\nnode_modules\npackage.json\npnpm-lock.yaml\nis-number\nv3\n",
  );
  assert.equal(project.digest(), before);
});
