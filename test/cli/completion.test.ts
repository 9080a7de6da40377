import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { type CommandDescription, completionScript } from "../../src/cli/completion.ts";

const shared = [
  { name: "--config", takes: "file" },
  { name: "--project", takes: "directory" },
  { name: "--json" },
] as const;

const commands: CommandDescription[] = [
  { name: "call", summary: "one call: one reply", flags: shared, words: ["Exec", "Git"] },
  { name: "exec", flags: shared },
  {
    name: "audit",
    flags: [{ name: "--json" }],
    subcommands: [
      { name: "list", flags: [{ name: "--event", takes: ["tool.call.denied", "policy.changed"] }] },
      { name: "verify" },
    ],
  },
  { name: "completion", words: ["bash", "zsh"] },
];

const directory = mkdtempSync(join(tmpdir(), "sallyport-completion-"));
mkdirSync(join(directory, "inner place"));
writeFileSync(join(directory, "input.yaml"), "");
test.after(() => rmSync(directory, { recursive: true, force: true }));

/** What each shell offers for the last of these words. */
function bashOffers(words: readonly string[]): string[] {
  const program = `${completionScript("bash", commands)}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sallyport; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return linesOf("bash", ["--norc", "--noprofile", "-c", program, "bash", ...words]);
}

/** zsh's own completion system needs a terminal; the functions it would be called with are recorded instead. */
function zshOffers(words: readonly string[]): string[] {
  const program = `compdef() { :; }; compadd() { shift; print -l -- "$@"; }; _files() { print -l -- files "$@"; }
_describe() { print -l -- "\${(@P)2}"; }
${completionScript("zsh", commands)}
words=("$@"); CURRENT=$#; _sallyport`;
  return linesOf("zsh", ["-f", "-c", program, "zsh", ...words]);
}

function linesOf(command: string, args: string[]): string[] {
  const done = spawnSync(command, args, { cwd: directory, encoding: "utf8" });
  assert.equal(done.stderr, "");
  return done.stdout.split("\n").filter((line) => line !== "");
}

const hasZsh = spawnSync("zsh", ["--version"]).status === 0;

test("bash offers what may come next", () => {
  assert.deepEqual(bashOffers(["sallyport", ""]), ["call", "exec", "audit", "completion"]);
  assert.deepEqual(bashOffers(["sallyport", "c"]), ["call", "completion"]);
  assert.deepEqual(bashOffers(["sallyport", "call", ""]), ["Exec", "Git"]);
  assert.deepEqual(bashOffers(["sallyport", "call", "--"]), ["--config", "--project", "--json", "--help"]);
  assert.deepEqual(bashOffers(["sallyport", "audit", ""]), ["list", "verify"]);
  assert.deepEqual(bashOffers(["sallyport", "audit", "list", "--j"]), ["--json"]);
  assert.deepEqual(bashOffers(["sallyport", "audit", "--json", "list", "--e"]), ["--event"]);
});

test("bash offers the values of a flag, and a value is not taken for a command", () => {
  assert.deepEqual(bashOffers(["sallyport", "call", "--config", "in"]).sort(), ["inner place", "input.yaml"]);
  assert.deepEqual(bashOffers(["sallyport", "call", "--project", "in"]), ["inner place"]);
  assert.deepEqual(bashOffers(["sallyport", "call", "--project", "=", "in"]), ["inner place"]);
  assert.deepEqual(bashOffers(["sallyport", "audit", "list", "--event", "p"]), ["policy.changed"]);
  assert.deepEqual(bashOffers(["sallyport", "call", "--config", "audit", "E"]), ["Exec"]);
});

test("bash leaves what follows -- to the shell", () => {
  assert.deepEqual(bashOffers(["sallyport", "exec", "--", "c"]), []);
});

test("bash registers the function for the command", () => {
  const program = `${completionScript("bash", commands)}\ncomplete -p sallyport`;
  assert.deepEqual(linesOf("bash", ["--norc", "-c", program]), ["complete -F _sallyport sallyport"]);
});

test("zsh offers the same", { skip: hasZsh ? false : "zsh is not installed" }, () => {
  assert.deepEqual(zshOffers(["sallyport", ""]), ["call:one call one reply", "exec", "audit", "completion"]);
  assert.deepEqual(zshOffers(["sallyport", "call", "--"]), ["--config", "--project", "--json", "--help"]);
  assert.deepEqual(zshOffers(["sallyport", "audit", "list", "--event", ""]), ["tool.call.denied", "policy.changed"]);
  assert.deepEqual(zshOffers(["sallyport", "call", "--project", ""]), ["files", "-/"]);
  assert.deepEqual(zshOffers(["sallyport", "call", "--config", "audit", ""]), ["Exec", "Git"]);
});

test("zsh takes the script without a complaint", { skip: hasZsh ? false : "zsh is not installed" }, () => {
  const done = spawnSync("zsh", ["-n"], { input: completionScript("zsh", commands), encoding: "utf8" });
  assert.deepEqual([done.status, done.stderr], [0, ""]);
});

test("a description cannot bring in shell code", () => {
  for (const name of ["a b", "x;y", "$(id)", "it's", "`id`", ""]) {
    if (name !== "") assert.throws(() => completionScript("bash", [{ name }]), TypeError);
    assert.throws(() => completionScript("zsh", [{ name: "call", words: [name] }]), TypeError);
    assert.throws(
      () => completionScript("bash", [{ name: "call", flags: [{ name: "--x", takes: [name] }] }]),
      TypeError,
    );
  }
  assert.doesNotMatch(completionScript("zsh", [{ name: "call", summary: "a'; id; '$(id)" }]), /\$\(id\)|a'/);
});
