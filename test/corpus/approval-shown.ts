// What a person sees of text that an agent wrote: each case's text goes where such text goes, and comes back from there.

import { strict as assert } from "node:assert";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { displayText } from "../../src/shared/display.ts";
import { shown, withApprovalGate } from "./approval-bench.ts";
import type { CorpusCase } from "./cases.ts";
import type { World } from "./world.ts";

interface Rendered {
  readonly command?: string;
  readonly path?: string;
  readonly message?: string;
  readonly files?: readonly string[];
  readonly diff?: string;
  readonly call?: { readonly argv: readonly string[]; readonly env?: Record<string, string> };
}

type Check = (world: World, rendered: Rendered) => Promise<void>;

/** Cases that need more than their text shown and read back. */
const special: Readonly<Record<string, Check>> = {
  "appr-disp-long-command": tooLong,
  "appr-disp-diff-long-line": cutWithItsCount,
  "appr-disp-env-hidden": environmentShown,
  "appr-disp-argv-empty-arg": emptyWordShown,
  "appr-disp-size-lie": sizesAreNotTheAgents,
  "appr-disp-nonutf8-name": namesStayApart,
};

export async function checkShown({ id, expect }: CorpusCase, world: World, input: unknown): Promise<void> {
  const { render } = input as { render: Rendered };
  const check = special[id];
  if (check !== undefined) return check(world, render);
  const { command, path, message, diff, files } = render;
  if (command !== undefined) return commandShown(world, command);
  if (path !== undefined) return pathShown(world, path, expect === "allow");
  for (const text of files ?? []) textShown(text, false, expect === "allow");
  for (const text of [message, diff]) if (text !== undefined) textShown(text, true, expect === "allow");
}

const acts = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Cn}\p{Default_Ignorable_Code_Point}\u{2800}]/u;

/** Every code point of it, but for line feeds of ours. */
function assertInert(text: string): void {
  for (const character of text)
    assert.ok(
      character === "\n" || !acts.test(character),
      `U+${character.codePointAt(0)?.toString(16)} in ${JSON.stringify(text)}`,
    );
}

/** The text again, from what was shown. */
function readBack(text: string): string {
  return text
    .replaceAll("⇥", "\t")
    .replace(/␣×([\d,]+)/g, (_, count: string) => " ".repeat(Number(count.replaceAll(",", ""))))
    .replace(/\\(?:x([\da-f]{2})|u\{([\da-f]+)\}|([nrt]))/g, (_, byte?: string, code?: string, short?: string) =>
      short === undefined
        ? String.fromCodePoint(Number.parseInt(byte ?? code ?? "", 16))
        : ({ n: "\n", r: "\r", t: "\t" }[short] ?? ""),
    );
}

function textShown(text: string, multiline: boolean, isOrdinary: boolean): void {
  const display = displayText(text, { multiline });
  assertInert(display);
  assert.equal(readBack(display), text, "nothing is dropped");
  // Ours is the frame: a name is one line, whatever is in it.
  if (!multiline) assert.ok(!display.includes("\n"));
  if (isOrdinary) assert.equal(display.replaceAll("⇥", "\t"), text, "ordinary text is left alone");
}

/** The title, or the line below it if the title is cut: the command stands whole in one of them alone. */
function commandLine(text: string): string {
  const [title = "", ...lines] = text.split("\n");
  const [run, ...more] = lines.flatMap((line) => /^ {2}run {8}(.*)$/.exec(line)?.[1] ?? []);
  assert.equal(more.length, 0);
  return run ?? title.replace(/^Exec for \w+: /, "");
}

/** As a word of a real call that is asked about; a real shell reads the line back as the same words. */
async function commandShown(world: World, command: string): Promise<void> {
  const argv = ["/bin/echo", command];
  const { question } = await shown(world, { argv, cwd: world.out });
  const { question: plain } = await shown(world, { argv: ["/bin/echo", "plain"], cwd: world.out });
  assert.ok(question !== undefined && plain !== undefined);
  assertInert(question.text);
  const others = (text: string) => text.split("\n").filter((one) => !one.startsWith("  run  "));
  assert.equal(others(question.text).length, others(plain.text).length, "it is one line, whatever is in it");
  const line = commandLine(question.text);
  assert.doesNotMatch(line, / {33}/, "padding cannot push anything off the screen");
  const words = spawnSync("/bin/bash", ["-c", `printf '%s\\0' ${line}`], {
    encoding: "utf8",
    env: { LC_ALL: "C.UTF-8" },
  });
  assert.deepEqual(words.stdout.split("\0").slice(0, -1), argv);
}

