import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { describeConfigErrors } from "../../src/config/config-error.ts";
import { agentCapability, type Config, type LoadContext, loadConfig } from "../../src/config/load.ts";
import { fsGrantFor } from "../../src/policy/capability.ts";
import { defaultRunLimits, defaultWorkLimits } from "../../src/shared/run-limits.ts";

const workLimits = defaultWorkLimits(Math.floor(totalmem() / 2 ** 20));

const root = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-config-")));
chmodSync(root, 0o755);
after(() => rmSync(root, { recursive: true, force: true }));

for (const directory of ["home/.config/sallyport", "project/src", "project/keys", "data/in", "state", "other"]) {
  mkdirSync(join(root, directory), { recursive: true });
}
symlinkSync(join(root, "data"), join(root, "project/link"));
symlinkSync(join(root, "data"), join(root, "alias"));

const environment = { HOME: join(root, "home") };
const file = join(root, "config.yaml");

function load(text: string | Buffer, context: Partial<LoadContext> = {}) {
  writeFileSync(file, text);
  return loadConfig({
    configPath: file,
    statePath: join(root, "state"),
    project: join(root, "project"),
    environment,
    ...context,
  });
}

function loaded(text: string, context: Partial<LoadContext> = {}): Config {
  const result = load(text, context);
  assert.ok(result.ok, result.ok ? "" : describeConfigErrors(result.errors));
  return result.config;
}

/** The whole text that a person reads, with this run's directory written as ROOT. */
function refusal(result: ReturnType<typeof loadConfig>): string {
  assert.ok(!result.ok, "this should have been refused");
  return describeConfigErrors(result.errors).replaceAll(root, "ROOT");
}

function grants(...lines: string[]): string {
  return `version: 1\nagents:\n  default:\n    fs_grants:\n${lines.map((line) => `      - ${line.replaceAll("ROOT", root)}\n`).join("")}`;
}

describe("a configuration file", () => {
  it("is read whole", () => {
    const config = loaded(`
version: 1
agents:
  default:
    tool_grants: [Exec, "git_*"]
    fs_grants:
      - { path: /usr/bin/../bin, mode: r }
      - { path: "\${project}", mode: rw, hide: [".env*", keys/*.pem] }
      - { path: "\${project}/keys", mode: r }
      - { path: ~/notes, mode: r }
    net_grants: ["*"]
    limits: { memory_mb: 64, cpu_s: 5 }
  reader: {}
workspace: { kind: directory, path: ${root}/other }
approvals: { mode: deny, timeout_s: 10, trust_client: true }
sandbox: { require: limits }
policy: { rules: [] }
store: sqlite
`);
    assert.equal(config.file, file);
    assert.deepEqual([...config.agents.keys()], ["default", "reader"]);
    assert.deepEqual(config.agents.get("default"), {
      toolGrants: ["Exec", "git_*"],
      fsGrants: [
        { path: `${root}/home/notes`, mode: "r", hide: [] },
        { path: `${root}/other`, mode: "rw", hide: [] }, // the workspace
        { path: `${root}/project`, mode: "rw", hide: [".env*", "keys/*.pem"] },
        { path: `${root}/project/keys`, mode: "r", hide: [".env*", "/*.pem"] },
        { path: "/usr/bin", mode: "r", hide: [] },
      ],
      netGrants: { isWhole: true, isAsked: false, hosts: [] },
      netProxy: false,
      limits: { ...defaultRunLimits, memoryMb: 64, cpuS: 5 },
      workLimits: { ...workLimits, memoryMb: 64, cpuS: 5 },
    });
    assert.deepEqual(config.workspace, { kind: "directory", path: `${root}/other`, mounts: [] });
    assert.deepEqual(config.approvals, { mode: "deny", timeoutS: 10, trustClient: true });
    assert.deepEqual(config.sandbox, { require: "limits" });
    assert.equal(config.stateDirectory, `${root}/state`);
    assert.equal(config.configDirectory, `${root}/home/.config/sallyport`);
    assert.equal(config.project, `${root}/project`);
    assert.deepEqual(config.notes, []);
    assert.ok(
      Object.isFrozen(config) &&
        Object.isFrozen(config.approvals) &&
        Object.isFrozen(config.notes) &&
        Object.isFrozen(config.workspace),
    );
  });

  it("grants nothing that it does not write", () => {
    const config = loaded("version: 1\nagents: { default: {} }\n");
    assert.deepEqual(config.agents.get("default"), {
      toolGrants: [],
      fsGrants: [],
      netGrants: { isWhole: false, isAsked: false, hosts: [] },
      netProxy: false,
      limits: defaultRunLimits,
      workLimits,
    });
    assert.deepEqual(config.workspace, { kind: "draft", path: config.project, isWritten: false, mounts: [] });
    assert.deepEqual(config.approvals, { mode: "ask", timeoutS: 300, trustClient: false });
    assert.deepEqual(config.sandbox, { require: "kernel" });
  });

  it("without agents has one that may do nothing, and says so", () => {
    const config = loaded("version: 1\n");
    assert.deepEqual(config.agents.get("default")?.toolGrants, []);
    assert.deepEqual(config.notes, ["No agents are written: the agent default is granted nothing."]);
  });

  it("may use anchors, comments, a byte order mark and carriage returns", () => {
    const config = loaded("\ufeff# mine\r\nversion: 1\r\nagents:\r\n  a: &a { tool_grants: [Git] }\r\n  b: *a\r\n");
    assert.deepEqual(config.agents.get("b")?.toolGrants, ["Git"]);
  });

  it("grants the place a link leads to, not the link", () => {
    const config = loaded(grants(`{ path: ROOT/alias/in, mode: rw }`));
    assert.equal(fsGrantFor(config.agents.get("default"), `${root}/data/in/x`, "rw")?.path, `${root}/data/in`);
    assert.equal(fsGrantFor(config.agents.get("default"), `${root}/alias/in/x`, "r"), undefined);
  });

  it("takes a path that is not there", () => {
    assert.equal(
      loaded(grants("{ path: /no/such/place, mode: rw }")).agents.get("default")?.fsGrants[0]?.path,
      "/no/such/place",
    );
  });
});

