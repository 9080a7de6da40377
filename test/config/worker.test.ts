import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { describeConfigErrors } from "../../src/config/config-error.ts";
import { findConfigPaths, type ConfigPaths } from "../../src/config/config-paths.ts";
import { workerExample, workerReference } from "../../scripts/worker-reference.ts";
import { workerSchema } from "../../src/config/worker-schema.ts";
import { loadWorker, type Worker } from "../../src/config/worker.ts";
import {
  allowsWholeNetwork,
  allowsTool,
  createCapability,
  derive,
  fsGrantFor,
  hostGrantFor,
  mayReachHosts,
} from "../../src/policy/capability.ts";
import { defaultRunLimits } from "../../src/shared/run-limits.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-worker-")));
after(() => rmSync(root, { recursive: true, force: true }));
mkdirSync(join(root, "project/src"), { recursive: true });
mkdirSync(join(root, "home"));
const file = join(root, "worker.md");

function places(): ConfigPaths {
  const found = findConfigPaths({ project: join(root, "project"), environment: { HOME: join(root, "home") } });
  assert.ok(found.ok);
  return found.paths;
}

function load(text: string | Buffer) {
  writeFileSync(file, text);
  return loadWorker(file, places());
}

const head = "name: w\ndescription: d\n";
const worker = (yaml: string, body = ""): string => `---\n${head}${yaml}---\n${body}`;

function loaded(text: string): Worker {
  const result = load(text);
  assert.ok(result.ok, result.ok ? "" : describeConfigErrors(result.errors));
  return result.worker;
}

function refusal(text: string | Buffer): string {
  const result = load(text);
  assert.ok(!result.ok, "this should have been refused");
  return describeConfigErrors(result.errors).replaceAll(root, "ROOT");
}

describe("a worker file", () => {
  it("the example of the documents is one, and docs/worker.md is what the schema says (else: node scripts/write-docs.ts)", () => {
    assert.equal(readFileSync(new URL("../../docs/worker.md", import.meta.url), "utf8"), workerReference());
    const { narrower, rules, ...rest } = loaded(workerExample);
    assert.deepEqual(rest, {
      file,
      name: "report-writer",
      description: "Writes analysis reports from the templates of this project",
      instructions:
        "You write one report per quarter. Begin with the template, keep its headings, and name your sources.",
      defaultTarget: { type: "local", path: join(root, "project"), branch: "reports" },
      autoPull: [
        {
          paths: ["templates/"],
          source: { type: "local", path: join(root, "project"), branch: undefined },
          onConflict: "fail",
        },
        {
          paths: ["data/*.csv", "data/README.md"],
          source: { type: "github", repo: "octocat/figures", branch: "main" },
          onConflict: "keep-both",
        },
      ],
      exampleCount: 2,
    });
    assert.deepEqual(narrower, {
      toolGrants: ["Bash", "git_*", "*_file", "*_files"],
      netGrants: [],
      limits: { memoryMb: 256 },
    });
    assert.deepEqual(
      rules.map(({ text }) => [text.decide, text.effect, text.branch]),
      [["deny", "push", "release*"]],
    );
  });

  it("names every key in its page, with what it means", () => {
    for (const key of Object.keys(workerSchema.shape))
      assert.match(workerReference(), new RegExp(`^\\| \`${key}\` \\| .* \\| .* \\| .{10,} \\|$`, "m"));
    assert.doesNotMatch(workerReference(), /\| {2}\|$/m);
  });

  it("needs a name and a description, and nothing else", () => {
    const { narrower, defaultTarget, autoPull, rules, instructions } = loaded("---\nname: a\ndescription: b\n---");
    assert.deepEqual([narrower, defaultTarget, autoPull, rules, instructions], [{}, null, [], [], ""]);
    assert.equal(loaded(worker("", "\r\n# Title\n\n---\nrule below\n")).instructions, "# Title\n\n---\nrule below");
    assert.equal(loaded("---\r\nname: a\r\ndescription: b\r\n---\r\ntext\r\n").instructions, "text");
  });

  for (const [written, target] of [
    ["{ type: local, path: src }", { type: "local", path: "PROJECT/src" }],
    ["{ type: local, path: ./src/ }", { type: "local", path: "PROJECT/src" }],
    ['{ type: local, path: "${project}/src" }', { type: "local", path: "PROJECT/src" }],
    ["{ type: local-bare, path: ~/b.git }", { type: "local-bare", path: "HOME/b.git" }],
    [
      "{ type: local-bare, path: /srv/b.git, branch: refs/heads/x }",
      { type: "local-bare", path: "/srv/b.git", branch: "x" },
    ],
    ["{ type: remote, url: HTTPS://Host/x.git }", { type: "remote", url: "https://host/x.git" }],
    ["{ type: remote, url: git@host:x.git }", { type: "remote", url: "git@host:x.git" }],
    ["{ type: github, repo: octo/reports }", { type: "github", repo: "octo/reports" }],
  ] as const) {
    it(`reads the target ${written}`, () => {
      const read = loaded(worker(`git: { default_target: ${written} }\n`)).defaultTarget;
      const text = JSON.stringify(read)
        .replaceAll(join(root, "project"), "PROJECT")
        .replaceAll(join(root, "home"), "HOME");
      assert.deepEqual(JSON.parse(text), target);
    });
  }
});

