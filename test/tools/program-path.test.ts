// PATH of a box, with real toolchains in a person's home: what is found, in which order, and what a grant must cover.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { installNode, newToolPerson, systemPath, type ToolPerson } from "../fixtures/toolchains.ts";

const system = systemPath.join(":");

/** What `doctor` proposes to add. */
function proposed(person: ToolPerson, path: readonly string[]): string[] {
  const { out } = person.run(["doctor"], { env: { PATH: path.join(":") } });
  return [...out.matchAll(/^ +- (\{ path: .*? \})/gm)].map((match) => match[1] as string);
}

test("node of nvm: without the grant the hint names it, with it Bash and Shell run it", (t) => {
  const person = newToolPerson(t);
  const prefix = person.at(".nvm/versions/node/v99.1.0");
  installNode(join(prefix, "bin/newnode"));
  person.program(join(prefix, "lib/node_modules/tool/cli.js"), "");
  symlinkSync("../lib/node_modules/tool/cli.js", join(prefix, "bin/tool-of-npm"));
  const path = [join(prefix, "bin"), ...systemPath];
  person.grant([]);
  const missing = person.bash("newnode --version", path);
  assert.equal(missing.exit_code, 127);
  assert.match(
    missing.hint ?? "",
    new RegExp(`lies at ${prefix}/bin/newnode.*\\{ path: "${prefix}", mode: r \\}.*init`),
  );
  person.grant([], { shell: { programs: ["newnode"] } });
  assert.match(person.shell("newnode --version", path).hint ?? "", new RegExp(`path: "${prefix}"`));
  const lines = proposed(person, path);
  assert.deepEqual(lines, [`{ path: ${prefix}, mode: r }`]);
  person.grant(lines, { shell: { programs: ["newnode"] } });
  assert.equal(person.bash("newnode --version; tool-of-npm", path).stdout, `${process.version}\n`);
  assert.equal(person.shell("newnode --version", path).stdout, `${process.version}\n`);
  assert.equal(person.shell("type newnode", path).stdout, `newnode is ${prefix}/bin/newnode\n`);
  assert.deepEqual(proposed(person, path), []);
});

test("a virtual environment: its python is a link to the installation of pyenv, which the grant covers", (t) => {
  const person = newToolPerson(t);
  const python = person.at(".pyenv/versions/3.99.1/bin/python3");
  mkdirSync(join(python, ".."), { recursive: true });
  copyFileSync(realpathSync("/usr/bin/python3"), python);
  chmodSync(python, 0o755);
  person.program(".pyenv/shims/python3", "exit 1");
  const venv = join(person.project, ".venv");
  assert.equal(spawnSync(python, ["-m", "venv", "--without-pip", venv]).status, 0);
  const grant = `{ path: "${person.project}", mode: r }`;
  person.grant([grant]);
  const lines = proposed(person, systemPath);
  assert.deepEqual(lines, [`{ path: ${person.at(".pyenv/versions/3.99.1")}, mode: r, hide: ["/pip.conf"] }`]);
  const script = `${venv}/bin/python -c "import sys; print(sys.prefix, sys.base_prefix != sys.prefix)"`;
  assert.notEqual(person.bash(script).exit_code, 0, "control: not without the grant");
  person.grant([grant, ...lines]);
  assert.equal(person.bash(script).stdout, `${venv} True\n`);
  // Active: its directory comes first on PATH, for Python too. The directory of shims stands for the version behind it.
  const print = { code: "import sys; print(sys.executable)" };
  const active = person.call("Python", print, [join(venv, "bin"), ...systemPath]);
  assert.equal(active.result.stdout, `${venv}/bin/python3\n`);
  const byShim = person.call("Python", print, [person.at(".pyenv/shims"), ...systemPath]);
  assert.equal(byShim.result.stdout, `${python}\n`);
  assert.equal(person.call("Python", print).result.stdout, "/usr/bin/python3\n", "control: it is not on PATH");
});

test("rustup: cargo is the one of the chosen toolchain, and programs that cargo installed are found", (t) => {
  const person = newToolPerson(t);
  person.program(".cargo/bin/rustup", "echo a shim does not work here; exit 1");
  symlinkSync("rustup", person.at(".cargo/bin/cargo"));
  person.program(".cargo/bin/rg-of-cargo");
  person.program(".cargo/credentials.toml", "secret");
  for (const name of ["beta-x", "stable-x"]) person.program(`.rustup/toolchains/${name}/bin/cargo`);
  person.program(".rustup/settings.toml", 'default_toolchain = "beta-x"');
  const path = [person.at(".cargo/bin"), ...systemPath];
  person.grant([]);
  const lines = proposed(person, path);
  assert.deepEqual(
    lines,
    [".rustup/toolchains", ".cargo/bin"].map((name) => `{ path: ${person.at(name)}, mode: r }`),
  );
  person.grant(lines);
  const { stdout } = person.bash(`cargo; rg-of-cargo; cat ${person.at(".cargo/credentials.toml")}`, path);
  assert.equal(stdout, `${person.at(".rustup/toolchains/beta-x/bin/cargo")}\n${person.at(".cargo/bin/rg-of-cargo")}\n`);
});

