// The effects of command lines. The examples of the rules in the program table are read here. The rest is
// what such an example cannot say: several effects at once, unknown words, wrappers in wrappers.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "../fixtures/fast-check.ts";
import type { Word } from "../../src/action/effect.ts";
import { programs } from "../../src/command/programs/table.ts";
import { commandEffects } from "../../src/command/script/script.ts";
import { plainCommand } from "../../src/policy/plain-command.ts";
import { effectExamples, startExamples } from "./examples/all-examples.ts";
import { commandLines, context, reading, short } from "./reading.ts";
import { runs } from "../fixtures/runs.ts";

for (const { program, examples } of effectExamples) {
  const { kind } = examples;
  test(`${program} and ${kind}: the examples of the rule hold`, () => {
    assert.ok(examples.is.length > 0 && examples.isNot.length > 0);
    for (const script of examples.is) {
      const found = reading(script).effects.filter((effect) => effect.kind === kind);
      assert.ok(found.length > 0, `${script} has no ${kind}`);
    }
    for (const script of examples.isNot) {
      const found = reading(script).effects.filter((effect) => effect.kind === kind);
      assert.deepEqual(found, [], script);
    }
    assert.equal(examples.hosts !== undefined, kind === "network");
    if (examples.hosts === undefined) return;
    assert.deepEqual(
      examples.is.map((script) =>
        reading(script).effects.flatMap((effect) => (effect.kind === "network" ? [effect.host] : [])),
      ),
      examples.hosts.map((hosts) => hosts.split(" ")),
    );
  });
}

test("every program is described once", () => {
  const names = programs.flatMap((entry) => [...entry.names, ...entry.aliases]);
  assert.ok(names.length > 500);
  assert.deepEqual(
    names.filter((name, at) => names.indexOf(name) !== at),
    [],
  );
});

test("every program says something", () => {
  for (const { names, shell, effects, starts, copies } of programs)
    assert.ok(shell !== null || effects.length > 0 || starts !== null || copies !== null, names.join());
});

for (const { program, examples } of startExamples) {
  test(`${program}: the commands that it starts are found`, () => {
    for (const [script, ...started] of examples) {
      const lines = commandLines(script);
      for (const expected of started)
        assert.ok(lines.includes(expected), `${script}: ${expected} is not in ${lines.join(" | ")}`);
      if (started.length === 0) assert.equal(lines.length, 1, `${script}: ${lines.join(" | ")}`);
    }
  });
}

const lines: [argv: Word[], effects: string[]][] = [
  [["ls", "-la"], ["run ls -la"]],
  [
    [null, "x"],
    ["run … x", "run …"],
  ],
  [
    [null, "rm", "-rf", "/"],
    ["run … rm -rf /", "run …", "destroy files rm -rf /"],
  ],
  [["git", null], ["run git …"]],
  [
    ["env", "A=b", "git", "push"],
    ["run env A=b git push", "run git push", "push * ? command", "network *"],
  ],
  [
    ["git", "-C", "/r", "push", "-f", "../bare", "+a:b", "c"],
    [
      "run git -C /r push -f ../bare +a:b c",
      "push /bare b command",
      "push /bare c command",
      "destroy git git -C /r push -f ../bare +a:b c",
    ],
  ],
  [
    ["git", "push", "origin", "HEAD:refs/heads/x"],
    ["run git push origin HEAD:refs/heads/x", "push origin x command", "network *"],
  ],
  [
    ["git", "push", "https://u@h.invalid/r", "HEAD"],
    ["run git push https://u@h.invalid/r HEAD", "push https://u@h.invalid/r ? command", "network h.invalid:443"],
  ],
  [
    ["sudo", "rm", "-rf", "/"],
    ["run sudo rm -rf /", "privilege sudo rm -rf /", "run rm -rf /", "destroy files rm -rf /"],
  ],
  [
    ["xargs", "rm", "-rf"],
    ["run xargs rm -rf", "run rm -rf …"],
  ],
  [
    ["bash", "-c", "cd / && rm -rf ./*"],
    ["run bash -c cd / && rm -rf ./*", "run rm -rf …", "destroy files rm -rf …"].toSpliced(1, 0, "run cd /"),
  ],
  [
    ["env", "-C", "/", "rm", "-rf", "."],
    ["run env -C / rm -rf .", "run rm -rf .", "destroy files rm -rf ."],
  ],
  [
    ["sh", "-c", null],
    ["run sh -c …", "run …"],
  ],
  [
    ["rm", "-rf", "/*"],
    ["run rm -rf /*", "destroy files rm -rf /*"],
  ],
  [[], []],
];
for (const [argv, effects] of lines) {
  test(`effects of ${JSON.stringify(argv)}`, () => {
    assert.deepEqual(commandEffects(argv, context).map(short), effects);
  });
}

test("the program is its real path, the name where there is none, null where nobody knows", () => {
  const programs = (argv: Word[]) =>
    commandEffects(argv, context).flatMap((effect) => (effect.kind === "run" ? [effect.program] : []));
  assert.deepEqual(programs(["timeout", "5", "nosuch-x"]), ["/usr/bin/timeout", "nosuch-x"]);
  assert.deepEqual(programs(["./a"]), ["./a"]);
  assert.deepEqual(programs([null]), [null, null].slice(0, programs([null]).length));
  assert.deepEqual(
    new Set(reading("PATH=x; ls").effects.flatMap((effect) => (effect.kind === "run" ? [effect.program] : []))),
    new Set(["ls"]),
  );
});

test("a plain command has no directory and none of git's own options", () => {
  assert.deepEqual(plainCommand(["/usr/bin/git", "-C", "x", "push", "-f"]), ["git", "push", "-f"]);
});

const words = fc.constantFrom(
  ..."rm -rf / . .. ~ git push -f -C x reset --hard env -S A=b timeout 5 -k nice xargs -I{} {} find -exec ; + sh -c sudo -u curl http://x - -- -x --".split(
    " ",
  ),
);
test("any words at all are read, and reading adds a run first", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(words, fc.constant(null), fc.string()), { maxLength: 12 }), (argv) => {
      const [first] = commandEffects(argv, context);
      assert.equal(first?.kind, argv.length === 0 ? undefined : "run");
    }),
    { numRuns: runs(3000) },
  );
});