describe("what is wrong is said with its place and what would pass", () => {
  const table: readonly (readonly [title: string, text: string, expected: string])[] = [
    [
      "an unknown key",
      "version: 1\nagents:\n  default:\n    fs_grant: []\n",
      "ROOT/config.yaml:4:5: agents.default.fs_grant: unknown key. Did you mean fs_grants?\n    4 |     fs_grant: []\n      |     ^",
    ],
    [
      "an unknown key far from any",
      "version: 1\ncolour: red\n",
      "ROOT/config.yaml:2:1: colour: unknown key. Known here: version, agents, workspace, approvals, sandbox, shell, git, policy, notify, store.\n    2 | colour: red\n      | ^",
    ],
    [
      "__proto__",
      'version: 1\nagents: { default: { "__proto__": {} } }\n',
      'ROOT/config.yaml:2:22: agents.default.__proto__: unknown key. Known here: tool_grants, fs_grants, net_grants, net_proxy, limits.\n    2 | agents: { default: { "__proto__": {} } }\n      |                      ^',
    ],
    [
      "an agent called __proto__",
      'version: 1\nagents: { "__proto__": {} }\n',
      'ROOT/config.yaml:2:11: agents.__proto__: not a name for an agent. Use letters, digits, - and _, at most 64, beginning with a letter or digit.\n    2 | agents: { "__proto__": {} }\n      |           ^',
    ],
    [
      "a key of the other kind of workspace",
      "version: 1\nworkspace: { kind: memory, path: /x }\n",
      "ROOT/config.yaml:2:28: workspace.path: unknown key. Known here: kind, mounts.\n    2 | workspace: { kind: memory, path: /x }\n      |                            ^",
    ],
    [
      "a missing version",
      "agents: {}\n",
      "ROOT/config.yaml:1:1: version: missing. Use 1.\n    1 | agents: {}\n      | ^",
    ],
    [
      "another version",
      "version: 2\n",
      "ROOT/config.yaml:1:10: version: 2 is not known. Use 1.\n    1 | version: 2\n      |          ^",
    ],
    [
      "a version in quotes",
      'version: "1"\n',
      'ROOT/config.yaml:1:10: version: "1" is not known. Use 1.\n    1 | version: "1"\n      |          ^',
    ],
    [
      "text for a list",
      "version: 1\nagents: { default: { tool_grants: Exec } }\n",
      "ROOT/config.yaml:2:35: agents.default.tool_grants: must be a list, not text. Write it as a list: [a, b].\n    2 | agents: { default: { tool_grants: Exec } }\n      |                                   ^",
    ],
    [
      "nothing for a map",
      "version: 1\nagents:\n",
      "ROOT/config.yaml:2:8: agents: must be a map, not nothing. Write its keys below it: a name for each agent.\n    2 | agents:\n      |        ^",
    ],
    [
      "a list for the file",
      "- version: 1\n",
      "ROOT/config.yaml:1:1: the file must be a map, not a list. Write its keys below it: version, agents, workspace, approvals, sandbox, shell, git, policy, notify, store.\n    1 | - version: 1\n      | ^",
    ],
    [
      "a fraction",
      "version: 1\nagents: { default: { limits: { nofile: 20.5 } } }\n",
      "ROOT/config.yaml:2:40: agents.default.limits.nofile: must be a whole number, not a fraction. Use a whole number from 16 to 1048576.\n    2 | agents: { default: { limits: { nofile: 20.5 } } }\n      |                                        ^",
    ],
    [
      "a limit too small",
      "version: 1\nagents: { default: { limits: { memory_mb: 4 } } }\n",
      "ROOT/config.yaml:2:43: agents.default.limits.memory_mb: 4 is too small. Use a whole number from 16 to 1048576.\n    2 | agents: { default: { limits: { memory_mb: 4 } } }\n      |                                           ^",
    ],
    [
      "a limit too large",
      "version: 1\napprovals: { timeout_s: 100000 }\n",
      "ROOT/config.yaml:2:25: approvals.timeout_s: 100000 is too large. Use a whole number from 1 to 86400.\n    2 | approvals: { timeout_s: 100000 }\n      |                         ^",
    ],
    [
      "a word that is not known",
      "version: 1\nsandbox: { require: none }\n",
      'ROOT/config.yaml:2:21: sandbox.require: "none" is not known. Use kernel or limits.\n    2 | sandbox: { require: none }\n      |                     ^',
    ],
    [
      "approvals that allow all",
      "version: 1\napprovals: { mode: allow-all }\n",
      'ROOT/config.yaml:2:20: approvals.mode: "allow-all" is not known. Use ask or deny. Everything is allowed only by the flag --dangerously-allow-all.\n    2 | approvals: { mode: allow-all }\n      |                    ^',
    ],
    [
      "a kind that is not known",
      "version: 1\nworkspace: { kind: disk }\n",
      'ROOT/config.yaml:2:20: workspace.kind: "disk" is not known. Use draft, memory or directory.\n    2 | workspace: { kind: disk }\n      |                    ^',
    ],
    [
      "a missing kind",
      "version: 1\nworkspace: {}\n",
      "ROOT/config.yaml:2:12: workspace.kind: missing. Use draft, memory or directory.\n    2 | workspace: {}\n      |            ^",
    ],
    [
      "a missing mode",
      "version: 1\nagents:\n  default:\n    fs_grants:\n      - path: /usr\n",
      "ROOT/config.yaml:5:9: agents.default.fs_grants[0].mode: missing. Use r or rw.\n    5 |       - path: /usr\n      |         ^",
    ],
    [
      "a name for an agent",
      'version: 1\nagents: { "a b": {} }\n',
      'ROOT/config.yaml:2:11: agents.a b: not a name for an agent. Use letters, digits, - and _, at most 64, beginning with a letter or digit.\n    2 | agents: { "a b": {} }\n      |           ^',
    ],
    [
      "a name for a tool",
      'version: 1\nagents: { default: { tool_grants: ["git push"] } }\n',
      'ROOT/config.yaml:2:36: agents.default.tool_grants[0]: "git push" is not the name of a tool. Use letters, digits, _ . - and, for any run of characters, *.\n    2 | agents: { default: { tool_grants: ["git push"] } }\n      |                                    ^',
    ],
    [
      "an empty path",
      'version: 1\nagents: { default: { fs_grants: [{ path: "", mode: r }] } }\n',
      'ROOT/config.yaml:2:42: agents.default.fs_grants[0].path: empty. Write a value, or leave the entry out.\n    2 | agents: { default: { fs_grants: [{ path: "", mode: r }] } }\n      |                                          ^',
    ],
    [
      "a list too long",
      `version: 1\nagents: { default: { tool_grants: [${"a,".repeat(201)}] } }\n`,
      `ROOT/config.yaml:2:35: agents.default.tool_grants: too long. At most 200 entries.\n    2 | agents: { default: { tool_grants: [${"a,".repeat(72)}… 263 more characters\n      |                                   ^`,
    ],
    [
      "a store that is not there yet",
      "version: 1\nstore: postgres://localhost/x\n",
      "ROOT/config.yaml:2:8: store: PostgreSQL is not available yet. Use sqlite.\n    2 | store: postgres://localhost/x\n      |        ^",
    ],
    [
      "another store",
      "version: 1\nstore: mysql\n",
      'ROOT/config.yaml:2:8: store: "mysql" is not known. Use sqlite.\n    2 | store: mysql\n      |        ^',
    ],
    [
      "a host beside the whole network",
      'version: 1\nagents: { default: { net_grants: ["*", example.com] } }\n',
      'ROOT/config.yaml:2:35: agents.default.net_grants[0]: "*" is the whole network, so other entries say nothing. Write ["*"] alone, or single hosts.\n    2 | agents: { default: { net_grants: ["*", example.com] } }\n      |                                   ^',
    ],
    [
      "an odd spelling of an address",
      "version: 1\nagents: { default: { net_grants: [example.com, 0x7f.1] } }\n",
      'ROOT/config.yaml:2:48: agents.default.net_grants[1]: "0x7f.1" is not a host: this is an odd spelling of 127.0.0.1. Write 127.0.0.1 if you mean it.\n    2 | agents: { default: { net_grants: [example.com, 0x7f.1] } }\n      |                                                ^',
    ],
    [
      "an unknown key of a host",
      "version: 1\nagents: { default: { net_grants: [{ host: a.org, ports: 80 }] } }\n",
      "ROOT/config.yaml:2:50: agents.default.net_grants[0].ports: unknown key. Did you mean port?\n    2 | agents: { default: { net_grants: [{ host: a.org, ports: 80 }] } }\n      |                                                  ^",
    ],
    [
      "a port that is none",
      "version: 1\nagents: { default: { net_grants: [{ host: a.org, port: 0 }] } }\n",
      "ROOT/config.yaml:2:56: agents.default.net_grants[0].port: 0 is too small. Use *.\n    2 | agents: { default: { net_grants: [{ host: a.org, port: 0 }] } }\n      |                                                        ^",
    ],
    [
      "methods of a host that the gate does not open",
      "version: 1\nagents: { default: { net_grants: [{ host: a.org, methods: [GET] }] } }\n",
      "ROOT/config.yaml:2:59: agents.default.net_grants[0].methods: the gate sees it only in connections that it opens. Add open: true.\n    2 | agents: { default: { net_grants: [{ host: a.org, methods: [GET] }] } }\n      |                                                           ^",
    ],
    [
      "a matcher that is of another effect",
      "version: 1\npolicy:\n  rules:\n    - { decide: ask, effect: push, branch: main }\n    - { decide: deny, effect: network, branch: main }\n",
      "ROOT/config.yaml:5:48: policy.rules[1].branch: says nothing about the effect network. A rule about network can have host.\n    5 |     - { decide: deny, effect: network, branch: main }\n      |                                                ^",
    ],
    [
      "a slip in a rule",
      "version: 1\npolicy: { rules: [{ decides: ask, effect: run }] }\n",
      "ROOT/config.yaml:2:19: policy.rules[0].decide: missing. Use allow, ask or deny.\n    2 | policy: { rules: [{ decides: ask, effect: run }] }\n      |                   ^\nROOT/config.yaml:2:21: policy.rules[0].decides: unknown key. Did you mean decide?\n    2 | policy: { rules: [{ decides: ask, effect: run }] }\n      |                     ^",
    ],
    [
      "mounts",
      "version: 1\nworkspace: { kind: memory, mounts: [{ source: /a, target: /b, mode: r }] }\n",
      'ROOT/config.yaml:2:59: workspace.mounts[0].target: "/b" is not below /workspace. Write it in full, such as /workspace/node_modules.\n    2 | workspace: { kind: memory, mounts: [{ source: /a, target: /b, mode: r }] }\n      |                                                           ^',
    ],
    [
      "a key written twice",
      "version: 1\nversion: 1\n",
      "ROOT/config.yaml:2:1: this key is written twice. Keep one of the two.\n    2 | version: 1\n      | ^",
    ],
    [
      "a key written twice in JSON, of which JSON.parse would keep the last",
      '{ "version": 1,\n  "sandbox": { "require": "limits", "require": "kernel" } }\n',
      'ROOT/config.yaml:2:37: this key is written twice. Keep one of the two.\n    2 |   "sandbox": { "require": "limits", "require": "kernel" } }\n      |                                     ^',
    ],
    [
      "a slip in JSON",
      '{ "version": 1,\n  "agent": { "a:b": "\\"" } }\n',
      'ROOT/config.yaml:2:3: agent: unknown key. Did you mean agents?\n    2 |   "agent": { "a:b": "\\"" } }\n      |   ^',
    ],
    [
      "a tab",
      "version: 1\nagents:\n\tdefault: {}\n",
      "ROOT/config.yaml:3:1: a tab is used as indentation. Use spaces.\n    3 | \\tdefault: {}\n      | ^",
    ],
    [
      "an open quote",
      "version: 'x\n",
      "ROOT/config.yaml:2:1: not valid YAML: Missing closing 'quote. Check brackets, quotes and indentation here and in the line above.\n    2 | \n      | ^",
    ],
    [
      "a reserved character",
      "version: @x\n",
      "ROOT/config.yaml:1:10: not valid YAML: Plain value cannot start with reserved character @. Put the value in quotes.\n    1 | version: @x\n      |          ^",
    ],
    [
      "a second document",
      "version: 1\n---\nversion: 1\n",
      "ROOT/config.yaml:2:1: a second document begins here. Keep one document, without a second ---.\n    2 | ---\n      | ^",
    ],
    [
      "a tag",
      "version: !!js/function x\n",
      "ROOT/config.yaml:1:10: tags (!name) are not known here. Write the plain value.\n    1 | version: !!js/function x\n      |          ^",
    ],
    [
      "an alias without anchor",
      "version: *one\n",
      'ROOT/config.yaml:1:10: an alias names an anchor that is not there. Put it in quotes if you mean the text: "*".\n    1 | version: *one\n      |          ^',
    ],
    [
      "aliases that grow",
      `version: 1\n${[..."abcdefgh"]
        .map(
          (name, index, all) =>
            `${name}: &${name} [${Array(9)
              .fill(index === 0 ? "x" : `*${all[index - 1]}`)
              .join(", ")}]\n`,
        )
        .join("")}`,
      "ROOT/config.yaml: aliases stand for more than a configuration can need. Write the values out instead of using & and *.",
    ],
    [
      "an empty file",
      "",
      'ROOT/config.yaml: the file is empty. Begin with "version: 1", or remove the file to get the built-in defaults.',
    ],
    [
      "a file of comments",
      "# nothing\n",
      'ROOT/config.yaml: the file is empty. Begin with "version: 1", or remove the file to get the built-in defaults.',
    ],
    [
      "a terminal escape in a key",
      'version: 1\n"\\e[31m\\u202e": 1\n',
      'ROOT/config.yaml:2:1: \\x1b[31m\\u{202e}: unknown key. Known here: version, agents, workspace, approvals, sandbox, shell, git, policy, notify, store.\n    2 | "\\e[31m\\u202e": 1\n      | ^',
    ],
  ];
  for (const [title, text, expected] of table) it(title, () => assert.equal(refusal(load(text)), expected));

  it("all of it at once, in the order of the file", () => {
    const text = "version: 1\nsandbox: { require: x }\napprovals: { mode: y }\n";
    assert.deepEqual(
      refusal(load(text))
        .split("\n")
        .filter((line) => line.startsWith("ROOT"))
        .map((line) => line.split(" ")[0]),
      ["ROOT/config.yaml:2:21:", "ROOT/config.yaml:3:20:"],
    );
    const many = `version: 1\n${Array.from({ length: 15 }, (_, index) => `k${index}: 1\n`).join("")}`;
    assert.match(refusal(load(many)), /\n… and 5 more\.$/);
  });

  it("nested without end", () => {
    assert.match(
      refusal(load(`version: ${"[".repeat(100_000)}`)),
      /^ROOT\/config\.yaml:1:\d+: this is nested too deeply\. /,
    );
  });

  it("an anchor that holds itself", () => {
    assert.match(
      refusal(load("version: 1\nagents: &a { x: *a }\n")),
      /^ROOT\/config\.yaml:2:14: agents\.x\.x: unknown key\. /,
    );
  });
});

