// `init` and the person's own programs: proposed on a terminal, listed by --json, added by --toolchains.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { addGrants } from "../../../src/config/add-grants.ts";
import { starterConfig } from "../../../src/config/starter.ts";
import { noTerminal } from "../../fixtures/cli.ts";
import { openDialog } from "../../fixtures/dialog.ts";
import { newToolPerson, systemPath, type ToolPerson } from "../../fixtures/toolchains.ts";

const skip = noTerminal;

function withTools(person: ToolPerson): string[] {
  person.program(".nvm/versions/node/v9.9.9/bin/node");
  person.program(".nvm/versions/node/v9.9.9/etc/npmrc", "//registry/:_authToken=secret-token");
  person.program(".local/bin/mine");
  person.program(".local/share/pipx/venvs/black/bin/black");
  writeFileSync(person.at(".local/share/pipx/venvs/black/pyvenv.cfg"), "");
  symlinkSync("../share/pipx/venvs/black/bin/black", person.at(".local/bin/black"));
  symlinkSync("/usr/bin/python3", person.at(".local/share/pipx/venvs/black/bin/python"));
  return [person.at(".nvm/versions/node/v9.9.9/bin"), person.at(".local/bin"), ...systemPath];
}

const grants = (person: ToolPerson) => [
  `{ path: ${person.at(".nvm/versions/node/v9.9.9")}, mode: r, hide: ["etc/npmrc"] }`,
  `{ path: ${person.at(".local/bin")}, mode: r }`,
  `{ path: ${person.at(".local/share/pipx/venvs")}, mode: r }`,
];
const script = "node; black; mine";

test("--toolchains, without a terminal: a starter configuration with the grants, with which the programs run", (t) => {
  const person = newToolPerson(t);
  const path = withTools(person);
  const env = { PATH: path.join(":") };
  const listed = JSON.parse(person.run(["init", "--json"], { env }).out) as { toolchains: { grant: string }[] };
  assert.deepEqual(
    listed.toolchains.map(({ grant }) => grant.slice(person.home.length + 1)),
    [".nvm/versions/node/v9.9.9", ".local/bin", ".local/share/pipx/venvs"],
  );
  assert.equal(existsSync(person.configFile), false, "--json changes nothing");
  assert.equal(person.bash("black", path).exit_code, 127, "control");
  const done = person.run(["init", "--toolchains"], { env });
  assert.deepEqual([done.code, done.err], [0, ""]);
  const text = readFileSync(person.configFile, "utf8");
  for (const line of grants(person)) assert.ok(text.includes(`      - ${line}\n`), line);
  const added = grants(person)
    .map((line) => `      - ${line}\n`)
    .join("");
  assert.equal(text.replace(added, ""), starterConfig, "the rest is the starter configuration");
  const result = person.bash(`${script}; cat ${person.at(".nvm/versions/node/v9.9.9/etc/npmrc")}`, path);
  assert.deepEqual(
    result.stdout.trim().split("\n"),
    [".nvm/versions/node/v9.9.9/bin/node", ".local/bin/black", ".local/bin/mine"].map(person.at),
  );
  assert.notEqual(result.exit_code, 0, "the token is hidden");
  const again = person.run(["init", "--toolchains"], { env });
  assert.deepEqual([again.code, readFileSync(person.configFile, "utf8")], [0, text]);
  assert.match(again.out, /granted already/);
});

test("a home, a directory above it and places of credentials are never proposed, whatever is on PATH", (t) => {
  const person = newToolPerson(t);
  for (const name of [".ssh/tool", ".config/x/bin/tool", "tool", ".cargo/tool", ".aws/bin/tool", ".docker/bin/tool"])
    person.program(name);
  person.program(join(person.root, "bin/tool"));
  mkdirSync(person.at("lib"));
  mkdirSync(join(person.root, "lib"));
  person.program("bin/tool");
  const places = [".ssh", ".config/x/bin", "", ".cargo", ".aws/bin", ".docker/bin", "bin"].map(person.at);
  const env = { PATH: [...places, join(person.root, "bin"), ...systemPath].join(":") };
  const { toolchains } = JSON.parse(person.run(["init", "--json"], { env }).out) as { toolchains: { grant: string }[] };
  assert.deepEqual(
    toolchains.map(({ grant }) => grant),
    [person.at("bin"), join(person.root, "bin")],
  );
});

test("a configuration that does not load, or cannot be extended, stays as it is", (t) => {
  const person = newToolPerson(t);
  const env = { PATH: withTools(person).join(":") };
  for (const text of ["version: 1\nagents: 7\n", "version: 1\nagents: { default: { fs_grants: &a [] } }\nx: 1\n"]) {
    writeFileSync(person.configFile, text);
    const done = person.run(["init", "--toolchains"], { env });
    assert.equal(done.code, 1, text);
    assert.match(done.out, /cannot be added/);
    assert.equal(readFileSync(person.configFile, "utf8"), text);
  }
  assert.equal(person.run(["init", "--toolchains", "--undo"], { env }).code, 2);
});

test("on a terminal they are one question, and a no leaves the file alone", { skip }, async (t) => {
  for (const key of ["y", "n"] as const) {
    const person = newToolPerson(t);
    const path = withTools(person);
    person.grant([]);
    const before = readFileSync(person.configFile, "utf8");
    const dialog = openDialog(t, { ...person, env: { ...person.env, PATH: path.join(":") } }, ["init"], { rows: 60 });
    await dialog.until("Add them?");
    assert.ok(dialog.output().includes(".local/share/pipx/venvs"));
    assert.equal(readFileSync(person.configFile, "utf8"), before, "not before the yes");
    await dialog.press(key);
    assert.equal(await dialog.ended, 0);
    const text = readFileSync(person.configFile, "utf8");
    const added = grants(person)
      .map((line) => `      - ${line}\n`)
      .join("");
    assert.equal(text, key === "y" ? `${before}${added}` : before);
  }
});

test("grants are added to lists of every form, and nothing else is changed", () => {
  const grant = { path: "/opt/a b", hide: ["/x"] };
  const block = '      - { path: "/opt/a b", mode: r, hide: ["/x"] }\n';
  const head = "version: 1\nagents:\n  default:\n";
  const cases: readonly (readonly [before: string, after: string | null])[] = [
    [`${head}    fs_grants:\n      - { path: /usr, mode: r } # why\n    limits: {}\n`, `${head}    fs_grants:\n      - { path: /usr, mode: r } # why\n${block}    limits: {}\n`],
    [`${head}    fs_grants:\n      - path: /usr\n        mode: r\n\nstore: sqlite\n`, `${head}    fs_grants:\n      - path: /usr\n        mode: r\n${block}\nstore: sqlite\n`],
    [`${head}    fs_grants:\n      - { path: /usr, mode: r }`, `${head}    fs_grants:\n      - { path: /usr, mode: r }\n${block}`],
    [`${head}    fs_grants: []\n`, `${head}    fs_grants: [{"path":"/opt/a b","mode":"r","hide":["/x"]}]\n`],
    ['{"agents":{"default":{"fs_grants":[{"path":"/usr","mode":"r"}\n]}}}', '{"agents":{"default":{"fs_grants":[{"path":"/usr","mode":"r"}, {"path":"/opt/a b","mode":"r","hide":["/x"]}\n]}}}'],
    [`${head}    limits: {}\n`, null],
    [`${head}    fs_grants: *x\n`, null],
  ]; // prettier-ignore
  for (const [before, after] of cases) {
    const added = addGrants(before, "default", [grant]);
    assert.equal(added.ok ? added.text : null, after, before);
  }
});
