// A run in a draft that fails for a reason of the box gets one hint, which says what would help. Each is a real failure.
// Files of other owners have their own tests: draft-owners.test.ts. The bound of a draft: draft-bound.test.ts.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import test from "node:test";
import { makeProject, openDraft } from "../fixtures/draft-gate.ts";

const python = (text: string) => `/usr/bin/python3 - <<'END'\n${text}\nEND`;
const limits = { memory_mb: 128, fsize_mb: 2, nofile: 40, nproc: 30 };
const files = {
  ".gitignore": "dep/\n",
  "a.txt": "a\n",
  "dep/x": "x\n",
  "Cargo.toml": '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\nserde = "1"\n',
  "src/main.rs": "fn main() {}\n",
};

interface Ran {
  readonly exit_code: number | null;
  readonly timed_out: boolean;
  readonly hint?: string;
}

const failures: readonly (readonly [what: string, script: string, hint: RegExp])[] = [
  ["a command that is not there", "no-such-command-here --version", /no-such-command-here is not in the box.*doctor/],
  ["open files", python("f = [open('a.txt') for n in range(100)]"), /nofile is 40.*limits\.nofile/],
  ["memory", python("x = bytearray(900_000_000)"), /memory_mb is 128.*limits\.memory_mb/],
  ["the size of a file", "head -c 9000000 /dev/zero > dep/big; exit 1", /fsize_mb is 2.*limits\.fsize_mb/],
  ["processes", "for n in $(seq 60); do sleep 5 & done; exit 1", /nproc is 30.*limits\.nproc/],
  ["a read-only path", "touch /usr/x", /Only \/workspace, \/tmp and what is granted rw/],
  ["a directory of the project", python("import os\nos.rename('dep', 'dep2')"), /renamed.*in a draft.*Copy it/],
  ["another mount", python("import os\nos.mkdir('/tmp/d')\nos.rename('/tmp/d', 'd')"), /renamed from one mount/],
  ["a sandbox in the box", "unshare --user true", /in a box already/],
  ["bubblewrap in the box", "bwrap --ro-bind / / true", /in a box already/],
  [
    "no network",
    python("import socket\nsocket.create_connection(('192.0.2.1', 80), 3)"),
    /There is no network in the box/,
  ],
];

test("what a program in a draft could not do is said with what would help", async (t) => {
  const project = makeProject(t, files);
  const rules = [{ decide: "allow", effect: "privilege", argv: ["unshare", "--user", "true"] }];
  const gate = openDraft(t, project, { limits, more: { workspace: { kind: "draft" }, policy: { rules } } });
  for (const [what, script, hint] of failures) {
    const ran = (await gate.result("Bash", { script })) as unknown as Ran;
    assert.notEqual(ran.exit_code, 0, `${what}: ${JSON.stringify(ran)}`);
    assert.match(ran.hint ?? `no hint: ${JSON.stringify(ran)}`, hint, what);
  }
  const unlimited = openDraft(t, project, {}, { session: "s2" });
  const full = (await unlimited.result("Bash", { script: "head -c 300M /dev/zero > /tmp/big" })) as unknown as Ran;
  assert.match(full.hint ?? JSON.stringify(full), /\/tmp may have 256 MiB.*machine's disk/);
  const silent = (await gate.result("Bash", { script: "sleep 5", timeout_s: 1 })) as unknown as Ran;
  assert.equal(silent.timed_out, true);
  assert.match(silent.hint ?? "", /printed nothing.*input.*network.*timeout_s/);
  const fine = await gate.result("Bash", {
    script: "cat a.txt; mv dep dep2; cat dep2/x; echo 'Read-only file system'",
  });
  assert.deepEqual([fine["exit_code"], fine["hint"]], [0, undefined], "control: what works gets none");
});

/** Programs that would download something, where this machine has them: the command, and what has to be granted for it. */
function downloaders(): readonly (readonly [name: string, script: string | null, grant: string])[] {
  const prefix = spawnSync("python3", ["-c", "import pip, sys; print(sys.prefix)"], { encoding: "utf8" }).stdout.trim();
  const toolchains = join(homedir(), ".rustup/toolchains");
  const [toolchain] = existsSync(toolchains) ? readdirSync(toolchains) : [];
  const cargo = ["/usr/bin/cargo", join(toolchains, toolchain ?? "none", "bin/cargo")].find((path) => existsSync(path));
  return [
    ["npm", existsSync("/usr/bin/npm") ? "npm install left-pad" : null, "/usr"],
    ["pip", prefix === "" ? null : `${prefix}/bin/python3 -m pip download left-pad`, prefix],
    ["cargo", cargo === undefined ? null : `${cargo} fetch`, dirname(dirname(cargo ?? "/usr/bin/cargo"))],
  ];
}

for (const [name, script, grant] of downloaders())
  test(
    `${name} without a network: said with what would help`,
    { skip: script === null && `no ${name} here` },
    async (t) => {
      const project = makeProject(t, files);
      const gate = openDraft(t, project, { paths: grant === "/usr" ? [] : [{ path: grant, mode: "r" }] });
      const ran = (await gate.result("Bash", { script, timeout_s: 120 })) as unknown as Ran;
      assert.deepEqual([ran.timed_out, ran.exit_code === 0], [false, false], JSON.stringify(ran));
      assert.match(ran.hint ?? JSON.stringify(ran), /There is no network in the box.*"network": \["/);
    },
  );