describe("a path that cannot be granted", () => {
  const first = "ROOT/config.yaml:5:17: agents.default.fs_grants[0].path: ";
  const second = "ROOT/config.yaml:6:17: agents.default.fs_grants[1].path: ";
  const state = "Grant something that leaves it out, or move the state with --state.";
  const directory = "Grant something that leaves it out, or move it with $XDG_CONFIG_HOME.";
  const table: readonly (readonly [title: string, lines: readonly string[], expected: string])[] = [
    [
      "relative",
      ["{ path: src, mode: r }"],
      `${first}"src" is not an absolute path. Begin it with /, ~/ or \${project}.`,
    ],
    [
      "with a shell's variable",
      ["{ path: $HOME/x, mode: r }"],
      `${first}"$HOME/x" is not an absolute path. Begin it with /, ~/ or \${project}.`,
    ],
    [
      "of another user",
      ["{ path: ~else/x, mode: r }"],
      `${first}"~else/x" is not an absolute path. Begin it with /, ~/ or \${project}.`,
    ],
    [
      "with an unknown variable",
      ['{ path: "${home}/x", mode: r }'],
      `${first}\${home} cannot stand here. Only \${project} is known, at the beginning and as a whole component.`,
    ],
    [
      "with the project in the middle",
      ['{ path: "/x/${project}", mode: r }'],
      `${first}\${project} cannot stand here. Only \${project} is known, at the beginning and as a whole component.`,
    ],
    [
      "with the project as a part of a name",
      ['{ path: "${project}s", mode: r }'],
      `${first}\${project} cannot stand here. Only \${project} is known, at the beginning and as a whole component.`,
    ],
    ["with NUL", ['{ path: "/a\\0b", mode: r }'], `${first}holds a NUL character. No path can.`],
    ["too long", [`{ path: /${"a".repeat(5_000)}, mode: r }`], `${first}longer than any path. At most 4095 bytes.`],
    [
      "/proc",
      ["{ path: /proc/self/root/usr, mode: r }"],
      `${first}/proc/self/root/usr cannot be granted. The box has its own small /proc and /dev, and no /sys.`,
    ],
    [
      "/dev by a detour",
      ["{ path: /usr/../dev/shm, mode: r }"],
      `${first}/dev/shm cannot be granted. The box has its own small /proc and /dev, and no /sys.`,
    ],
    [
      "/sys",
      ["{ path: /sys, mode: rw }"],
      `${first}/sys cannot be granted. The box has its own small /proc and /dev, and no /sys.`,
    ],
    [
      "rw on /",
      ["{ path: /usr/.., mode: rw }"],
      `${first}rw on / cannot be granted. Name the directories that may change.`,
    ],
    ["r on /", ["{ path: /, mode: r }"], `${first}/ covers ROOT/state, the state directory. ${state}`],
    ["the state directory", ["{ path: ROOT/state, mode: r }"], `${first}ROOT/state is the state directory. ${state}`],
    [
      "a part of the state",
      ["{ path: ROOT/state/x, mode: r }"],
      `${first}ROOT/state/x lies inside ROOT/state, the state directory. ${state}`,
    ],
    ["around the state", ["{ path: ROOT, mode: r }"], `${first}ROOT covers ROOT/state, the state directory. ${state}`],
    [
      "around the key",
      ["{ path: ~/.config, mode: r }"],
      `${first}ROOT/home/.config covers ROOT/home/.config/sallyport, the configuration directory, where the key of the record is. ${directory}`,
    ],
    [
      "twice the same",
      ["{ path: ROOT/data, mode: r }", "{ path: ROOT/alias, mode: r }"],
      `${second}ROOT/data is granted by agents.default.fs_grants[0] already. Keep one of the two.`,
    ],
    [
      "inside what is hidden",
      ["{ path: ROOT/project, mode: r, hide: [keys] }", "{ path: ROOT/project/keys, mode: r }"],
      `${second}ROOT/project/keys lies in what agents.default.fs_grants[0] hides. Take the pattern out of hide, or leave this grant out.`,
    ],
    [
      "through a link that an agent can turn",
      ["{ path: ROOT/project, mode: rw }", "{ path: ROOT/project/link/in, mode: r }"],
      `${second}goes through the link ROOT/project/link, which lies in what agents.default.fs_grants[0] (rw) covers, so an agent could turn it. Write the real path, ROOT/data/in, if that is what you mean.`,
    ],
    [
      "hide that un-hides",
      ['{ path: /usr, mode: r, hide: ["!a"] }'],
      'ROOT/config.yaml:5:39: agents.default.fs_grants[0].hide[0]: "!a" would un-hide, which hide cannot. Write narrower patterns, or \\! for a name that begins with it.',
    ],
    [
      "hide that cannot be read",
      ['{ path: /usr, mode: r, hide: ["[a"] }'],
      'ROOT/config.yaml:5:39: agents.default.fs_grants[0].hide[0]: "[a" is not a pattern. Close every [, begin ranges with their lower end, and put \\ before a character that stands for itself.',
    ],
    [
      "hide that climbs",
      ['{ path: /usr, mode: r, hide: ["../a"] }'],
      'ROOT/config.yaml:5:39: agents.default.fs_grants[0].hide[0]: ".." cannot be a part of a pattern. Write it as names, such as "keys/*.pem".',
    ],
  ];
  for (const [title, lines, expected] of table) {
    it(title, () => assert.equal(refusal(load(grants(...lines))).split("\n")[0], expected));
  }

  it("through a link is fine where no agent can turn it", () => {
    assert.ok(load(grants("{ path: ROOT/project, mode: r }", "{ path: ROOT/project/link, mode: rw }")).ok);
  });

  it("beside the state, with a name that begins alike", () => {
    mkdirSync(join(root, "state-of-things"), { recursive: true });
    assert.ok(load(grants("{ path: ROOT/state-of-things, mode: rw }")).ok);
  });

  it("rw around the file that grants it; r is fine", () => {
    const inside = join(root, "project/sallyport.yaml");
    const hint = "Grant r, or keep the configuration elsewhere.";
    for (const [mode, expected] of [
      ["r", null],
      [
        "rw",
        `rw on ROOT/project covers the configuration file ROOT/project/sallyport.yaml, so an agent could change its own grants. ${hint}`,
      ],
    ] as const) {
      writeFileSync(inside, grants(`{ path: "\${project}", mode: ${mode} }`));
      const result = load("", { configPath: inside });
      if (expected === null) assert.ok(result.ok);
      else assert.ok(refusal(result).includes(`agents.default.fs_grants[0].path: ${expected}\n`), refusal(result));
    }
  });

  it("rw around a link on the way to the state", () => {
    symlinkSync(join(root, "state"), join(root, "project/state"));
    const text = refusal(load(grants('{ path: "${project}", mode: rw }'), { statePath: join(root, "project/state") }));
    assert.ok(
      text.includes(
        "rw on ROOT/project covers the link ROOT/project/state on the way to the state directory, so an agent could turn it. Grant r, or name that place by its real path.",
      ),
      text,
    );
    rmSync(join(root, "project/state"));
  });

  it("as a workspace, which is as good as rw", () => {
    const text = refusal(load(`version: 1\nworkspace: { kind: directory, path: ${root}/state/w }\n`));
    assert.equal(
      text.split("\n")[0],
      `ROOT/config.yaml:2:37: workspace.path: ROOT/state/w lies inside ROOT/state, the state directory. ${state}`,
    );
    assert.equal(
      refusal(load("version: 1\n", { workspace: root })),
      `--workspace: ROOT covers ROOT/state, the state directory. ${state}`,
    );
    assert.equal(
      refusal(load("version: 1\n", { workspace: "" })),
      "--workspace: empty. Write draft, memory, or a directory.",
    );
    const turned = refusal(load(grants("{ path: ROOT/project, mode: rw }"), { workspace: join(root, "project/link") }));
    assert.match(turned, /^--workspace: goes through the link ROOT\/project\/link, /);
    const throughWorkspace = refusal(
      load(grants("{ path: ROOT/project/link, mode: r }"), { workspace: join(root, "project") }),
    );
    assert.match(throughWorkspace, /which lies in what --workspace \(rw\) covers/);
  });

  it("as a workspace that is not there, or is a file", () => {
    const hint = "Name a directory that exists.";
    writeFileSync(join(root, "other/file"), "");
    for (const [path, reason] of [
      ["other/gone", "there is no ROOT/other/gone"],
      ["other/file", "ROOT/other/file is not a directory"],
      ["other/file/x", "there is no ROOT/other/file/x"],
    ] as const) {
      const written = refusal(load(`version: 1\nworkspace: { kind: directory, path: ${root}/${path} }\n`));
      assert.equal(written.split("\n")[0], `ROOT/config.yaml:2:37: workspace.path: ${reason}. ${hint}`);
      const flag = { workspace: join(root, path) };
      assert.equal(refusal(load("version: 1\n", flag)), `--workspace: ${reason}. ${hint}`);
    }
    const elsewhere = load(`version: 1\nworkspace: { kind: directory, path: ${root}/gone }\n`, { workspace: "memory" });
    assert.ok(elsewhere.ok, "the flag says otherwise");
  });
});

