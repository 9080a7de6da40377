import assert from "node:assert/strict";
import { once } from "node:events";
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import test from "node:test";
import { startNoticeServer } from "../../fixtures/notice-server.ts";
import { newCliUser, noTerminal, onTerminal, type CliUser } from "../../fixtures/cli.ts";

interface Report {
  readonly ok: boolean;
  readonly node: string;
  readonly machine: {
    readonly hosts: unknown;
    readonly findings: readonly { readonly name: string; readonly held: string }[];
  };
  readonly sandbox: { readonly problem: unknown };
  readonly configuration: {
    readonly file: string | null;
    readonly agents: readonly {
      readonly fs_grants: readonly { readonly path: string; readonly mode: string; readonly exists: boolean }[];
      readonly suggestions: readonly { readonly program: string; readonly grant: string }[];
    }[];
  } | null;
  readonly configuration_error: string | null;
}

function reportOf(person: CliUser, env: Record<string, string> = {}): Report {
  return JSON.parse(person.run(["doctor", "--json"], { env }).out) as Report;
}

function writeProgram(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '#!/bin/sh\necho "this is $0"\n', { mode: 0o755 });
}

test("the report says what holds and what is granted, makes nothing, and ends with 0", (t) => {
  const person = newCliUser(t, ["{ path: ROOT/project, mode: rw }", "{ path: ROOT/gone, mode: r }"], {
    hasState: false,
  });
  const done = person.run(["doctor"]);
  assert.deepEqual([done.code, done.err], [0, ""]);
  for (const name of ["filesystem", "network", "processes", "memory", "cpu", "wall_clock", "environment", "syscalls"]) {
    assert.match(done.out, new RegExp(`^  ${name} +(?:kernel|runtime) `, "m"));
  }
  assert.match(done.out, /bubblewrap +\d/);
  assert.match(done.out, new RegExp(`file +${person.configFile}\n`));
  assert.match(done.out, new RegExp(`rw +${person.project}: changed directly, by your own exception\n`));
  assert.match(done.out, new RegExp(`r +${person.root}/gone: not there, so it grants nothing\n`));
  assert.match(done.out, /tools +Exec\n +no tools +read_file, .*Git, Shell, Bash, Python\n/);
  assert.match(done.out, /Calls can run here\./);
  assert.equal(existsSync(person.state), false);
  const report = reportOf(person);
  assert.deepEqual([report.ok, report.sandbox.problem, report.node], [true, null, process.version]);
  assert.deepEqual(
    report.configuration?.agents[0]?.fs_grants.map(({ mode, exists }) => [mode, exists]),
    [
      ["r", false],
      ["rw", true],
      ["r", true],
    ],
  );
});

test("it says whether programs can reach hosts here, and which are granted, with what they open", (t) => {
  const person = newCliUser(t);
  const text = readFileSync(person.configFile, "utf8");
  const withHosts = (hosts: string) => {
    writeFileSync(person.configFile, text.replace("fs_grants:", `net_grants: ${hosts}\n    fs_grants:`));
    return person.run(["doctor"]).out;
  };
  const out = withHosts('[npm, "a.example:8080", ask]');
  assert.match(out, /hosts +programs can reach single hosts/);
  assert.match(
    out,
    /network +npm: registry\.npmjs\.org:443; registry\.yarnpkg\.com:443 \(install packages of npm, .*?\), by your own exception\n/,
  );
  assert.match(out, / a\.example:8080, by your own exception\n/);
  assert.match(out, / any other host, after a question\n/);
  assert.match(withHosts('["*"]'), /network +the whole network of this machine, by your own exception\n/);
  assert.match(withHosts("[]"), /network +none\n/);
  assert.equal(reportOf(person).machine.hosts, null);
});

test("without a configuration it says where one would be read, and that Exec is opt-in", (t) => {
  const person = newCliUser(t, null);
  const { code, out } = person.run(["doctor"]);
  assert.equal(code, 0);
  assert.match(out, /built-in defaults/);
  assert.ok(out.includes(person.configFile));
  assert.match(out, /tools +read_file, .*Git, Shell, Bash, Python\n +no tools +Exec\n[\s\S]*Exec is opt-in/);
});

test("a configuration that does not load is shown, with the machine, and ends with 1", (t) => {
  const person = newCliUser(t);
  writeFileSync(person.configFile, "version: 1\nagent: {}\n");
  const done = person.run(["doctor"]);
  assert.equal(done.code, 1);
  assert.match(done.out, /filesystem +kernel/);
  assert.match(done.out, /config\.yaml:2:1: agent: /);
  const report = reportOf(person);
  assert.deepEqual([report.ok, report.configuration], [false, null]);
  assert.match(report.configuration_error ?? "", /agent/);
});

test("a workspace that is not there is not in order", (t) => {
  const person = newCliUser(t);
  const done = person.run(["doctor", "--workspace", join(person.root, "nowhere"), "--json"]);
  const report = JSON.parse(done.out) as Report;
  assert.deepEqual([done.code, report.ok, report.configuration], [1, false, null]);
  assert.match(report.configuration_error ?? "", /^--workspace: there is no .*nowhere\. Name a directory/);
  assert.equal(person.run(["doctor", "--workspace", person.project]).code, 0);
});