describe("what is wrong in a worker file is told with its line and column in the file", () => {
  for (const [name, text, told] of [
    [
      "an unknown key",
      worker("tool_grant: [Exec]\n"),
      /^ROOT\/worker\.md:4:1: tool_grant: unknown key\. Did you mean tool_grants\?\n {4}4 \| tool_grant: \[Exec\]\n/,
    ],
    ["an unknown key inside", worker("git:\n  target: {}\n"), /worker\.md:5:3: git\.target: unknown key/],
    [
      "a field of another type",
      worker("git:\n  default_target: { type: local, path: ., force: true }\n"),
      /worker\.md:5:43: git\.default_target\.force: unknown key/,
    ],
    [
      "a type that is none",
      worker("git: { default_target: { type: gitlab, repo: x/y } }\n"),
      /worker\.md:4:\d+: git\.default_target.*"gitlab" is not known\. Use local, local-bare, github or remote/,
    ],
    [
      "allow",
      worker("policy:\n  rules:\n    - { decide: allow, effect: push }\n"),
      /worker\.md:6:17: policy\.rules\[0\]\.decide: a worker can only narrow, so allow cannot stand here\. Use ask or deny/,
    ],
    [
      "another decision",
      worker("policy:\n  rules:\n    - { decide: maybe, effect: push }\n"),
      /worker\.md:6:17: policy\.rules\[0\]\.decide: "maybe" is not known\. Use ask or deny/,
    ],
    ["otherwise", worker("policy: { otherwise: { push: allow } }\n"), /policy\.otherwise: unknown key/],
    [
      "a failing example",
      worker(
        "policy:\n  rules:\n    - decide: deny\n      effect: push\n      branch: main\n      examples: { match: [/srv/x other] }\n",
      ),
      /worker\.md:9:27: policy\.rules\[0\]\.examples\.match\[0\]: .*should match the rule, and does not/,
    ],
    ["a key twice", worker("name: x\n"), /worker\.md:4:1: this key is written twice/],
    ["broken YAML", worker("git: [\n"), /worker\.md:\d+:\d+: not valid YAML/],
    ["a tab", worker("git:\n\tauto_pull: []\n"), /worker\.md:5:1: a tab is used as indentation/],
    ["no frontmatter", "# Title\n", /^ROOT\/worker\.md:1:1: a worker file begins with its frontmatter/],
    ["no end", "---\nname: a\n", /the frontmatter has no end/],
    ["nothing in it", "---\n---\ntext\n", /the frontmatter is empty\. Write at least name and description/],
    ["only comments", "---\n# nothing\n---\n", /the frontmatter is empty/],
    ["no name", "---\ndescription: d\n---\n", /name: missing/],
    ["a bad name", "---\nname: a b\ndescription: d\n---\n", /worker\.md:2:7: name: not a name for a worker/],
    [
      "a password",
      worker("git: { default_target: { type: remote, url: https://u:hunter2@h/x } }\n"),
      /worker\.md:4:45: git\.default_target\.url: has a password/,
    ],
    [
      "a helper",
      worker("git: { default_target: { type: remote, url: 'ext::id' } }\n"),
      /"ext::" would start a program/,
    ],
    [
      "an address as a path",
      worker("git: { default_target: { type: local, path: https://h/x } }\n"),
      /git\.default_target\.path: .*is no path\. For an address use type: remote/,
    ],
    ["a helper as a path", worker("git: { default_target: { type: local, path: 'fd::3' } }\n"), /is no path/],
    [
      "a way up",
      worker("git: { default_target: { type: local, path: ../x } }\n"),
      /git\.default_target\.path: goes up/,
    ],
    [
      "no repository",
      worker("git: { default_target: { type: github, repo: https://h/x } }\n"),
      /git\.default_target\.repo: .*is not owner\/name/,
    ],
    [
      "no branch",
      worker("git: { default_target: { type: local, path: ., branch: 'a:b' } }\n"),
      /git\.default_target\.branch: .*holds :/,
    ],
    [
      "path and paths",
      worker("git: { auto_pull: [{ path: a, paths: [b], source: { type: local, path: . } }] }\n"),
      /worker\.md:4:20: git\.auto_pull\[0\]: needs either path or paths/,
    ],
    ["neither", worker("git: { auto_pull: [{ source: { type: local, path: . } }] }\n"), /needs either path or paths/],
    [
      "a path that goes up",
      worker("git: { auto_pull: [{ paths: [a, ../b], source: { type: local, path: . } }] }\n"),
      /worker\.md:4:33: git\.auto_pull\[0\]: "\.\.\/b" goes up/,
    ],
    [
      "a path that is an option",
      worker("git: { auto_pull: [{ path: --output=x, source: { type: local, path: . } }] }\n"),
      /begins with a dash/,
    ],
    [
      "git's own pattern",
      worker("git: { auto_pull: [{ path: ':(glob)**', source: { type: local, path: . } }] }\n"),
      /begins with a colon/,
    ],
    [
      "a relative grant",
      worker("fs_grants: [{ path: src, mode: r }]\n"),
      /worker\.md:4:21: fs_grants\[0\]\.path: "src" is not an absolute path/,
    ],
    [
      "a pattern that un-hides",
      worker("fs_grants: [{ path: /usr, mode: r, hide: ['!x'] }]\n"),
      /fs_grants\[0\]\.hide\[0\]: .*un-hide/,
    ],
    [
      "a host that is none",
      worker("net_grants: [example.com, 'a b']\n"),
      /worker\.md:4:27: net_grants\[1\]: "a b" is not a host/,
    ],
    ["a limit that is none", worker("limits: { memory_mb: 1 }\n"), /limits\.memory_mb: 1 is too small/],
    ["no text", Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xff]), /worker\.md:2:1: the file is not UTF-8/],
  ] as const) {
    it(name, () => {
      const said = refusal(text);
      assert.match(said, told);
      assert.doesNotMatch(said, /hunter2/);
    });
  }

  it("no file, and a directory", () => {
    const none = loadWorker(join(root, "none.md"), places());
    assert.match(
      none.ok ? "" : describeConfigErrors(none.errors),
      /there is no such file\. Check the name of the worker file/,
    );
    const directory = loadWorker(root, places());
    assert.match(directory.ok ? "" : describeConfigErrors(directory.errors), /this is a directory/);
  });
});