describe("a file that cannot be read", () => {
  const context = { statePath: join(root, "state"), project: join(root, "project"), environment };

  it("because it is not there", () => {
    const missing = join(root, "missing.yaml");
    const expected = "ROOT/missing.yaml: there is no such file. Check the name after --config or in $SALLYPORT_CONFIG.";
    assert.equal(refusal(loadConfig({ ...context, configPath: missing })), expected);
    assert.equal(
      refusal(loadConfig({ ...context, environment: { ...environment, SALLYPORT_CONFIG: missing } })),
      expected,
    );
  });

  it("because it is a directory", () => {
    assert.equal(
      refusal(loadConfig({ ...context, configPath: join(root, "data") })),
      "ROOT/data: this is a directory, not a file. Name the file in it, such as config.yaml.",
    );
  });

  it("because it is a pipe, without waiting for it", () => {
    execFileSync("/usr/bin/mkfifo", [join(root, "pipe")]);
    assert.equal(
      refusal(loadConfig({ ...context, configPath: join(root, "pipe") })),
      "ROOT/pipe: this is not a regular file. Pipes and devices are not read; write the configuration to a file.",
    );
  });

  it("because it is too large", () => {
    assert.equal(
      refusal(load(`version: 1\n#${"x".repeat(1024 * 1024)}`)),
      "ROOT/config.yaml: the file is larger than 1 MiB. A configuration is a page of text; is this the right file?",
    );
  });

  it("because it is not UTF-8", () => {
    assert.equal(
      refusal(load(Buffer.from("version: 1\n# gr\xfc\xdfe\n", "latin1"))),
      "ROOT/config.yaml:2:1: the file is not UTF-8 text. Save it as UTF-8.",
    );
    assert.equal(
      refusal(load(Buffer.from([0xff, 0xfe, 0x76, 0x00]))),
      "ROOT/config.yaml:1:1: the file is not UTF-8 text. Save it as UTF-8.",
    );
  });

  it("because nobody let us", () => {
    const locked = join(root, "locked.yaml");
    writeFileSync(locked, "version: 1\n", { mode: 0o000 });
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(65534);
    try {
      const expected =
        "ROOT/locked.yaml: the file cannot be read: no permission. Make it readable for the user who runs sallyport.";
      assert.equal(refusal(loadConfig({ ...context, configPath: locked })), expected);
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });
});

describe("the places", () => {
  it("follow flag, then environment, then custom", () => {
    const home = join(root, "places");
    const place = join(home, ".config/sallyport/config.yaml");
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, "version: 1\nagents: { custom: {} }\n");
    writeFileSync(join(home, "named.yaml"), "version: 1\nagents: { named: {} }\n");
    const project = join(root, "project");
    const names = (context: LoadContext) => {
      const result = loadConfig(context);
      assert.ok(result.ok, result.ok ? "" : describeConfigErrors(result.errors));
      return [
        [...result.config.agents.keys()][0],
        result.config.stateDirectory.slice(home.length),
        result.config.configDirectory.slice(home.length),
      ];
    };
    const custom = { HOME: home, XDG_CONFIG_HOME: "relative", XDG_STATE_HOME: "", SALLYPORT_CONFIG: "" };
    assert.deepEqual(names({ project, environment: custom }), [
      "custom",
      "/.local/state/sallyport",
      "/.config/sallyport",
    ]);
    const moved = {
      HOME: home,
      XDG_CONFIG_HOME: join(home, "c"),
      XDG_STATE_HOME: join(home, "s"),
      SALLYPORT_CONFIG: place,
    };
    assert.deepEqual(names({ project, environment: moved }), ["custom", "/s/sallyport", "/c/sallyport"]);
    const named = { ...moved, SALLYPORT_STATE: join(home, "t") };
    assert.deepEqual(names({ project, environment: named, configPath: join(home, "named.yaml") }), [
      "named",
      "/t",
      "/c/sallyport",
    ]);
    assert.deepEqual(names({ project, environment: named, statePath: join(home, "u") }), [
      "custom",
      "/u",
      "/c/sallyport",
    ]);
  });

  it("must make sense", () => {
    const project = join(root, "project");
    assert.equal(
      refusal(load("version: 1\n", { project: join(root, "gone") })),
      "--project: there is no ROOT/gone. Name a directory that exists.",
    );
    assert.equal(
      refusal(load("version: 1\n", { project: file })),
      "--project: ROOT/config.yaml is not a directory. Name a directory that exists.",
    );
    assert.equal(refusal(load("version: 1\n", { project: "" })), "--project: empty. Write a path after it.");
    assert.equal(
      refusal(load("version: 1\n", { statePath: join(root, "home"), project })),
      "the state directory ROOT/home holds the configuration directory ROOT/home/.config/sallyport. The key of the record must lie outside the state: name another directory with --state.",
    );
  });
});

