// B2: what a grant hides, or keeps from being changed, is so under every name by which a box shows the file: at its own path, at
// /workspace, and through a mount. In Bash and in the file tools alike.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { createGate, createRegistry, type Gate, registerBashTool, registerBuiltinTools } from "../../src/index.ts";
import type { NarrowerCapability } from "../../src/policy/capability.ts";
import { makeTestDirectories } from "../fixtures/gate.ts";
import { bare, ran } from "../fixtures/run.ts";

interface World {
  readonly project: string;
  readonly open: (agent: {
    fs: readonly object[];
    workspace: object;
    policy?: object;
    narrower?: NarrowerCapability;
  }) => Gate;
}

function setUp(t: TestContext): World {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const { project } = directories;
  mkdirSync(join(project, "vendor"));
  writeFileSync(join(project, ".env"), "CANARY\n");
  writeFileSync(join(project, "vendor/lib.js"), "original\n");
  writeFileSync(join(project, "a.txt"), "plain\n");
  return {
    project,
    open({ fs, workspace, policy = {}, narrower }) {
      const registry = createRegistry();
      registerBuiltinTools(registry);
      registerBashTool(registry);
      const agents = { default: { tool_grants: ["*"], fs_grants: [{ path: "/usr", mode: "r" }, ...fs] } };
      const configText = JSON.stringify({ version: 1, agents, workspace, policy });
      const options = { registry, configText, statePath: directories.state, project };
      const gate = createGate(narrower === undefined ? options : { ...options, narrower });
      t.after(() => gate.close());
      return gate;
    },
  };
}

async function bash(gate: Gate, script: string): Promise<string> {
  const { stdout, stderr } = ran(await gate.call({ tool: "Bash", args: { script } }));
  return stdout + stderr;
}

test("control: plain programs read the secret and change the island", (t) => {
  const { project } = setUp(t);
  assert.equal(bare(["/bin/cat", `${project}/.env`]).stdout, "CANARY\n");
  bare(["/bin/sh", "-c", `echo changed >> ${project}/vendor/lib.js`]);
  assert.match(readFileSync(join(project, "vendor/lib.js"), "utf8"), /changed/);
});

test("a workspace in a granted directory hides and locks what the grants hide and lock", async (t) => {
  const { project, open } = setUp(t);
  const gate = open({
    fs: [
      { path: project, mode: "rw", hide: [".env"] },
      { path: join(project, "vendor"), mode: "r" },
    ],
    workspace: { kind: "directory", path: project },
  });
  // The names are put together when it runs, so that the box alone has to hold.
  const said = await bash(
    gate,
    `e=.en; for d in ${project} /workspace; do cat "$d/\${e}v"; echo changed >> "$d/vendor/lib.js"; mv "$d/vendor" "$d/v2"; cat "$d/a.txt"; done; cat */../\${e}v`,
  );
  assert.doesNotMatch(said, /CANARY/);
  assert.equal(said.match(/plain/g)?.length, 2, "control: the other files are there under both names");
  assert.equal(readFileSync(join(project, "vendor/lib.js"), "utf8"), "original\n");
  for (const path of [".env", "/workspace/.env"]) {
    const reply = await gate.call({ tool: "read_file", args: { path } });
    assert.equal(reply.ok ? "read" : reply.error, "fs_denied");
  }
  const island = await gate.call({ tool: "write_file", args: { path: "vendor/lib.js", content: "changed" } });
  assert.equal(island.ok, false);
  assert.equal(readFileSync(join(project, "vendor/lib.js"), "utf8"), "original\n");
  const plain = await gate.call({ tool: "write_file", args: { path: "a.txt", content: "new" } });
  assert.ok(plain.ok, "control: the rest of the workspace can be changed");
});

test("a mount of a granted directory hides what the grant hides, and so does one inside of what is hidden", async (t) => {
  const { project, open } = setUp(t);
  mkdirSync(join(project, "closed/inner"), { recursive: true });
  writeFileSync(join(project, "closed/inner/key"), "CANARY\n");
  const mounts = [
    { source: project, target: "/workspace/project", mode: "r" },
    { source: join(project, "closed/inner"), target: "/workspace/inner", mode: "r" },
  ];
  const gate = open({
    fs: [{ path: project, mode: "r", hide: [".env", "closed"] }],
    workspace: { kind: "memory", mounts },
  });
  const said = await bash(
    gate,
    "cat /workspace/project/.env /workspace/project/closed/inner/key /workspace/inner/key; cat /workspace/project/a.txt",
  );
  assert.doesNotMatch(said, /CANARY/);
  assert.match(said, /plain/, "control: the mount is there");
});

test("a mount of a directory that nobody granted is granted by it, with what the rules deny taken out", async (t) => {
  const { project, open } = setUp(t);
  const gate = open({
    fs: [],
    workspace: { kind: "memory", mounts: [{ source: project, target: "/workspace/project", mode: "r" }] },
    policy: { rules: [{ decide: "deny", effect: "read", path: `${project}/.env` }] },
  });
  const said = await bash(
    gate,
    `cat /workspace/project/.e* ${project}/.e*; cat ${project}/a.txt /workspace/project/a.txt`,
  );
  assert.doesNotMatch(said, /CANARY/);
  assert.equal(said.match(/plain/g)?.length, 2);
  assert.match(await bash(gate, 'f=a.t; echo x > "/workspace/project/${f}xt"; :'), /Read-only/);
});

test("a path that a person opens for one call stays without what the grant hides in it", async (t) => {
  const { project, open } = setUp(t);
  const gate = open({
    fs: [{ path: project, mode: "r", hide: [".env"] }],
    workspace: { kind: "memory" },
    policy: { rules: [{ decide: "allow", effect: "write", path: project }] },
  });
  const reply = await gate.call({
    tool: "Bash",
    args: { script: `cat ${project}/.e*; echo more >> ${project}/a.txt`, needs: { write: [project] } },
  });
  const { stdout } = ran(reply);
  assert.doesNotMatch(stdout, /CANARY/);
  assert.match(readFileSync(join(project, "a.txt"), "utf8"), /more/, "control: it was opened");
});

test("a worker that narrows the workspace's directory to r is obeyed under both names", async (t) => {
  const { project, open } = setUp(t);
  const gate = open({
    fs: [{ path: project, mode: "rw" }],
    workspace: { kind: "directory", path: project },
    narrower: {
      fsGrants: [
        { path: "/usr", mode: "r", hide: [] },
        { path: project, mode: "r", hide: [] },
      ],
    },
  });
  await bash(gate, `f=a.t; echo x > "${project}/\${f}xt"; echo x > "/workspace/\${f}xt"; :`);
  assert.equal(readFileSync(join(project, "a.txt"), "utf8"), "plain\n");
  assert.equal((await gate.call({ tool: "write_file", args: { path: "a.txt", content: "x" } })).ok, false);
});

test("a mount covers guarded files of a directory workspace below it, and the box is built", async (t) => {
  const { project, open } = setUp(t);
  mkdirSync(join(project, "node_modules/pkg"), { recursive: true });
  writeFileSync(join(project, "node_modules/pkg/.npmrc"), "");
  const other = join(project, "..", "outside");
  writeFileSync(join(other, "here"), "mounted\n");
  const gate = open({
    fs: [{ path: project, mode: "rw" }],
    workspace: {
      kind: "directory",
      path: project,
      mounts: [{ source: other, target: "/workspace/node_modules", mode: "r" }],
    },
  });
  assert.match(await bash(gate, "cat /workspace/node_modules/here"), /mounted/);
});