test("asdf, mise and volta: the chosen version behind the shims", (t) => {
  const person = newToolPerson(t);
  for (const root of [".asdf", ".local/share/mise"]) {
    person.program(`${root}/shims/tool-a`, "exit 1");
    for (const version of ["1.9.0", "1.10.0"]) person.program(`${root}/installs/tool-a/${version}/bin/tool-a`);
  }
  person.program(".volta/bin/tool-v", "exit 1");
  for (const version of ["1.0.0", "2.0.0"]) person.program(`.volta/tools/image/node/${version}/bin/tool-v`);
  person.program(".volta/tools/user/platform.json", '{"node": {"runtime": "1.0.0"}}');
  const granted = [".asdf/installs", ".local/share/mise/installs", ".volta/tools/image"];
  person.grant(granted.map((name) => `{ path: ${person.at(name)}, mode: r }`));
  const ran = (directory: string, name: string) =>
    person.bash(name, [person.at(directory), ...systemPath]).stdout.replace(`${person.home}/`, "");
  assert.equal(ran(".asdf/shims", "tool-a"), ".asdf/installs/tool-a/1.10.0/bin/tool-a\n", "the last version");
  person.program(".tool-versions", "tool-a 1.9.0");
  assert.equal(ran(".asdf/shims", "tool-a"), ".asdf/installs/tool-a/1.9.0/bin/tool-a\n");
  assert.equal(ran(".local/share/mise/shims", "tool-a"), ".local/share/mise/installs/tool-a/1.9.0/bin/tool-a\n");
  assert.equal(ran(".volta/bin", "tool-v"), ".volta/tools/image/node/1.0.0/bin/tool-v\n");
});

test("the order is the person's; without a grant the next one counts; the fixed directories come last, each once", (t) => {
  const person = newToolPerson(t);
  const [one, two] = ["one/bin", "two/bin"].map((name) => join(person.program(`${name}/greet`), "..")) as [
    string,
    string,
  ];
  const grants = [one, two].map((path) => `{ path: ${path}, mode: r }`);
  const greets = (path: readonly string[]) =>
    person.bash("greet; echo $PATH", [...path, "/usr/bin"]).stdout.split("\n");
  person.grant(grants);
  assert.deepEqual(greets([one, two]).slice(0, 2), [`${one}/greet`, `${one}:${two}:/usr/bin:/usr/local/bin:/bin`]);
  assert.deepEqual(greets([two, one, two]).slice(0, 2), [`${two}/greet`, `${two}:${one}:/usr/bin:/usr/local/bin:/bin`]);
  person.grant(grants.slice(1));
  assert.deepEqual(greets([one, two]).slice(0, 2), [`${two}/greet`, `${two}:/usr/bin:/usr/local/bin:/bin`]);
});

test("what is no place for programs is not on PATH: relative, empty, absent, a file, hidden, everybody's, npm's, writable", (t) => {
  const person = newToolPerson(t);
  const bin = (name: string) => join(person.program(`${name}/greet`), "..");
  const [good, hidden, open, writable, nested, npm] = ["g", "h/x", "o", "w", "w/n", "p/node_modules/.bin"].map(bin) as [
    string, string, string, string, string, string,
  ]; // prettier-ignore
  chmodSync(open, 0o777);
  const file = person.program("file");
  person.grant([
    ...[good, open, nested, npm, file].map((path) => `{ path: ${path}, mode: r }`),
    `{ path: ${person.at("h")}, mode: r, hide: [x] }`,
    `{ path: ${writable}, mode: rw }`,
  ]);
  const path = [
    "",
    "bin",
    ".",
    "/nowhere",
    file,
    hidden,
    open,
    writable,
    nested,
    npm,
    "/tmp",
    "/workspace",
    `${good}/../g`,
  ];
  assert.equal(person.bash("echo $PATH", path).stdout, `${good}:${system}\n`);
  assert.equal(person.bash("echo $PATH", [good], { needs: {} }).stdout, `${good}:${system}\n`);
});

test("Exec and Git keep the fixed PATH; the call's own env wins", (t) => {
  const person = newToolPerson(t);
  const one = join(person.program("one/bin/greet"), "..");
  person.grant([`{ path: ${one}, mode: r }`, `{ path: "${person.project}", mode: r }`]);
  const exec = person.call("Exec", { argv: ["/usr/bin/env"] }, [one, ...systemPath]).result.stdout;
  assert.match(exec, new RegExp(`^PATH=${system}$`, "m"));
  assert.doesNotMatch(exec, /RETR/i);
  assert.match(person.shell("env", [one, ...systemPath]).stdout, new RegExp(`^PATH=${one}:${system}$`, "m"));
  assert.equal(person.bash("echo $PATH", [one], { env: { PATH: "/usr/bin" } }).stdout, "/usr/bin\n");
});

test("without a network npm, pip and cargo do not try again, unless the call says so", (t) => {
  const person = newToolPerson(t);
  const script = 'echo "$npm_config_fetch_retries,$PIP_RETRIES,$CARGO_NET_RETRY"';
  person.grant([]);
  assert.equal(person.bash(script).stdout, "0,0,0\n");
  assert.equal(person.bash(script, systemPath, { env: { PIP_RETRIES: "7" } }).stdout, "0,7,0\n");
  assert.match(person.shell("env").stdout, /^CARGO_NET_RETRY=0$/m);
  const code = "import os; print(os.environ['PIP_RETRIES'])";
  assert.equal(person.call("Python", { code }).result.stdout, "0\n");
  const commands = { npm: "npm install left-pad", pip: "pip download x" };
  for (const [name, command] of Object.entries(commands).filter((entry) => existsSync(`/usr/bin/${entry[0]}`))) {
    const done = person.bash(command, systemPath, { timeout_s: 60 });
    assert.deepEqual([done.timed_out, done.exit_code === 0], [false, false], name);
    assert.match(done.hint ?? "", /There is no network in the box/, name);
  }
});

test("with the network nothing is set: the control", (t) => {
  const person = newToolPerson(t);
  person.grant(["{ path: /var/empty-for-tests, mode: r }\n    net_grants: ['*']"]);
  assert.equal(person.bash('echo "$npm_config_fetch_retries,$PIP_RETRIES,$CARGO_NET_RETRY"').stdout, ",,\n");
});
