import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { exitCodeText } from "../../src/cli/exit-code.ts";
import { newCliUser, noTerminal, onTerminal } from "../fixtures/cli.ts";

const packageJson = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8")) as {
  version: string;
};

test("--version and --help say what they should on stdout, with 0", (t) => {
  const person = newCliUser(t);
  assert.deepEqual(person.run(["--version"]), { code: 0, out: `${packageJson.version}\n`, err: "" });
  const help = person.run(["--help"]);
  assert.deepEqual([help.code, help.err], [0, ""]);
  for (const word of ["call", "exec", "audit", "doctor", "demo", "completion", exitCodeText])
    assert.ok(help.out.includes(word), word);
});

test("the document about the command line has the same exit codes", () => {
  const document = readFileSync(join(import.meta.dirname, "../../docs/cli.md"), "utf8");
  const codes = [...exitCodeText.matchAll(/^ {2}(\d+(?:\+n)?) |\b(12[67]) {2}/gm)].map(
    (match) => match[1] ?? match[2] ?? "",
  );
  assert.ok(codes.length > 7);
  for (const code of codes) assert.match(document, new RegExp(`\\b${code.replace("+", "\\+")}\\b`), code);
});

test("every command has help with an example or its exit codes", (t) => {
  const person = newCliUser(t);
  for (const path of [
    "call",
    "exec",
    "audit",
    "audit list",
    "audit show",
    "audit verify",
    "audit export",
    "audit stats",
    "doctor",
    "demo",
    "completion",
  ]) {
    const done = person.run([...path.split(" "), "--help"]);
    assert.deepEqual([done.code, done.err], [0, ""], path);
    assert.match(done.out, new RegExp(`^Usage: sallyport ${path} `), path);
  }
});

test("wrong use ends with 2, says what was probably meant, and prints nothing on stdout", (t) => {
  const person = newCliUser(t);
  const cases: [string[], RegExp][] = [
    [["cal"], /unknown command 'cal'\nhint: Did you mean call\?/],
    [["call", "Exec", "--jsn"], /unknown option '--jsn'\nhint: Did you mean --json\?/],
    [["exec", "--tiemout", "1", "--", "ls"], /unknown option '--tiemout'\nhint: Did you mean --timeout\?/],
    [["audit", "lst"], /unknown command 'lst'\nhint: Did you mean list\?/],
    [["audit", "list", "--limit", "0"], /--limit: 0 is not a whole number/],
    [["audit", "list", "--since", "yesterday"], /--since: yesterday is not a time/],
    [["audit", "list", "--event", "nope"], /there is no event nope\nhint: There are tool\.call\.received/],
    [["completion", "fish"], /'fish' is invalid/],
    [["call"], /no tool is named/],
    [["exec"], /missing required argument/],
    [["exec", "--env", "A", "--", "ls"], /--env: A has no value/],
    [["exec", "--timeout", "soon", "--", "ls"], /--timeout: soon is not a number/],
    [["call", "Exec", "--session", ""], /--session: empty/],
    [["call", "Exec", "--agent", "nobody"], /there is no agent "nobody"/],
    [[], /Usage: sallyport/],
  ];
  for (const [args, expected] of cases) {
    const done = person.run(args);
    assert.deepEqual([done.code, done.out], [2, ""], args.join(" ") + done.err);
    assert.match(done.err, expected);
  }
});

test("what a person mistyped cannot act on the screen either", (t) => {
  const done = newCliUser(t).run(["\u001b[2Jcall"]);
  assert.equal(done.code, 2);
  assert.ok(!done.err.includes("\u001b"));
});

test("a configuration that is wrong stops call and exec with 2, its line, and nothing else", (t) => {
  const person = newCliUser(t, undefined, { hasState: false });
  writeFileSync(person.configFile, "version: 1\nagents:\n  default:\n    tool_grant: [Exec]\n");
  for (const args of [
    ["call", "Exec", '{"argv":["/bin/true"]}'],
    ["exec", "--", "/bin/true"],
  ]) {
    const done = person.run(args);
    assert.deepEqual([done.code, done.out], [2, ""]);
    assert.match(done.err, /config\.yaml:4:5: .*tool_grant/);
  }
  assert.equal(existsSync(person.state), false);
});

test("a record that others could write stops everything with 2 and the mending command", (t) => {
  const person = newCliUser(t, undefined, { hasState: false });
  spawnSync("mkdir", ["-m", "777", person.state]);
  const done = person.run(["call", "Exec", '{"argv":["/bin/true"]}']);
  assert.deepEqual([done.code, done.out], [2, ""]);
  assert.match(done.err, /can be written by others[\s\S]*hint: chmod 700/);
});

