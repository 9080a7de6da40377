import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import test, { type TestContext } from "node:test";
import { runInNewContext } from "node:vm";
import { agentApps } from "../../../src/install/agent-apps.ts";
import { starterConfig } from "../../../src/config/starter.ts";
import { newCliUser, noTerminal, onTerminal, type CliUser } from "../../fixtures/cli.ts";
import { openDialog } from "../../fixtures/dialog.ts";
import { root } from "../../docs/documents.ts";

const skip = noTerminal;

/** With `sallyport` on the PATH, and the files that are given, below home or project. */
function newUser(t: TestContext, files: Readonly<Record<string, string>> = {}): CliUser {
  const person = newCliUser(t, null, { hasState: false });
  const bin = join(person.root, "bin");
  mkdirSync(bin);
  symlinkSync(join(root, "bin/sallyport.js"), join(bin, "sallyport"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(person.root, name)), { recursive: true });
    writeFileSync(join(person.root, name), text);
  }
  const env = { ...person.env, PATH: `${bin}:/usr/bin:/bin` };
  return { ...person, env, run: (args, options) => person.run(args, { ...options, env: { ...env, ...options?.env } }) };
}

// oxlint-disable-next-line no-control-regex
const plainText = (screen: string) => screen.replaceAll(/\u001b\[[?\d;]*[A-Za-z]/g, "").replaceAll("\r\n", "\n");
const read = (person: CliUser, name: string) => readFileSync(join(person.root, name), "utf8");

/** Every file below the person's home and project. */
function tree(person: CliUser): string[] {
  return readdirSync(person.root, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && !entry.parentPath.startsWith(join(person.root, "bin")))
    .map((entry) => join(entry.parentPath, entry.name).slice(person.root.length + 1))
    .toSorted();
}

/** As the app's own kind of parser reads it: comments and trailing commas are JavaScript, TOML is Python's. */
function parsed(text: string, format: "json" | "toml"): Record<string, Record<string, unknown>> {
  if (format === "json") return JSON.parse(JSON.stringify(runInNewContext(`(${text}\n)`)));
  const program = "import json, sys, tomllib; print(json.dumps(tomllib.loads(sys.stdin.read())))";
  const { stdout, stderr } = spawnSync("python3", ["-c", program], { input: text, encoding: "utf8" });
  assert.equal(stderr, "");
  return JSON.parse(stdout);
}

test("each agent that is found is shown, asked about and added; the rest of its file stays", { skip }, async (t) => {
  const gemini = '{\n    // my theme\n    "ui": { "theme": "x" }, // end\n}\n';
  const person = newUser(t, {
    "home/.claude.json": '{\n  "numStartups": 3,\n  "mcpServers": {}\n}\n',
    "home/.codex/config.toml": 'model = "x" # mine\r\n',
    "home/.gemini/settings.json": gemini,
  });
  chmodSync(join(person.home, ".claude.json"), 0o640);
  const dialog = openDialog(t, person, ["init"], { rows: 60 });
  await dialog.until("Add it?  [y]es  [n]o  [q]uit");
  const first = plainText(dialog.output()).split("Claude Code (")[0] ?? "";
  assert.match(
    first,
    /needs no entry anywhere:\n(?: {2}sallyport run (claude|codex|gemini) .*\n){3}\nOr give the agent/,
  );
  assert.match(plainText(dialog.output()), /Claude Code \(~\/\.claude\.json is there\)\n {2}In ~\/\.claude\.json:\n/);
  assert.match(plainText(dialog.output()), /\n {2}- {3}"mcpServers": \{\}\n {2}\+ {3}"mcpServers": \{\n/);
  assert.equal(read(person, "home/.claude.json").includes("sallyport"), false, "not before the yes");
  await dialog.press("y");
  await dialog.until("calls these tools without a question of its own");
  assert.equal(existsSync(join(person.home, ".claude/settings.json")), false, "a question of its own");
  await dialog.press("y");
  await dialog.until("Codex (");
  const from = dialog.output().length;
  await dialog.press("n");
  await dialog.until("Gemini CLI (", from);
  await dialog.press("x");
  await dialog.until("y adds it, n leaves it, q ends here.");
  await dialog.press("y");
  await dialog.until(".gemini/policies/sallyport.toml");
  await dialog.press("n");
  await dialog.until("A starter configuration: ~/.config/sallyport/config.yaml");
  await dialog.press("y");
  await dialog.until("init --undo");
  assert.equal(await dialog.ended, 0);
  const screen = plainText(dialog.output());
  assert.match(screen, /goes round the gate/);
  assert.match(screen, /"deny": \["Bash", "Edit", "Write", "NotebookEdit", "Read", /);
  assert.deepEqual(parsed(read(person, "home/.claude/settings.json"), "json"), {
    permissions: { allow: ["mcp__sallyport"] },
  });
  assert.equal(existsSync(join(person.home, ".gemini/policies")), false);
  assert.doesNotMatch(screen, /shell_tool/, "Codex was left out");
  assert.deepEqual(parsed(read(person, "home/.claude.json"), "json"), {
    numStartups: 3,
    mcpServers: { sallyport: { type: "stdio", command: "sallyport", args: ["mcp"] } },
  });
  assert.equal(statSync(join(person.home, ".claude.json")).mode & 0o777, 0o640);
  assert.equal(read(person, "home/.codex/config.toml"), 'model = "x" # mine\r\n');
  assert.ok(read(person, "home/.gemini/settings.json").startsWith(gemini.slice(0, -2)));
  assert.equal(read(person, "home/.config/sallyport/config.yaml"), starterConfig);
  assert.equal(person.run(["policy", "check"]).code, 0);
});

test(
  "--yes adds to every agent, in its own format; again changes nothing; --undo gives back what was there",
  { skip },
  async (t) => {
    const person = newUser(t, { "home/.config/sallyport/config.yaml": "version: 1\n" });
    const apps = agentApps.flatMap(({ id }) => ["--agent-app", id]);
    const before = tree(person);
    const first = await onTerminal(person, ["init", "--yes", ...apps]);
    assert.equal(first.code, 0, first.screen);
    const made = tree(person).filter((name) => !before.includes(name));
    const added = made.filter((name) => name !== "home/.config/sallyport/init.json");
    assert.deepEqual(made, [
      "home/.claude.json",
      "home/.claude/settings.json",
      "home/.codeium/windsurf/mcp_config.json",
      "home/.codex/config.toml",
      "home/.config/Code/User/mcp.json",
      "home/.config/opencode/opencode.json",
      "home/.config/sallyport/init.json",
      "home/.config/zed/settings.json",
      "home/.copilot/mcp-config.json",
      "home/.gemini/policies/sallyport.toml",
      "home/.gemini/settings.json",
      "project/.cursor/mcp.json",
    ]);
    const mcp = { command: "sallyport", args: ["mcp"] };
    const here = { type: "stdio", command: "sallyport", args: ["mcp", "--project", "${workspaceFolder}"] };
    const expected = [
      { mcpServers: { sallyport: { type: "stdio", ...mcp } } },
      { permissions: { allow: ["mcp__sallyport"] } },
      { mcpServers: { sallyport: { command: "sallyport", args: ["mcp", "--project", person.project] } } },
      { mcp_servers: { sallyport: { ...mcp, default_tools_approval_mode: "approve" } } },
      { servers: { sallyport: here } },
      { mcp: { sallyport: { type: "local", command: ["sallyport", "mcp"] } } },
      { context_servers: { sallyport: { source: "custom", ...mcp } } },
      { mcpServers: { sallyport: { type: "local", ...mcp, tools: ["*"] } } },
      {
        rule: [
          {
            toolName: ["write_file"],
            argsPattern: ".",
            decision: "deny",
            priority: 800,
            modes: ["default"],
            interactive: false,
          },
          { toolName: ["write_file"], decision: "allow", priority: 799, modes: ["default"], interactive: false },
        ],
      },
      { mcpServers: { sallyport: { ...mcp, trust: true } } },
      { mcpServers: { sallyport: here } },
    ];
    assert.deepEqual(
      added.map((name) => parsed(read(person, name), name.endsWith(".toml") ? "toml" : "json")),
      expected,
    );
    assert.deepEqual(
      added.map((name) => statSync(join(person.root, name)).mode & 0o777),
      added.map((name) => (name.startsWith("project") ? 0o644 : 0o600)),
    );
    const texts = added.map((name) => read(person, name));
    const again = await onTerminal(person, ["init", "--yes", ...apps]);
    assert.equal(again.code, 0);
    assert.equal(plainText(again.screen).split("Already there").length - 1, agentApps.length + 2);
    assert.deepEqual(
      added.map((name) => read(person, name)),
      texts,
    );
    writeFileSync(
      join(person.home, ".gemini/settings.json"),
      '{ "mcpServers": { "sallyport": { "command": "mine" } } }',
    );
    const undone = await onTerminal(person, ["init", "--undo", "--yes", ...apps]);
    assert.equal(undone.code, 0, undone.screen);
    assert.match(undone.screen, /written differently; it stays as it is/);
    assert.deepEqual(tree(person), [...before, "home/.gemini/settings.json"].toSorted());
  },
);

test("--undo takes the entry out of files that their programs wrote anew, and the rest stays", { skip }, async (t) => {
  const person = newUser(t, { "home/.config/sallyport/config.yaml": "version: 1\n" });
  const apps = ["--agent-app", "claude-code", "--agent-app", "gemini-cli"];
  assert.equal((await onTerminal(person, ["init", "--yes", ...apps])).code, 0);
  const kept = parsed(read(person, "home/.claude.json"), "json");
  writeFileSync(join(person.home, ".claude.json"), JSON.stringify({ numStartups: 1, ...kept, last: [2] }, null, 4));
  const byHand = (allow: string) =>
    `{\n  // mine\n  "permissions": { "allow": [${allow} /* these */], "deny": ["Bash", "Read"] },\n}\n`;
  writeFileSync(join(person.home, ".claude/settings.json"), byHand('"Bash(ls)", "mcp__sallyport"'));
  writeFileSync(join(person.home, ".gemini/policies/sallyport.toml"), "# mine\n");
  const undone = await onTerminal(person, ["init", "--undo", "--yes", ...apps]);
  assert.equal(undone.code, 0, undone.screen);
  assert.doesNotMatch(undone.screen, /paste by hand/);
  assert.deepEqual(parsed(read(person, "home/.claude.json"), "json"), { numStartups: 1, mcpServers: {}, last: [2] });
  assert.equal(read(person, "home/.claude/settings.json"), byHand('"Bash(ls)"'));
  assert.equal(read(person, "home/.gemini/policies/sallyport.toml"), "# mine\n");
  writeFileSync(join(person.home, ".claude.json"), "{ not JSON");
  const unreadable = await onTerminal(person, ["init", "--undo", "--yes", ...apps]);
  assert.equal(unreadable.code, 1);
  assert.match(unreadable.screen, /Cannot be changed/);
  assert.doesNotMatch(unreadable.screen, /paste by hand/, "an undo has nothing to paste");
});

test("--undo gives back the very bytes, and what init made alone is removed, directories too", { skip }, async (t) => {
  const files = {
    "home/.claude.json": '{ "mcpServers": {} }',
    "home/.gemini/settings.json": '{\n  "a": 1,\n}\n',
    "home/.config/opencode/opencode.json": "",
    "home/.codex/config.toml": "a = 1",
  };
  const person = newUser(t, { ...files, "home/.config/sallyport/config.yaml": "version: 1\n" });
  const apps = ["claude-code", "gemini-cli", "opencode", "codex", "cursor"].flatMap((id) => ["--agent-app", id]);
  const before = tree(person);
  assert.equal((await onTerminal(person, ["init", "--yes", ...apps])).code, 0);
  for (const name of Object.keys(files)) assert.match(read(person, name), /sallyport/);
  assert.ok(existsSync(join(person.project, ".cursor/mcp.json")));
  assert.equal((await onTerminal(person, ["init", "--undo", "--yes", ...apps])).code, 0);
  for (const [name, text] of Object.entries(files)) assert.equal(read(person, name), text, name);
  assert.deepEqual(tree(person), before);
  assert.equal(existsSync(join(person.project, ".cursor")), false, "a directory that was made for it");
});

test("--undo leaves an allowance that the person had written before init", { skip }, async (t) => {
  const theirs = '{ "permissions": { "allow": ["mcp__sallyport", "Bash(ls)"] } }\n';
  const person = newUser(t, {
    "home/.claude/settings.json": theirs,
    "home/.config/sallyport/config.yaml": "version: 1\n",
  });
  const init = async (...more: string[]) =>
    await onTerminal(person, ["init", "--yes", "--agent-app", "claude-code", ...more]);
  assert.equal((await init()).code, 0);
  const undone = await init("--undo");
  assert.equal(undone.code, 0, undone.screen);
  assert.match(undone.screen, /There, but not added by init; it stays as it is: ~\/\.claude\/settings\.json/);
  assert.equal(read(person, "home/.claude/settings.json"), theirs);
  assert.equal(existsSync(join(person.home, ".claude.json")), false, "the entry is taken out");
  // The control: init adds the item itself, a person changes the file, and it cannot be read for a while.
  const settings = join(person.home, ".claude/settings.json");
  writeFileSync(settings, '{ "permissions": { "allow": ["Bash(ls)"] } }\n');
  assert.equal((await init()).code, 0);
  const added = read(person, "home/.claude/settings.json");
  writeFileSync(settings, "{ not JSON");
  assert.equal((await init("--undo")).code, 1);
  writeFileSync(settings, added.replace("Bash(ls)", "Bash(cat)"));
  assert.equal((await init("--undo")).code, 0);
  assert.equal(read(person, "home/.claude/settings.json"), '{ "permissions": { "allow": ["Bash(cat)"] } }\n');
});

test("of a file that is one long line, what is added is seen whole before the question", { skip }, async (t) => {
  const projects = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [`/home/you/code/project-${at}`, { seen: at }]),
  );
  const person = newUser(t, {
    "home/.claude.json": JSON.stringify({ projects, mcpServers: { other: { command: "x" } } }),
  });
  const dialog = openDialog(t, person, ["init"], { rows: 60, columns: 160 });
  await dialog.until("Add it?");
  const added = plainText(dialog.output())
    .split("\n")
    .filter((line) => line.startsWith("  + "))
    .join("\n");
  assert.match(added, /"sallyport": ?\{[^]*"command": ?"sallyport",[^]*"args": ?\["mcp"\]/);
  await dialog.press("q");
});

test("an entry that is there stays, whatever it says", { skip }, async (t) => {
  const mine = '{ "mcpServers": { "sallyport": { "command": "mine" } } } // x\n';
  const person = newUser(t, {
    "home/.gemini/settings.json": mine,
    "home/.codex/config.toml": "[mcp_servers]\nsallyport.command = 'mine'\n",
    "home/.config/sallyport/config.yaml": "version: 1\n",
  });
  const { code, screen } = await onTerminal(person, ["init", "--yes"]);
  assert.equal(code, 0);
  assert.equal(plainText(screen).split("An entry sallyport is there already, written differently").length - 1, 2);
  assert.equal(read(person, "home/.gemini/settings.json"), mine);
  assert.equal(read(person, "home/.codex/config.toml"), "[mcp_servers]\nsallyport.command = 'mine'\n");
  assert.equal(read(person, "home/.config/sallyport/config.yaml"), "version: 1\n");
});

test("a file that cannot be read surely is left alone: the reason and what to paste, exit 1", { skip }, async (t) => {
  const broken = '{ "mcpServers": {\n';
  const person = newUser(t, {
    "home/.claude.json": broken,
    "home/.codex/config.toml": "mcp_servers = {}\n",
    "home/.config/sallyport/config.yaml": "version: 1\n",
  });
  mkdirSync(join(person.home, ".cursor"));
  mkdirSync(join(person.project, ".cursor/mcp.json"), { recursive: true });
  const { code, screen } = await onTerminal(person, ["init", "--yes"]);
  assert.equal(code, 1);
  const text = plainText(screen);
  assert.match(text, /Cannot be changed: ~\/\.claude\.json: it is not JSON: line 2, column 1: /);
  assert.match(text, /Cannot be changed: ~\/\.codex\/config\.toml: mcp_servers is not written as tables/);
  assert.match(text, /\.cursor\/mcp\.json, of this project: it is not a regular file/);
  assert.match(text, /To paste by hand:\n {4}\[mcp_servers\.sallyport\]\n {4}command = "sallyport"\n/);
  assert.equal(read(person, "home/.claude.json"), broken);
  assert.equal(read(person, "home/.codex/config.toml"), "mcp_servers = {}\n");
});

test(
  "a link is followed to its file, which the plan names; hostile names and texts are shown, not obeyed",
  { skip },
  async (t) => {
    const person = newUser(t, {
      "home/dot\u001b[2Jfiles/settings.json": '{\n  "a": "\u009b2J\u202e"\n}\n',
      "home/.config/sallyport/config.yaml": "version: 1\n",
    });
    mkdirSync(join(person.home, ".gemini"));
    symlinkSync("../dot\u001b[2Jfiles/settings.json", join(person.home, ".gemini/settings.json"));
    const { code, screen } = await onTerminal(person, ["init", "--yes"]);
    assert.equal(code, 0);
    assert.match(screen, /a link: it is really ~\/dot\\x1b\[2Jfiles\/settings\.json/);
    for (const text of ["\u001b[2J", "\u009b", "\u202e"]) assert.equal(screen.includes(text), false);
    assert.equal(lstatSync(join(person.home, ".gemini/settings.json")).isSymbolicLink(), true);
    assert.match(read(person, "home/dot\u001b[2Jfiles/settings.json"), /"sallyport"/);
  },
);

test("the project's files, and the newer form of opencode where it is in use", { skip }, async (t) => {
  const person = newUser(t, {
    "project/opencode.jsonc": '{\n  "mcp": {\n    "servers": {}, // version 2\n  },\n}\n',
    "home/.config/sallyport/config.yaml": "version: 1\n",
  });
  const args = [
    "init",
    "--yes",
    "--project",
    "--agent-app",
    "opencode",
    "--agent-app",
    "claude-code",
    "--agent-app",
    "vscode",
  ];
  const { code, screen } = await onTerminal(person, args);
  assert.equal(code, 0, screen);
  assert.deepEqual(parsed(read(person, "project/opencode.jsonc"), "json"), {
    mcp: { servers: { sallyport: { type: "local", command: ["sallyport", "mcp"] } } },
  });
  assert.ok(read(person, "project/.mcp.json").includes("sallyport"));
  assert.ok(read(person, "project/.vscode/mcp.json").includes("${workspaceFolder}"));
  assert.deepEqual(
    tree(person).filter((name) => name.startsWith("home")),
    ["home/.config/sallyport/config.yaml", "home/.config/sallyport/init.json"],
  );
  const none = await onTerminal(person, ["init", "--yes", "--project", "--agent-app", "windsurf"]);
  assert.equal(none.code, 1);
  assert.match(plainText(none.screen), /Windsurf has no file of a project/);
});

test("leaving with q, Ctrl-C or a no to all changes nothing; the terminal is as it was", { skip }, async (t) => {
  const person = newUser(t, { "home/.codex/config.toml": "", "home/.gemini/settings.json": "{}" });
  for (const keys of [["q"], ["\u0003"], ["n", "n", "n"]]) {
    const before = tree(person);
    const dialog = openDialog(t, person, ["init"], { shell: '"$0" "$@"; code=$?; stty -a; exit $code' });
    await dialog.until("Add it?");
    for (const key of keys) await dialog.press(key);
    assert.equal(await dialog.ended, 0);
    assert.match(plainText(dialog.output()), /\sicanon\b[\s\S]*\secho\b/);
    assert.deepEqual(tree(person), before);
    assert.equal(read(person, "home/.codex/config.toml"), "");
    assert.equal(read(person, "home/.gemini/settings.json"), "{}");
  }
});

test("without a terminal nothing is written, with --yes neither; what was piped in is no answer", (t) => {
  const person = newUser(t, { "home/.codex/config.toml": "" });
  for (const args of [["init"], ["init", "--yes"], ["init", "--undo", "--yes"]]) {
    const { code, err } = person.run(args, { input: "y\ny\n" });
    assert.equal(code, 2);
    assert.match(err, /it needs a terminal.*only a person changes an agent's configuration\nhint: .*--print/);
  }
  assert.equal(read(person, "home/.codex/config.toml"), "");
  assert.equal(existsSync(person.configFile), false);
});

test("--print for one agent is the snippet alone; for all, each with its file; nothing is made", (t) => {
  const person = newUser(t);
  const one = person.run(["init", "--print", "codex"]);
  assert.deepEqual(
    [one.code, one.out],
    [0, '[mcp_servers.sallyport]\ncommand = "sallyport"\nargs = ["mcp"]\ndefault_tools_approval_mode = "approve"\n'],
  );
  assert.equal(one.err, "Codex (codex): ~/.codex/config.toml\n");
  const { out, err } = person.run(["init", "--print", "claude-code"]);
  assert.deepEqual(Object.keys(JSON.parse(out) as object), ["mcpServers"]);
  assert.match(err, /^And in ~\/\.claude\/settings\.json:\n\{\n {2}"permissions": /m);
  const all = person.run(["init", "--print"]).out;
  for (const { name, id } of agentApps) assert.ok(all.includes(`# ${name} (${id}): `));
  assert.equal(person.run(["init", "--print", "config"]).out, starterConfig);
  assert.deepEqual(tree(person), []);
  const wrong = person.run(["init", "--print", "codx"]);
  assert.deepEqual([wrong.code, wrong.err.includes("Did you mean codex?")], [2, true]);
  assert.equal(person.run(["init", "--agent-app", "emacs", "--json"]).code, 2);
  assert.equal(person.run(["init", "--print", "--yes"]).code, 2);
  assert.equal(person.run(["init", "--print", "windsurf", "--project"]).code, 2);
});

test("--json says what would be done, and shows nothing of the files", (t) => {
  const person = newUser(t, {
    "home/.claude.json": '{ "mcpServers": { "x": { "env": { "TOKEN": "s3cret" } } } }',
    "home/.codex/config.toml": "[mcp_servers.sallyport]\n",
    "home/.gemini/settings.json": "{ s3cret",
  });
  const { code, out } = person.run(["init", "--json"]);
  assert.equal(code, 0);
  assert.equal(out.includes("s3cret"), false);
  const report = JSON.parse(out) as { agents: Record<string, unknown>[]; config: Record<string, unknown> };
  assert.deepEqual(
    report.agents.map(({ id, state, scope }) => [id, state, scope]),
    [
      ["claude-code", "add", "user"],
      ["codex", "present", "user"],
      ["gemini-cli", "impossible", "user"],
    ],
  );
  assert.deepEqual(report.agents[0]?.["command"], ["sallyport", "mcp"]);
  assert.deepEqual(report.config, { file: person.configFile, state: "add" });
  assert.equal(existsSync(person.configFile), false);
});

test("agents are found by their program as well, and where they are told to keep their files", (t) => {
  const person = newUser(t);
  const none = JSON.parse(person.run(["init", "--json"]).out) as { agents: unknown[] };
  assert.deepEqual(none.agents, []);
  writeFileSync(join(person.root, "bin/claude"), "#!/bin/sh\n", { mode: 0o755 });
  const env = { CLAUDE_CONFIG_DIR: join(person.root, "claude"), CODEX_HOME: join(person.root, "codex") };
  mkdirSync(env.CODEX_HOME);
  const { agents } = JSON.parse(person.run(["init", "--json"], { env }).out) as {
    agents: { id: string; found: string; file: string }[];
  };
  assert.deepEqual(
    agents.map(({ id, found, file }) => [id, found, file.slice(person.root.length)]),
    [
      ["claude-code", "`claude` is on the PATH", "/claude/.claude.json"],
      ["codex", `${env.CODEX_HOME} is there`, "/codex/config.toml"],
    ],
  );
});
