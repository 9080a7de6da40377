// The workspace where the configuration names none: a draft, or files in memory if there can be no draft, and then the agent is told.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { replyText } from "../../src/runtime/reply-text.ts";
import { makeProject, openDraft } from "../fixtures/draft-gate.ts";

const unwritten = { more: {} };
const files = { "README.md": "# Shop\n", "src/a.txt": "a\n" };

test("it is a draft at the project's own path, and nobody is told more than usual", async (t) => {
  const project = makeProject(t, files);
  const gate = openDraft(t, project, unwritten);
  const first = await gate.result("Bash", { script: "pwd; cat README.md; echo new > new.txt" });
  assert.deepEqual([first["stdout"], first["workspace"]], [`${project.path}\n# Shop\n`, undefined]);
  assert.equal(existsSync(join(project.path, "new.txt")), false);
});

const inMemory = [
  ["the agent may not see the project", [], "this agent may not see the project"],
  ["the project is granted with rw", [{ path: "PROJECT", mode: "rw" }], "this agent may change PROJECT directly; "],
  [
    "a directory in it is granted with rw",
    [
      { path: "PROJECT", mode: "r" },
      { path: "PROJECT/src", mode: "rw" },
    ],
    "this agent may change PROJECT/src directly; ",
  ],
] as const;

for (const [name, paths, why] of inMemory)
  test(`it is in memory if ${name}, and the first reply says why`, async (t) => {
    const project = makeProject(t, files);
    const at = (text: string) => text.replace("PROJECT", project.path);
    const agent = {
      tool_grants: ["*"],
      fs_grants: [{ path: "/usr", mode: "r" }, ...paths.map(({ path, mode }) => ({ path: at(path), mode }))],
    };
    const gate = openDraft(t, project, { more: { agents: { default: agent } } });
    const missing = await gate.reply("read_file", { path: "README.md" });
    assert.ok(!missing.ok && missing.error === "not_found");
    const note = `The workspace is in memory and begins empty, because there is no draft of ${project.path}: ${at(why)}`;
    assert.ok(missing.hint?.includes(note), missing.hint);
    const again = await gate.result("Bash", { script: "pwd" });
    assert.deepEqual([again["stdout"], again["workspace"]], ["/workspace\n", undefined], "it is said once");

    const other = openDraft(t, project, { more: { agents: { default: agent } } }, { session: "s2" });
    const reply = await other.reply("Bash", { script: "pwd" });
    assert.ok(reply.ok && String(reply.result["workspace"]).startsWith(note));
    assert.equal(replyText(reply).split("\n").at(-1), reply.result["workspace"]);
  });

test("what is granted with rw is changed directly, unless somebody wrote that it is a draft", async (t) => {
  const project = makeProject(t, files);
  const agents = {
    default: {
      tool_grants: ["*"],
      fs_grants: ["/usr", project.path].map((path) => ({ path, mode: path === "/usr" ? "r" : "rw" })),
    },
  };
  const script = `echo changed > ${project.path}/src/a.txt`;
  await openDraft(t, project, { more: { agents, workspace: { kind: "draft" } } }).bash(script);
  assert.equal(project.read("src/a.txt"), "a\n");
  await openDraft(t, project, { more: { agents } }, { session: "s2" }).bash(script);
  assert.equal(project.read("src/a.txt"), "changed\n");
});

const isRoot = process.getuid?.() === 0;

test(
  "a state directory on an overlay, such as a container's own disk",
  { skip: isRoot ? false : "only root mounts here" },
  (t) => {
    const project = makeProject(t, files);
    const base = join(project.path, "../..");
    for (const name of ["lower", "upper", "work", "shown"]) mkdirSync(join(base, name));
    const command = join(import.meta.dirname, "../fixtures/run-cli.ts");
    // The mount is in a namespace of its own, and gone with it.
    const inContainer = (...words: string[]) =>
      spawnSync(
        "unshare",
        [
          "--mount",
          "sh",
          "-c",
          'mount -t overlay overlay -o "lowerdir=$0/lower,upperdir=$0/upper,workdir=$0/work" "$0/shown" && exec "$@"',
          base,
          process.execPath,
          command,
          ...words,
          "--project",
          project.path,
          "--state",
          join(base, "shown/state"),
        ],
        { encoding: "utf8", env: { ...process.env, XDG_CONFIG_HOME: join(base, "config") } },
      );
    const said = inContainer("call", "Bash", '{"script": "pwd"}');
    const reply = JSON.parse(said.stdout) as { ok: boolean; result: Record<string, string> };
    assert.equal(reply.result["stdout"], "/workspace\n", said.stderr);
    assert.match(
      reply.result["workspace"] ?? "",
      /: the kernel mounts no layer over it with its changes in .*shown\/state/,
    );
    assert.match(inContainer("doctor").stdout, /workspace +in memory: the kernel mounts no layer/);
    const refused = inContainer("call", "Bash", '{"script": "pwd"}', "--workspace", "draft");
    assert.match(refused.stdout, /"error":"sandbox_unavailable","message":"There is no draft of/);

    // Control: the same on a disk.
    const onDisk = execFileSync(
      process.execPath,
      [command, "call", "Bash", '{"script": "pwd"}', "--project", project.path, "--state", join(base, "state")],
      { encoding: "utf8", env: { ...process.env, XDG_CONFIG_HOME: join(base, "config") } },
    );
    assert.equal((JSON.parse(onDisk) as typeof reply).result["stdout"], `${project.path}\n`);
  },
);

test("a draft that nobody changed begins anew if the agent may see other files; one with changes is kept and refused", async (t) => {
  const project = makeProject(t, { ...files, ".env": "TOKEN=1\n" });
  const all = openDraft(t, project, { more: {} });
  assert.match(await all.bash("ls -a"), /^\.env$/m);
  all.close();
  const less = openDraft(t, project, { more: {}, hide: [".env"] });
  assert.doesNotMatch(await less.bash("ls -a"), /^\.env$/m);
  await less.bash("echo mine > mine.txt");
  less.close();
  const again = await openDraft(t, project, { more: {} }).reply("Bash", { script: "ls -a" });
  assert.ok(!again.ok && again.error === "changed", JSON.stringify(again));
  assert.match(await openDraft(t, project, { more: {}, hide: [".env"] }).bash("cat mine.txt"), /^mine$/m);
});
