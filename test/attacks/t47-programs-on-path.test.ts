// T47: the person's directories of programs are on PATH of the box. An agent tries to put a program of its own there, to have a
// known name mean another program than the one that was judged, and to go round a rule about a program by its second installation.

import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { newToolPerson, systemPath } from "../fixtures/toolchains.ts";

const planted = "echo planted";

test("a directory that the agent can write has no known programs: neither for Shell nor for Bash", (t) => {
  const person = newToolPerson(t);
  const bin = join(person.program("tools/bin/ls", planted), "..");
  const path = [bin, ...systemPath];
  for (const line of [`{ path: ${bin}, mode: rw }`, `{ path: ${person.at("tools")}, mode: rw }`]) {
    person.grant([line]);
    assert.doesNotMatch(person.shell("ls /usr", path).stdout, /planted/);
    assert.doesNotMatch(person.bash("ls /usr", path).stdout, /planted/);
  }
  person.grant([`{ path: ${person.at("tools")}, mode: rw }`, `{ path: ${bin}, mode: r }`]);
  assert.doesNotMatch(person.shell("ls /usr", path).stdout, /planted/, "r inside rw: the directory above can be moved");
  person.grant([`{ path: ${bin}, mode: r }`]);
  assert.equal(person.shell("ls /usr", path).stdout, "planted\n", "control: read-only, it is the person's own ls");
  assert.equal(person.bash("ls /usr", path).stdout, "planted\n", "control");
});

test("a directory workspace has no known programs", (t) => {
  const person = newToolPerson(t);
  const work = person.at("work");
  const bin = join(person.program("work/bin/ls", planted), "..");
  person.grant([], { workspace: { kind: "directory", path: work } });
  assert.doesNotMatch(person.shell("ls /usr", [bin, ...systemPath]).stdout, /planted/);
  person.grant([`{ path: ${work}, mode: r }`]);
  assert.equal(person.shell("ls /usr", [bin, ...systemPath]).stdout, "planted\n", "control");
});

test("a link from a directory of PATH to a file that the agent can change is no known program", (t) => {
  const person = newToolPerson(t);
  person.program("changed/ls", planted);
  mkdirSync(person.at("bin"));
  symlinkSync("../changed/ls", person.at("bin/ls"));
  const path = [person.at("bin"), ...systemPath];
  const grants = (mode: string) => [
    `{ path: ${person.at("bin")}, mode: r }`,
    `{ path: ${person.at("changed")}, mode: ${mode} }`,
  ];
  person.grant(grants("rw"));
  const refused = person.shell("ls /usr", path);
  assert.deepEqual(
    [refused.error, /which the agent can change/.test(refused.message ?? "")],
    ["permission_denied", true],
  );
  person.grant(grants("r"));
  assert.equal(person.shell("ls /usr", path).stdout, "planted\n", "control");
  person.grant(grants("r").slice(0, 1));
  assert.doesNotMatch(person.shell("ls /usr", path).stdout, /planted/, "the box does not show where the link leads");
});

test("what a call asks to write is not on its PATH", (t) => {
  const person = newToolPerson(t);
  const bin = join(person.program("tools/bin/greet"), "..");
  person.grant([`{ path: ${bin}, mode: r }`], { policy: { rules: [{ decide: "allow", effect: "write", path: bin }] } });
  const script = `echo "$PATH"; echo x > ${bin}/new && echo written`;
  const done = person.bash(script, [bin, ...systemPath], { needs: { write: [bin] } });
  assert.equal(done.stdout, `${systemPath.join(":")}\nwritten\n`);
  assert.equal(
    person.bash('echo "$PATH"', [bin, ...systemPath]).stdout,
    `${[bin, ...systemPath].join(":")}\n`,
    "control",
  );
});

const forms = [
  (tool: string) => `${tool} x`,
  (tool: string) => `env ${tool} x`,
  (tool: string) => `t=${tool}; $t x`,
  (_: string, path: string) => `${path} x`,
  (_: string, path: string) => `cp ${path} /tmp/c && /tmp/c x`,
  (_: string, path: string) => `python3 -c 'import subprocess; subprocess.run(["${path}"])'`,
];

