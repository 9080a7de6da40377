// T04: a call's environment makes no program load code.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import test from "node:test";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { bare, bash, exec, hasCompiler, ran, refused } from "../fixtures/run.ts";

interface Loader {
  readonly name: string;
  readonly argv: readonly string[];
  /** The variable's value, given a file that says LOADED in the program's language. */
  readonly value: (file: string) => string;
  readonly file: string;
}

const loaders: readonly Loader[] = [
  { name: "BASH_ENV", argv: ["/bin/bash", "-c", "true"], value: (file) => file, file: "echo LOADED" },
  { name: "ENV", argv: ["/bin/sh", "-i", "-c", "true"], value: (file) => file, file: "echo LOADED" },
  { name: "BASH_FUNC_ls%%", argv: ["/bin/bash", "-c", "ls"], value: () => "() { echo LOADED; }", file: "" },
  {
    name: "PERL5OPT",
    argv: ["/usr/bin/perl", "-e", "1"],
    value: (file) => `-Mlib=/tmp -Mstrict;do(q(${file}))`,
    file: 'print "LOADED"',
  },
  {
    name: "PERL5DB",
    argv: ["/usr/bin/perl", "-d", "-e", "1"],
    value: (file) => `BEGIN { do "${file}"; exit }`,
    file: 'print "LOADED"',
  },
  { name: "PYTHONSTARTUP", argv: ["/usr/bin/python3", "-i"], value: (file) => file, file: 'print("LOADED")' },
  {
    name: "NODE_OPTIONS",
    argv: [process.execPath, "-e", "0"],
    value: (file) => `--require=${file}`,
    file: 'console.log("LOADED")',
  },
  {
    name: "GIT_SSH_COMMAND",
    argv: ["/usr/bin/git", "ls-remote", "ssh://nobody@127.0.0.1/x"],
    value: () => "echo LOADED >&2; true",
    file: "",
  },
  { name: "GIT_PAGER", argv: ["/usr/bin/git", "-p", "help", "-a"], value: () => "echo LOADED >&2; true", file: "" },
  { name: "MAKEFILES", argv: ["/usr/bin/make", "-f", "/dev/null"], value: (file) => file, file: "$(info LOADED)" },
  {
    name: "ZIPOPT",
    argv: ["/usr/bin/zip"],
    value: (file) => `-q -T -TTecho\${IFS}LOADED;: ${file}.zip ${file}`,
    file: "x",
  },
];

for (const { name, argv, value, file } of loaders) {
  test(`${name} is refused`, { skip: !existsSync(argv[0] as string) && `there is no ${argv[0]}` }, async (t) => {
    const directories = makeTestDirectories();
    const gate = openGate(directories, {
      paths: [
        { path: "/usr", mode: "r" },
        { path: directories.root, mode: "r" },
        ...(argv[0] === process.execPath ? [{ path: process.execPath, mode: "r" as const }] : []),
      ],
    });
    t.after(() => (gate.close(), directories.remove()));
    writeFileSync(`${directories.root}/code`, file);
    const env = { [name]: value(`${directories.root}/code`) };

    // git pages only to a terminal
    const onTerminal = name === "GIT_PAGER" ? ["/usr/bin/script", "-qec", argv.join(" "), "/dev/null"] : argv;
    if (existsSync(onTerminal[0] as string)) {
      const control = bare(onTerminal, { env: { PATH: "/usr/bin:/bin", ...env } });
      assert.match(control.stdout + control.stderr, /LOADED/, "control: without us the program loads it");
    }
    const { error, message } = refused(await exec(gate, argv, { env }));
    assert.equal(error, "invalid_args");
    assert.ok(message.includes(name), message);
  });
}

test("a library that would be loaded first is not", { skip: !hasCompiler && "there is no /usr/bin/gcc" }, async (t) => {
  const directories = makeTestDirectories();
  const gate = openGate(directories);
  t.after(() => (gate.close(), directories.remove()));
  const library = `${directories.root}/first.so`;
  writeFileSync(
    `${directories.root}/first.c`,
    '#include <unistd.h>\n__attribute__((constructor)) static void first(void) { write(1, "LOADED\\n", 7); }',
  );
  assert.equal(bare(["/usr/bin/gcc", "-shared", "-fPIC", "-o", library, `${directories.root}/first.c`]).status, 0);
  assert.equal(bare(["/bin/true"], { env: { LD_PRELOAD: library } }).stdout, "LOADED\n", "control: without us it is");
  for (const name of ["LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "LD_ANYTHING", "GCONV_PATH", "GLIBC_TUNABLES"]) {
    assert.equal(refused(await exec(gate, ["/bin/true"], { env: { [name]: library } })).error, "invalid_args", name);
  }
  assert.equal(ran(await exec(gate, ["/bin/true"])).stdout, "");
  assert.match(
    (await bash(gate, `LD_PRELOAD=${library} /bin/true; echo`)).stdout,
    /LOADED/,
    "inside the box a program may do as it likes: the box holds it",
  );
});

test("names that are no names are refused, and __proto__ is a name like any other", async (t) => {
  const directories = makeTestDirectories();
  const gate = openGate(directories);
  t.after(() => (gate.close(), directories.remove()));
  for (const name of ["", "=", "A=B", "A B", "1A", "_X", "_", "A\nB", "é", "LD_PRELOAD\0", "%n"]) {
    assert.equal(
      refused(await exec(gate, ["/usr/bin/env"], { env: { [name]: "x" } })).error,
      "invalid_args",
      JSON.stringify(name),
    );
  }
  const env: unknown = JSON.parse('{"__proto__": {"LD_PRELOAD": "x"}}');
  assert.equal(refused(await exec(gate, ["/usr/bin/env"], { env })).error, "invalid_args");
  const control = spawnSync("/usr/bin/env", { env: Object.assign({}, env), encoding: "utf8" });
  assert.match(control.stdout, /LD_PRELOAD=x/, "control: node itself passes it on");
  const { stdout } = ran(await exec(gate, ["/usr/bin/env"], { env: { GREETING: "hello" } }));
  assert.deepEqual(
    stdout
      .trim()
      .split("\n")
      .map((line) => line.split("=")[0] ?? ""),
    ["GREETING", "HOME", "LANG", "LC_ALL", "PATH", "SHELL", "TERM", "USER"],
  );
});