test("a state directory that others can write is told, with what mends it, and ends with 1", (t) => {
  const person = newCliUser(t);
  chmodSync(person.state, 0o777);
  const done = person.run(["doctor"]);
  assert.equal(done.code, 1);
  assert.match(done.out, /chmod 700 /);
});

test("programs of version managers are found, and the line that grants each of them works", (t) => {
  const person = newCliUser(t);
  const at = (path: string) => join(person.home, path);
  writeProgram(at(".nvm/versions/node/v22.1.0/bin/node"));
  writeProgram(at(".pyenv/shims/python3"));
  writeProgram(at(".pyenv/versions/3.9.1/bin/python3"));
  writeProgram(at(".pyenv/versions/3.12.4/bin/python3"));
  writeProgram(at(".cargo/bin/rustup"));
  symlinkSync("rustup", at(".cargo/bin/cargo"));
  writeProgram(at(".rustup/toolchains/stable-x/bin/cargo"));
  writeProgram(at(".local/bin/uv"));
  writeProgram(at(".deno/bin/deno"));
  const path = [".nvm/versions/node/v22.1.0/bin", ".pyenv/shims", ".cargo/bin", ".local/bin", ".deno/bin"]
    .map(at)
    .join(":");
  const env = { PATH: `${path}:/usr/bin:/bin` };
  const suggestions = reportOf(person, env).configuration?.agents[0]?.suggestions ?? [];
  const found = Object.fromEntries(
    suggestions.map(({ program, grant }) => [program, grant.replace(`${person.home}/`, "")]),
  );
  assert.deepEqual(found, {
    node: ".nvm/versions/node/v22.1.0",
    python3: ".pyenv/versions/3.12.4",
    uv: ".local/bin",
    cargo: ".rustup/toolchains",
    rustup: ".cargo/bin",
    deno: ".deno/bin",
  });
  const lines = [...person.run(["doctor"], { env }).out.matchAll(/^ +- (\{ path: .*? \})/gm)].map(
    (match) => match[1] ?? "",
  );
  assert.equal(lines.length, 6);
  const node = at(".nvm/versions/node/v22.1.0/bin/node");
  assert.equal(person.run(["exec", "--", node]).code, 126, "the control: without the grant it is refused");
  const granted = newPersonWith(person, lines);
  assert.deepEqual(granted.run(["exec", "--", node]), { code: 0, out: `this is ${node}\n`, err: "" });
  assert.deepEqual(reportOf(granted, env).configuration?.agents[0]?.suggestions, []);
});

function newPersonWith(person: CliUser, lines: readonly string[]): CliUser {
  const grants = ["{ path: /usr, mode: r }", ...lines].map((line) => `      - ${line}\n`).join("");
  writeFileSync(
    person.configFile,
    `version: 1\nagents:\n  default:\n    tool_grants: [Exec]\n    fs_grants:\n${grants}`,
  );
  return person;
}

test("--notify sends a trial by each way, and says what came of it", async (t) => {
  const person = newCliUser(t);
  const server = await startNoticeServer(t);
  const told = join(person.root, "told");
  appendFileSync(
    person.configFile,
    `notify:
  - { ntfy: "${server.url}/topic", name: my phone }
  - { webhook: "${server.url}/hook", secret_file: "${person.root}/secret" }
  - { command: [sh, -c, "cat >${told}"] }
  - { command: [no-such-program] }
`,
  );
  server.statuses.push(200, 404);
  writeFileSync(join(person.root, "secret"), "s3cret\n");
  const started = person.start(["doctor", "--notify"]);
  let out = "";
  started.stdout?.setEncoding("utf8").on("data", (text: string) => (out += text));
  const [code] = (await once(started, "close")) as [number | null];
  assert.deepEqual(
    [code, ...out.trimEnd().split("\n")],
    [
      1,
      "notify[3]: the program no-such-program is not on the PATH here, so this process does not use it.",
      "notify[0] (my phone): a trial was sent",
      "notify[1] (a webhook): it answered with status 404",
      "notify[2] (a command): a trial was sent",
    ],
  );
  assert.deepEqual(
    server.requests.map(({ path, headers }) => [path, headers["title"]]),
    [
      ["/topic", "Sallyport: This is a trial"],
      ["/hook", undefined],
    ],
  );
  assert.equal((JSON.parse(readFileSync(told, "utf8")) as { event: string }).event, "trial");
  assert.equal(newCliUser(t).run(["doctor", "--notify"]).out, "The configuration has no `notify`: nobody is told.\n");
});

test("on a narrow terminal nothing is lost: long lines are wrapped, in colour", { skip: noTerminal }, async (t) => {
  const person = newCliUser(t, null);
  const { code, screen } = await onTerminal(person, ["doctor"], { columns: 60 });
  assert.equal(code, 0);
  assert.ok(screen.includes("\u001b[32mkernel\u001b[0m"));
  assert.ok(screen.includes("unless the call says"));
  assert.doesNotMatch(screen, /…/);
});