describe("the built-in defaults", () => {
  const bare = { HOME: join(root, "home") };

  it("hold where no file is, and grant the project to read", () => {
    const result = loadConfig({ project: join(root, "project"), environment: bare });
    assert.ok(result.ok);
    const { config } = result;
    assert.equal(config.file, null);
    assert.deepEqual(config.notes, []);
    assert.deepEqual(config.agents.get("default"), {
      toolGrants: ["Git", "Shell", "Bash", "Python", "git_*", "*_file", "*_files"],
      fsGrants: [
        { path: join(root, "project"), mode: "r", hide: ["untracked:*.pem", "untracked:.env*"] },
        { path: "/usr", mode: "r", hide: [] },
      ],
      netGrants: { isWhole: false, isAsked: false, hosts: [] },
      netProxy: false,
      limits: defaultRunLimits,
      workLimits,
    });
  });

  it("leave out a project that must not be granted, and say so", () => {
    for (const project of [root, "/", "/dev", join(root, "home")]) {
      const result = loadConfig({ project, environment: bare });
      assert.ok(result.ok);
      assert.deepEqual(
        result.config.agents.get("default")?.fsGrants.map((grant) => grant.path),
        ["/usr"],
      );
      assert.equal(result.config.notes.length, 1);
    }
    const result = loadConfig({ project: join(root, "home"), environment: bare });
    const expected =
      "Not granted by default: ROOT/home covers ROOT/home/.local/state/sallyport, the state directory. Work in a narrower directory, name one with --project, or write a configuration file.";
    assert.ok(result.ok && result.config.notes[0]?.replaceAll(root, "ROOT") === expected);
  });

  it("are what nobody wrote: a text that was given is held to what a file is", () => {
    const configText = grants("{ path: ROOT/state, mode: r }");
    const result = loadConfig({
      statePath: join(root, "state"),
      project: join(root, "project"),
      environment,
      configText,
    });
    assert.match(refusal(result), /^5:17: agents\.default\.fs_grants\[0\]\.path: ROOT\/state is the state directory\./);
  });

  it("merge where the project is granted anyway", () => {
    const result = loadConfig({ project: "/usr", environment: bare });
    assert.ok(result.ok);
    assert.deepEqual(result.config.agents.get("default")?.fsGrants, [
      { path: "/usr", mode: "r", hide: ["untracked:*.pem", "untracked:.env*"] },
    ]);
  });

  it("are not taken where a link to a configuration is broken", () => {
    const home = join(root, "dangling");
    mkdirSync(join(home, ".config/sallyport"), { recursive: true });
    symlinkSync("/no/such/file", join(home, ".config/sallyport/config.yaml"));
    const expected =
      "ROOT/dangling/.config/sallyport/config.yaml: a link leads nowhere here. Mend it, or remove it to get the built-in defaults.";
    assert.equal(refusal(loadConfig({ project: join(root, "project"), environment: { HOME: home } })), expected);
    rmSync(join(home, ".config/sallyport"), { recursive: true });
    symlinkSync("/no/such/directory", join(home, ".config/sallyport"));
    assert.equal(refusal(loadConfig({ project: join(root, "project"), environment: { HOME: home } })), expected);
  });
});

describe("agentCapability", () => {
  it("knows the agents and names them", () => {
    const config = loaded("version: 1\nagents: { default: {}, reader: { tool_grants: [Git] } }\n");
    const reader = agentCapability(config, "reader");
    assert.ok(reader.ok && reader.value.toolGrants[0] === "Git");
    assert.deepEqual(agentCapability(config, "writer"), {
      ok: false,
      failure: {
        error: "invalid_args",
        message: `there is no agent "writer" in ${file}`,
        hint: "There are default, reader.",
      },
    });
    assert.equal(agentCapability(config, "__proto__").ok, false);
  });
});