describe("a worker only narrows", () => {
  const agent = createCapability({
    toolGrants: ["Git", "git_*"],
    fsGrants: [
      { path: "/usr", mode: "r", hide: [] },
      { path: join(root, "project"), mode: "rw", hide: [".env"] },
    ],
    netGrants: [],
    limits: { ...defaultRunLimits, memoryMb: 200 },
  });

  it("keeps of the agent's hosts what the worker names, and nothing else", () => {
    const narrower = loaded(worker("net_grants: [registry.npmjs.org, other.example]\n")).narrower;
    const held = (...netGrants: string[]) => derive(createCapability({ ...agent, netGrants }), narrower);
    assert.deepEqual(
      held("npm").netGrants.hosts.map(({ text }) => text),
      ["registry.npmjs.org:443"],
    );
    assert.equal(mayReachHosts(held()), false);
    assert.equal(allowsWholeNetwork(held("*")), false);
    assert.equal(hostGrantFor(held("*"), "other.example:443")?.text, "other.example:443");
    assert.equal(hostGrantFor(held("*"), "evil.example:443"), undefined);
  });

  it("what the agent has not is not gained", () => {
    const wide = loaded(
      worker(
        'tool_grants: ["*"]\nnet_grants: ["*"]\nlimits: { memory_mb: 4096 }\nfs_grants:\n  - { path: /, mode: rw }\n  - { path: /usr, mode: rw }\n',
      ),
    );
    const capability = derive(agent, wide.narrower);
    assert.equal(allowsTool(capability, "Exec"), false);
    assert.equal(allowsTool(capability, "git_push"), true);
    assert.equal(allowsWholeNetwork(capability), false);
    assert.equal(capability.limits.memoryMb, 200);
    assert.equal(fsGrantFor(capability, "/etc/passwd", "r"), undefined);
    assert.equal(fsGrantFor(capability, "/usr/bin/env", "rw"), undefined);
    assert.equal(fsGrantFor(capability, join(root, "project/.env"), "r"), undefined);
  });

  it("what the worker names is all that is left, by its real path", () => {
    symlinkSync(join(root, "project/src"), join(root, "link"));
    const capability = derive(
      agent,
      loaded(
        worker(
          `tool_grants: [Git]\nfs_grants: [{ path: ${join(root, "link")}, mode: r }]\nlimits: { memory_mb: 100 }\n`,
        ),
      ).narrower,
    );
    assert.equal(allowsTool(capability, "git_push"), false);
    assert.equal(allowsTool(capability, "Git"), true);
    assert.equal(fsGrantFor(capability, "/usr/bin/env", "r"), undefined);
    assert.equal(fsGrantFor(capability, join(root, "project/src/a"), "r")?.mode, "r");
    assert.equal(fsGrantFor(capability, join(root, "project/src/a"), "rw"), undefined);
    assert.equal(capability.limits.memoryMb, 100);
  });

  it("what it does not write stays", () => {
    assert.deepEqual(derive(agent, loaded(worker("")).narrower), agent);
  });
});
