// pnpm in a draft, with the real registry: its store lies in HOME of the session, or is the person's, and never in the project.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import test, { type TestContext } from "node:test";
import { createCapability } from "../../src/policy/capability.ts";
import { suggestGrants } from "../../src/process/toolchain-grants.ts";
import { defaultRunLimits } from "../../src/shared/run-limits.ts";
import { makeProject, openDraft } from "../fixtures/draft-gate.ts";

const certificates = "/etc/ssl/certs/ca-certificates.crt";

/** A project whose packages pnpm has installed from a store of the person. */
function installed(t: TestContext) {
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
  return { project, tools, home, pnpm };
}

test("pnpm installs anew in a draft, and then adds and removes packages", async (t) => {
  const { project, tools, pnpm } = installed(t);
  const before = project.digest();
  const paths = [dirname(process.execPath), tools, "/etc/ssl"].map((path) => ({ path, mode: "r" }));
  const fsGrants = [{ path: "/usr", mode: "r" }, { path: project.path, mode: "r" }, ...paths];
  const agents = { default: { tool_grants: ["*"], net_grants: ["*"], fs_grants: fsGrants } };
  const gate = openDraft(t, project, { more: { agents, workspace: { kind: "draft" } } });
  const run = `export NODE_EXTRA_CA_CERTS=${certificates} npm_config_update_notifier=false; pnpm() { ${process.execPath} ${pnpm} "$@"; }`;
  const refused = await gate.result("Bash", { script: `${run}; pnpm add is-number@7.0.0` });
  assert.match(String(refused["stdout"]), /ERR_PNPM_UNEXPECTED_STORE/);
  assert.match(String(refused["hint"]), /store\/v3, which is not granted.*npm_config_store_dir=.*store makes pnpm/);
  await gate.bash(`${run}; CI=1 pnpm install --frozen-lockfile`);
  await gate.bash(`${run}; pnpm add is-number@7.0.0; pnpm remove is-odd`);
  assert.equal(
    await gate.bash("git status --short; ls -A; ls node_modules; ls $HOME/.local/share/pnpm/store"),
    " M package.json\n M pnpm-lock.yaml\n.git\n.gitignore\nnode_modules\npackage.json\npnpm-lock.yaml\nis-number\nv3\n",
  );
  assert.equal(project.digest(), before);
});

test("with the person's store granted as init proposes it, pnpm works offline", async (t) => {
  const { project, tools, home, pnpm } = installed(t);
  const capability = createCapability({ toolGrants: [], fsGrants: [], netGrants: [], limits: defaultRunLimits });
  const proposed = suggestGrants({ person: [], home, project: project.path, capability });
  const store = proposed.find(({ program }) => program === "pnpm")?.grant ?? "";
  assert.equal(store, join(home, ".local/share/pnpm/store/v3"));
  const before = spawnSync("find", [store, "-printf", "%p %s %T@ %C@\\n"], { encoding: "utf8" }).stdout;
  const gate = openDraft(t, project, {
    paths: [dirname(process.execPath), tools, store].map((path) => ({ path, mode: "r" })),
  });
  const run = `export npm_config_update_notifier=false; pnpm() { ${process.execPath} ${pnpm} "$@"; }`;
  const { hint } = await gate.result("Bash", { script: `${run}; pnpm remove is-odd` });
  const variable = /npm_config_store_dir=\S+/.exec(String(hint))?.[0] ?? "none";
  await gate.bash(`${run}; export ${variable}; rm -r node_modules; CI=1 pnpm install --offline --frozen-lockfile`);
  const use = `${process.execPath} -e 'console.log(require("is-odd")(3))'`;
  assert.equal(await gate.bash(use), "true\n");
  await gate.bash(
    `${run}; export ${variable}; pnpm remove is-odd; git checkout -q .; pnpm install --offline --frozen-lockfile`,
  );
  assert.equal(
    await gate.bash(`${use}; ls -A`),
    "true\n.git\n.gitignore\nnode_modules\npackage.json\npnpm-lock.yaml\n",
  );
  assert.equal(spawnSync("find", [store, "-printf", "%p %s %T@ %C@\\n"], { encoding: "utf8" }).stdout, before);
});