test("a rule that denies a program holds for every installation of it, on PATH or not", (t) => {
  const person = newToolPerson(t);
  const inUse = person.program(".nvm/versions/node/v2.0.0/bin/deploy", planted);
  const older = person.program(".nvm/versions/node/v1.0.0/bin/deploy", planted);
  const path = [join(inUse, ".."), ...systemPath];
  const grants = [`{ path: ${person.at(".nvm")}, mode: r }`];
  const rules = [
    { decide: "deny", effect: "run", argv: ["deploy", "**"] },
    { decide: "deny", effect: "run", program: "deploy" },
    { decide: "deny", effect: "run", program: `${person.at(".nvm")}/versions/**` },
  ];
  for (const file of [inUse, older])
    for (const form of forms) {
      const script = form("deploy", file);
      for (const rule of rules) {
        person.grant(grants, { policy: { rules: [rule] } });
        const reply = person.call("Bash", { script }, path);
        assert.ok(!reply.ok || !reply.result.stdout.includes("planted"), `${JSON.stringify(rule)}: ${script}`);
      }
      person.grant(grants);
      assert.equal(person.bash(script, path).stdout, "planted\n", `control: ${script}`);
    }
});

test("a rule about words is asked about the program of the person's PATH as well", (t) => {
  const person = newToolPerson(t);
  const bin = join(person.program(".nvm/versions/node/v2.0.0/bin/deploy", planted), "..");
  const grants = [`{ path: ${bin}, mode: r }`];
  const rule = (program: string) => ({
    policy: { rules: [{ decide: "deny", effect: "run", program, argv: ["*", "now", "**"] }] },
  });
  for (const program of ["deploy", `${bin}/*`, "/**/v2.0.0/bin/deploy"]) {
    person.grant(grants, rule(program));
    assert.equal(person.call("Bash", { script: "deploy now" }, [bin, ...systemPath]).ok, false, program);
    assert.equal(person.bash("deploy later", [bin, ...systemPath]).stdout, "planted\n", "control");
  }
});

test("a rule that allows a name of the system does not allow another file that the box would run instead", (t) => {
  const person = newToolPerson(t);
  const bin = join(person.program("tools/bin/ls", planted), "..");
  person.program(join(person.project, "bin/ls"), planted);
  const allowed = ["bash", "ls"].map((name) => ({ decide: "allow", effect: "run", argv: [name, "**"] }));
  const policy = { rules: allowed, otherwise: { run: "deny" } };
  person.grant([`{ path: ${bin}, mode: r }`, `{ path: ${person.project}, mode: r }`], { policy });
  const call = (path: readonly string[], more = {}) => person.call("Bash", { script: "ls /usr", ...more }, path);
  assert.equal(call(systemPath).ok, true, "control");
  assert.equal(call([bin, ...systemPath]).ok, false, "the person's own ls comes first");
  const own = ["/workspace/bin", person.project, "bin", "", "/tmp"].map((first) => `${first}:/usr/bin`);
  for (const PATH of own) assert.equal(call(systemPath, { env: { PATH } }).ok, PATH.startsWith(person.project), PATH);
  assert.equal(call(systemPath, { env: { PATH: "/usr/bin:/bin" } }).ok, true, "control: only fixed directories");
});

test("what is judged is what runs: the same file for the reader, for Shell and for the box", (t) => {
  const person = newToolPerson(t);
  const bins = ["a", "b", "c"].map((name) => person.at(`${name}/bin`)) as [string, string, string];
  const [hidden, dangling, last] = bins;
  for (const bin of bins) mkdirSync(bin, { recursive: true });
  copyFileSync(realpathSync("/usr/bin/true"), join(hidden, "wc"));
  person.program("elsewhere/wc", "echo elsewhere");
  symlinkSync(person.at("elsewhere/wc"), join(dangling, "wc"));
  person.program(join(last, "wc"), 'echo "$0"');
  person.grant([
    `{ path: ${hidden}, mode: r, hide: [wc] }`,
    `{ path: ${dangling}, mode: r }`,
    `{ path: ${last}, mode: r }`,
  ]);
  const path = [...bins, ...systemPath];
  assert.equal(person.bash("wc", path).stdout, `${last}/wc\n`);
  assert.equal(person.shell("type wc", path).stdout, `wc is ${last}/wc\n`);
  assert.equal(person.shell("wc", path).stdout, `${last}/wc\n`);
  const explained = person.run(["policy", "explain", "--json", "Bash", JSON.stringify({ script: "wc" })], {
    env: { PATH: path.join(":") },
  });
  assert.match(explained.out, new RegExp(`"program": ?"${last}/wc"`));
  person.grant(bins.map((bin) => `{ path: ${bin}, mode: r }`));
  assert.equal(person.shell("type wc", path).stdout, `wc is ${hidden}/wc\n`, "control: shown, the first one counts");
});