/** As a directory that would be read. */
async function pathShown(world: World, name: string, isOrdinary: boolean): Promise<void> {
  const cwd = `${world.out}/${name}`;
  mkdirSync(cwd);
  const { question } = await shown(world, { argv: ["/bin/echo"], cwd });
  assert.ok(question !== undefined);
  assertInert(question.text);
  const at =
    question.text
      .split("\n")
      .find((line) => line.startsWith("  in  "))
      ?.slice("  in         ".length) ?? "";
  assert.equal(readBack(at), cwd);
  assert.ok(question.text.includes(`  read ${at}: no grant covers it`), question.text);
  if (isOrdinary) assert.equal(at, cwd);
}

/** It is no, and says so: never cut in the middle. */
async function tooLong(world: World, { command = "" }: Rendered): Promise<void> {
  const long = command.replace(" (expand to 20 kB)", "").replace(/A+/, "A".repeat(20_000));
  assert.ok(long.length > 20_000);
  const { question, reply } = await shown(world, { argv: ["/bin/echo", long], cwd: world.out });
  assert.equal(question, undefined, "nobody was asked");
  assert.ok(!reply.ok && reply.error === "fs_denied" && /too long to show to a person whole/.test(reply.hint ?? ""));
}

async function cutWithItsCount(_world: World, { diff = "" }: Rendered): Promise<void> {
  const long = diff.replace(" (expand to 1 MB)", "").replace(/x+/, "x".repeat(1_000_000));
  assert.ok(long.length > 1_000_000 && long.endsWith("EVIL"));
  const display = displayText(long, { multiline: true });
  assertInert(display);
  const [, kept = "", count = ""] = /^(.*)… ([\d,]+) more characters$/s.exec(display) ?? [];
  assert.equal(kept, long.slice(0, kept.length));
  assert.equal(kept.length + Number(count.replaceAll(",", "")), long.length, "what is cut is counted");
}

async function environmentShown(world: World, { call }: Rendered): Promise<void> {
  const args = { argv: call?.argv ?? [], cwd: world.out };
  // This one would start a program, so that it is not even asked about; whatever may be set is shown.
  const { question: never, reply } = await shown(world, { ...args, env: call?.env ?? {} });
  if (never === undefined)
    assert.ok(!reply.ok && reply.error === "invalid_args" && reply.message.includes("GIT_PAGER"));
  else assert.match(never.text, /GIT_PAGER=x/);
  const { question } = await shown(world, { ...args, env: { HIDDEN: "a\u001b[8mb" } });
  assert.ok(question !== undefined);
  assertInert(question.text);
  assert.ok(question.text.includes("$'HIDDEN=a\\x1b[8mb'"), question.text);
  assert.ok(question.text.includes(`in         ${world.out}`));
}

async function emptyWordShown(world: World, { call }: Rendered): Promise<void> {
  const program = `${world.out}/x`;
  copyFileSync("/bin/true", program);
  const { question } = await shown(world, { argv: [program, ...(call?.argv.slice(1) ?? [])] });
  assert.equal(commandLine(question?.text ?? "").startsWith(`${program} '' --`), true, question?.text);
}

/** A call has no field for sizes, and what the runtime says of a file it has looked at itself. */
async function sizesAreNotTheAgents(world: World, { files = [] }: Rendered): Promise<void> {
  for (const name of files) textShown(name, false, true);
  await withApprovalGate(world, {}, async (gate) => {
    const reply = await gate.call({ tool: "Exec", args: { argv: ["/bin/echo"], size: 1, operation: "create" } });
    assert.ok(!reply.ok && reply.error === "invalid_args" && /"size", "operation"/.test(reply.message));
    const planned = await gate.plan({ tool: "Exec", args: { argv: [`${world.root}/tool`] } });
    assert.ok(planned.ok);
    assert.match(planned.value.action.contents[0]?.sha256 ?? "", /^[0-9a-f]{64}$/);
  });
}

/** Bytes that are no UTF-8 travel as lone surrogates, or not at all. */
async function namesStayApart(world: World, { files = [] }: Rendered): Promise<void> {
  const bytes = (files[0] ?? "")
    .replace("bytes ", "")
    .split(" ")
    .map((byte) => Number.parseInt(byte, 16));
  const nameOf = (all: readonly number[]) =>
    all.map((byte) => String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte)).join("");
  const [one, other] = [nameOf(bytes), nameOf(bytes.map((byte) => (byte === 0x80 ? 0x81 : byte)))];
  assert.deepEqual([displayText(one), displayText(other)], ["fo\\u{dc80}o", "fo\\u{dc81}o"]);
  await withApprovalGate(world, {}, async (gate) => {
    const reply = await gate.call({ tool: "Exec", args: { argv: ["/bin/echo", one] } });
    assert.ok(!reply.ok && reply.error === "invalid_args", "and a call cannot name it by mistake");
  });
}
