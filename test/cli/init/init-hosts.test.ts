// `init` and hosts: sets that the project calls for, each a question of its own on a terminal, with what it opens.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { parse } from "yaml";
import { addHosts } from "../../../src/config/add-grants.ts";
import { newCliUser, noTerminal, onTerminal } from "../../fixtures/cli.ts";
import { openDialog } from "../../fixtures/dialog.ts";
import { systemPath } from "../../fixtures/toolchains.ts";

const skip = noTerminal;
const env = { PATH: systemPath.join(":") };

const granted = (text: string): unknown =>
  (parse(text) as { agents: { default: { net_grants?: unknown } } }).agents.default.net_grants;

interface Listed {
  readonly hosts: readonly { readonly set: string; readonly because: string; readonly opens: string }[];
}

test("sets are listed by the files of the project, without those that are granted", (t) => {
  const person = newCliUser(t);
  const listed = () => (JSON.parse(person.run(["init", "--json"], { env }).out) as Listed).hosts;
  assert.deepEqual(listed(), []);
  for (const name of ["package.json", "setup.py", "Cargo.toml", "go.mod", "README.md"])
    writeFileSync(join(person.project, name), "");
  assert.deepEqual(
    listed().map(({ set, because }) => [set, because]),
    [
      ["npm", "package.json"],
      ["pypi", "setup.py"],
      ["crates", "Cargo.toml"],
      ["go", "go.mod"],
    ],
  );
  const before = readFileSync(person.configFile, "utf8");
  const withHosts = (hosts: string) =>
    writeFileSync(person.configFile, before.replace("fs_grants:", `net_grants: ${hosts}\n    fs_grants:`));
  withHosts('[npm, "**.crates.io:443", "pypi.org:443"]');
  assert.deepEqual(
    listed().map(({ set }) => set),
    ["pypi", "go"],
  );
  withHosts('["*"]');
  assert.deepEqual(listed(), []);
});

test("on a terminal each set is a question with what it opens; a yes grants that one", { skip }, async (t) => {
  const person = newCliUser(t);
  writeFileSync(join(person.project, "package.json"), "{}");
  writeFileSync(join(person.project, "go.mod"), "");
  const before = readFileSync(person.configFile, "utf8");
  const dialog = openDialog(t, { ...person, env: { ...person.env, ...env } }, ["init"], { rows: 60 });
  await dialog.until("Let programs reach them without a question?");
  for (const text of [
    "Hosts: npm",
    "package.json",
    "registry.npmjs.org:443",
    "publish them, with a token",
    'net_grants: ["npm"]',
  ])
    assert.ok(dialog.output().replace(/\s+/g, " ").includes(text), text); // lines are wrapped
  assert.ok(!dialog.output().includes("proxy.golang.org"), "one after the other");
  assert.equal(readFileSync(person.configFile, "utf8"), before, "not before the yes");
  await dialog.press("y");
  await dialog.until("proxy.golang.org:443");
  await dialog.until("public module");
  await dialog.press("n");
  assert.equal(await dialog.ended, 0);
  const text = readFileSync(person.configFile, "utf8");
  assert.deepEqual(granted(text), ["npm"]);
  assert.equal(text.replace('net_grants: ["npm"]\n    ', ""), before, "and nothing else is changed");
});

test("leaving ends the questions, and --yes grants no host", { skip }, async (t) => {
  const person = newCliUser(t);
  for (const name of ["package.json", "Cargo.toml"]) writeFileSync(join(person.project, name), "");
  const before = readFileSync(person.configFile, "utf8");
  const dialog = openDialog(t, { ...person, env: { ...person.env, ...env } }, ["init"], { rows: 60 });
  await dialog.until("Let programs reach them without a question?");
  await dialog.press("q");
  assert.equal(await dialog.ended, 0);
  assert.ok(!dialog.output().includes("crates.io"));
  const { code, screen } = await onTerminal({ ...person, env: { ...person.env, ...env } }, ["init", "--yes"]);
  assert.equal(code, 0);
  assert.match(screen, /--yes adds no hosts\. To grant them, write npm in the agent's net_grants/);
  assert.equal(readFileSync(person.configFile, "utf8"), before);
});

test("hosts are added to lists of every form, and nothing else is changed", () => {
  const head = "version: 1\nagents:\n  default:\n";
  const cases: readonly (readonly [before: string, after: string | null])[] = [
    [`${head}    net_grants: []\n`, `${head}    net_grants: ["go"]\n`],
    [`${head}    net_grants: [npm] # why\n`, `${head}    net_grants: [npm, "go"] # why\n`],
    [`${head}    net_grants:\n      - npm # why\n    limits: {}\n`, `${head}    net_grants:\n      - npm # why\n      - go\n    limits: {}\n`],
    [`${head}    net_grants:\n      - { host: a.org, open: true }`, `${head}    net_grants:\n      - { host: a.org, open: true }\n      - go\n`],
    [`${head}    # of mine\n    limits: {}\n`, `${head}    # of mine\n    net_grants: ["go"]\n    limits: {}\n`],
    ['{"agents":{"default":{"net_grants":["npm"]}}}', '{"agents":{"default":{"net_grants":["npm", "go"]}}}'],
    ['{"agents":{"default":{"limits":{}}}}', null],
    ["agents: { default: { limits: {} } }\n", null],
    [`${head}    net_grants: npm\n`, null],
    ["version: [\n", null],
  ]; // prettier-ignore
  for (const [before, after] of cases) {
    const added = addHosts(before, "default", ["go"]);
    assert.equal(added.ok ? added.text : null, after, before);
  }
});