const opening = [
  ["call", "list_files", "{}"],
  ["exec"],
  ["mcp"],
  ["mcp", "--http", "0"],
  ["serve", "--port", "0"],
] as const;

for (const command of opening)
  test(`${command.join(" ")}: for an agent, in a workspace or a project that is not there it ends with 2, and writes nothing`, (t) => {
    const person = newCliUser(t, undefined, { hasState: false });
    const file = join(person.root, "file");
    writeFileSync(file, "");
    const last = command[0] === "exec" ? ["--", "/bin/true"] : [];
    for (const [flag, value, says] of [
      ["--agent", "nope", /there is no agent "nope" in .*config\.yaml\. The only one is default\./],
      ["--workspace", "/nowhere/at/all", /--workspace: there is no \/nowhere\/at\/all\. Name a directory/],
      ["--workspace", file, /--workspace: .*file is not a directory\. Name a directory/],
      ["--project", file, /--project: .*file is not a directory\. Name a directory/],
    ] as const) {
      const args = [...command, flag, value, ...last];
      const done = flag === "--agent" ? person.runProcess(args) : person.run(args);
      assert.deepEqual([done.code, done.out], [2, ""], done.err);
      assert.match(done.err, says);
    }
    assert.equal(existsSync(person.state), false);
  });

test("a place where nothing can be made ends with 2, whoever chose it", (t) => {
  const person = newCliUser(t, null);
  const rule = "{ decide: deny, effect: read, path: /srv }";
  for (const [args, env, says] of [
    [["call", "list_files", "{}", "--state", "/proc/x"], {}, /state directory \/proc\/x cannot be made/],
    [["serve", "--port", "0"], { SALLYPORT_STATE: "/proc/x/y" }, /state directory \/proc\/x\/y cannot be made/],
    [["call", "list_files", "{}"], { XDG_CONFIG_HOME: "/proc/x" }, /configuration directory .* cannot be made/],
    [["policy", "add", rule], { XDG_CONFIG_HOME: "/proc/x" }, /configuration directory .* cannot be made/],
    [["demo"], { TMPDIR: "/proc/x" }, /in \/proc\/x cannot be made: [^]*hint: .*TMPDIR/],
    [["call", "list_files", "{}", "--state", "/dev/null/x"], {}, /state directory \/dev\/null\/x cannot be made/],
  ] as const) {
    const done = person.run(args, { env });
    assert.deepEqual([done.code, done.out], [2, ""], `${args.join(" ")}: ${done.err}`);
    assert.match(done.err, says);
  }
});

test("--help loads neither the database nor the gate", () => {
  const loads = (args: string[]) => {
    const script = `const { main } = await import(${JSON.stringify(join(import.meta.dirname, "../../src/cli/main.ts"))});
      await main(${JSON.stringify(args)}); console.log("\\nLOADED " + process.moduleLoadList.some((name) => / sqlite$/.test(name)));`;
    const done = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
    return /LOADED (\w+)/.exec(done.stdout)?.[1];
  };
  assert.equal(loads(["--help"]), "false");
  assert.equal(loads(["call", "Exec", "--help"]), "true", "the control: the gate does load it");
});

test("colour only on a terminal, and none with NO_COLOR", { skip: noTerminal }, async (t) => {
  const person = newCliUser(t);
  const colour = /\p{Cc}\[\d/u;
  assert.match((await onTerminal(person, ["--help"])).screen, colour);
  assert.doesNotMatch((await onTerminal(person, ["--help"], { env: { NO_COLOR: "1" } })).screen, colour);
  assert.match((await onTerminal(person, ["cal"])).screen, colour);
  assert.doesNotMatch(person.run(["--help"]).out + person.run(["cal"]).err, colour);
});

test("completion is made of the commands that are there", (t) => {
  const person = newCliUser(t);
  for (const shell of ["bash", "zsh"]) {
    const done = person.run(["completion", shell]);
    assert.deepEqual([done.code, done.err], [0, ""]);
    for (const word of ["doctor", "--dry-run", "verify", "Exec"])
      assert.ok(done.out.includes(word), `${shell}: ${word}`);
  }
  const ask = `${person.run(["completion", "bash"]).out}\nCOMP_WORDS=(sallyport audit ""); COMP_CWORD=2; _sallyport; echo "\${COMPREPLY[@]}"`;
  assert.equal(
    spawnSync("bash", ["--norc", "-c", ask], { encoding: "utf8" }).stdout,
    "list show verify export stats\n",
  );
});
