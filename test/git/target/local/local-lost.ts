// The two questions about loss, in a strength that the caller chooses: random states of a person's repository met by
// random landings, and a gate that is killed at any moment.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "../../../fixtures/fast-check.ts";
import type { Landing } from "../../../../src/git/target/target.ts";
import { commit, git, makeRepository, pictureOf, plainGit, writeFiles } from "../../../fixtures/git.ts";
import { runningInGroup, until } from "../../../fixtures/run.ts";
import { type Edits, land, landingOf, look, type Room } from "./local-room.ts";

const tracked = ["a.txt", "d/b.txt", "d/c.txt", "e/f/g.txt", "h.sh", "ln"];
const untracked = ["n.txt", "d/n.txt", "z/y.txt", "x.log", "d/x.log", "a.txt.orig"];
const deeds = [
  "modify",
  "stage",
  "stage and modify",
  "stage and put back",
  "delete",
  "remove",
  "forget",
  "link",
  "mode",
  "conflict",
  "directory",
  "crlf",
] as const;

interface Deed {
  readonly what: (typeof deeds)[number];
  readonly path: string;
}

const anyDeed: fc.Arbitrary<Deed> = fc.record({
  what: fc.constantFrom(...deeds),
  path: fc.constantFrom(...tracked, ...untracked),
});
const anyEdit = fc.oneof(
  fc.tuple(fc.constantFrom(...tracked, ...untracked), fc.constantFrom<Edits[string]>("new\n", "", "x\r\n", ["a.txt"])),
  fc.tuple(fc.constantFrom(...tracked), fc.constant(null)),
);

function template(path: string): string {
  const repo = makeRepository(path, { isUnborn: true });
  writeFiles(repo, {
    "a.txt": "a\nA\n",
    "d/b.txt": "b\n",
    "d/c.txt": "c\n",
    "e/f/g.txt": "g\n",
    "h.sh": "h\n",
    ".gitignore": "*.log\n",
  });
  chmodSync(join(repo, "h.sh"), 0o755);
  symlinkSync("a.txt", join(repo, "ln"));
  commit(repo, "first");
  return repo;
}

let unique = 0;

function perform(repo: string, { what, path }: Deed): void {
  const place = join(repo, path);
  const found = lstatSync(place, { throwIfNoEntry: false });
  const rewrite = (): void => {
    rmSync(place, { recursive: true, force: true });
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, `mine ${unique++}\n`);
  };
  if (what === "delete") rmSync(place, { recursive: true, force: true });
  else if (what === "remove") plainGit(repo, ["rm", "-qrf", path]);
  else if (what === "forget") plainGit(repo, ["rm", "-qr", "--cached", path]);
  else if (what === "mode") {
    if (found?.isFile()) chmodSync(place, found.mode ^ 0o111);
  } else if (what === "crlf") {
    if (found?.isFile()) writeFileSync(place, readFileSync(place, "latin1").replaceAll("\n", "\r\n"));
  } else if (what === "link") {
    rmSync(place, { recursive: true, force: true });
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync("a.txt", place);
  } else if (what === "directory") {
    rmSync(place, { recursive: true, force: true });
    writeFiles(place, { inner: `mine ${unique++}\n` });
  } else if (what === "conflict") {
    const id = git(repo, ["hash-object", "-w", "--stdin"], { input: `theirs ${unique++}\n` }).trim();
    plainGit(repo, ["update-index", "--index-info"], {
      input: `0 ${"0".repeat(40)}\t${path}\n100644 ${id} 2\t${path}\n100644 ${id} 3\t${path}\n`,
    });
  } else {
    const before = found?.isFile() ? readFileSync(place) : null;
    rewrite();
    if (what !== "modify") plainGit(repo, ["add", "-f", path]);
    if (what === "stage and modify") rewrite();
    if (what === "stage and put back" && before !== null) writeFileSync(place, before);
  }
}

/** What is on disk and in the index, by path. */
function holdings(repo: string): Map<string, string> {
  const all = new Map<string, string>();
  const walk = (directory: string): void => {
    for (const { name: own } of readdirSync(join(repo, directory), { withFileTypes: true })) {
      const name = join(directory, own);
      const found = lstatSync(join(repo, name));
      if (found.isDirectory()) {
        if (name !== ".git") walk(name);
        continue;
      }
      const content = found.isSymbolicLink()
        ? `link ${readlinkSync(join(repo, name))}`
        : readFileSync(join(repo, name), "latin1");
      all.set(`disk ${name}`, `${(found.mode & 0o100) !== 0 ? "x" : "-"} ${content}`);
    }
  };
  walk("");
  for (const line of git(repo, ["ls-files", "-s", "-z"]).split("\0")) {
    if (line === "") continue;
    const [entry = "", path = ""] = line.split("\t");
    all.set(`index ${path}`, `${all.get(`index ${path}`) ?? ""}${entry};`);
  }
  return all;
}

export interface Tally {
  landed: number;
  refused: number;
}

export async function tryRandomStates(
  room: Room,
  options: { readonly interruptAfterTimeLimit: number; readonly numRuns: number },
): Promise<Tally> {
  const base = template(room.path("template"));
  const tally: Tally = { landed: 0, refused: 0 };
  let serial = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyDeed, { maxLength: 4 }),
      fc.array(anyEdit, { minLength: 1, maxLength: 4 }),
      async (done, wanted) => {
        const repo = room.path(`random-${serial++}`);
        cpSync(base, repo, { recursive: true, verbatimSymlinks: true });
        try {
          const edits: Edits = Object.fromEntries(wanted);
          const landing = await landingOf(await look(repo), edits);
          for (const deed of done) perform(repo, deed);
          await meets(repo, landing, done, tally);
        } finally {
          rmSync(repo, { recursive: true, force: true });
        }
      },
    ),
    options,
  );
  return tally;
}

async function meets(repo: string, landing: Landing, done: readonly Deed[], tally: Tally): Promise<void> {
  const before = holdings(repo);
  const picture = pictureOf(repo).filter((line) => !line.includes("/.git"));
  const landed = await land(repo, landing);
  const after = holdings(repo);
  const changes = landing.changes.filter(
    (change) => change.before?.id !== change.after?.id || change.before?.mode !== change.after?.mode,
  );
  if (!landed.ok) {
    tally.refused += 1;
    assert.equal(landed.failure.error, "conflict");
    assert.deepEqual(
      pictureOf(repo).filter((line) => !line.includes("/.git")),
      picture,
    );
    assert.deepEqual(after, before);
    assert.equal(git(repo, ["rev-parse", "main"]).trim(), landing.state.oldCommit);
    const isFree = done.every((deed) => changes.every(({ path }) => !meet(deed.path, path)));
    assert.ok(!isFree, `refused, though nothing of the person's was in the way: ${JSON.stringify(landed.failure)}`);
    return;
  }
  tally.landed += 1;
  assert.deepEqual(landed.value.kept, []);
  const expected = new Map(before);
  for (const { path, after: now } of changes) {
    for (const key of [`disk ${path}`, `index ${path}`]) expected.delete(key);
    if (now === null) continue;
    const content = Buffer.from(now.content).toString("latin1");
    expected.set(`index ${path}`, `${now.mode} ${now.id} 0;`);
    expected.set(
      `disk ${path}`,
      now.mode === "120000" ? `x link ${content}` : `${now.mode === "100755" ? "x" : "-"} ${content}`,
    );
  }
  const sorted = (map: Map<string, string>): [string, string][] =>
    [...map].sort(([one], [other]) => (one < other ? -1 : 1));
  assert.deepEqual(sorted(after), sorted(expected));
  assert.equal(git(repo, ["rev-parse", "main"]).trim(), landing.commit);
  git(repo, ["fsck", "--strict"]);
  const paths = changes.map(({ path }) => path);
  if (paths.length > 0) assert.equal(git(repo, ["status", "--porcelain", "--", ...paths]), "");
}

function meet(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}

const FILES = 60;

export interface KillTally {
  before: number;
  between: number;
  after: number;
  /** How often the killed landing left a lock, or something else of its own. */
  left: number;
}

/** Kills at random moments until `enough`; each time the same landing again must bring everything in step. */
export async function killAndLandAgain(room: Room, enough: (rounds: number) => boolean): Promise<KillTally> {
  const repo = makeRepository(room.path("killed"), { isUnborn: true });
  const files = Object.fromEntries(
    Array.from({ length: FILES }, (_, each) => [`d${each % 7}/f${each}`, `old ${each}\n`]),
  );
  commit(repo, "first", { ...files, "mine.txt": "m\n", ".gitignore": "*.log\n" });
  writeFiles(repo, {
    "mine.txt": "modified\n",
    "u.txt": "untracked\n",
    "x.log": "ignored\n",
    "staged.txt": "staged\n",
  });
  git(repo, ["add", "staged.txt"]);
  const person = git(repo, ["status", "--porcelain", "--ignored"]);
  const tally: KillTally = { before: 0, between: 0, after: 0, left: 0 };
  let usualMs = Number.NaN; // the first is not killed
  for (let round = 0; !enough(round); round += 1) {
    const edits = Object.fromEntries(
      Object.keys(files).map((path, each) => [
        path,
        each % 5 === round % 5 && round % 3 === 0 ? `x\n${round}` : `round ${round} ${each}\n`,
      ]),
    );
    const landing = await landingOf(await look(repo), { ...edits, [`new/${round}/n`]: `${round}\n` });
    const file = room.path("landing.json");
    writeFileSync(
      file,
      JSON.stringify(landing, (_, value: unknown) =>
        isBytes(value) ? { base64: Buffer.from(bytesOf(value)).toString("base64") } : value,
      ),
    );
    const part = round % 2 === 0 ? Math.random() * 1.2 : 0.6 + Math.random() * 0.6;
    const tookMs = await runAndKill(repo, file, round === 0 ? 60_000 : part * usualMs, round % 4 === 0);
    if (tookMs !== null) usualMs = tookMs;
    if (leftIn(repo).length > 0) tally.left += 1;
    git(repo, ["fsck", "--strict", "--no-dangling"]);
    const at = git(repo, ["rev-parse", "main"]).trim();
    assert.ok(at === landing.commit || at === landing.state.oldCommit, at);
    const isInStep = git(repo, ["status", "--porcelain", "--ignored"]) === person;
    if (at !== landing.commit) tally.before += 1;
    else tally[isInStep ? "after" : "between"] += 1;
    if (at !== landing.commit)
      for (const { path, before } of landing.changes)
        if (before !== null)
          assert.match(
            readFileSync(join(repo, path), "utf8"),
            new RegExp(round === 0 ? "old" : `round ${round - 1}|x\n${round - 1}`),
          );
    const again = await land(repo, landing);
    assert.deepEqual(again, { ok: true, value: { kept: [] } });
    assert.deepEqual(leftIn(repo), [], "the landing has removed what the killed one left");
    assert.equal(git(repo, ["status", "--porcelain", "--ignored"]), person);
    for (const [path, content] of Object.entries(edits)) assert.equal(readFileSync(join(repo, path), "utf8"), content);
    assert.equal(
      readFileSync(join(repo, "mine.txt"), "utf8") +
        readFileSync(join(repo, "u.txt"), "utf8") +
        readFileSync(join(repo, "x.log"), "utf8"),
      "modified\nuntracked\nignored\n",
    );
    assert.equal(git(repo, ["show", ":staged.txt"]), "staged\n");
  }
  return tally;
}

function isBytes(value: unknown): boolean {
  return (
    value instanceof Uint8Array ||
    (typeof value === "object" && value !== null && "type" in value && value.type === "Buffer" && "data" in value)
  );
}

function bytesOf(value: unknown): Uint8Array {
  return value instanceof Uint8Array ? value : Uint8Array.from((value as { data: number[] }).data);
}

/** How long it took where it was not killed; the whole group, or only the gate. */
async function runAndKill(repo: string, file: string, delayMs: number, isGroup: boolean): Promise<number | null> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "local-land-process.ts"), repo, file], {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  let startedMs = 0;
  let tookMs: number | null = null;
  const started = Promise.withResolvers<undefined>();
  const ended = new Promise<undefined>((resolve) => child.once("close", () => resolve(undefined)));
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
    if (output.includes("start\n") && startedMs === 0) {
      startedMs = performance.now();
      started.resolve(undefined);
    }
    if (output.includes("done ")) tookMs = performance.now() - startedMs;
  });
  await Promise.race([started.promise, ended]);
  await Promise.race([sleep(delayMs, undefined, { ref: false }), ended]);
  if (child.exitCode === null && child.pid !== undefined) process.kill(isGroup ? -child.pid : child.pid, "SIGKILL");
  await ended;
  // A git that outlives its gate comes to its end.
  await until("no git of the landing runs", () => child.pid === undefined || runningInGroup(child.pid).length === 0);
  return tookMs;
}

const ours = /\.lock$|tmp_objdir|tmp_pack|sallyport-/;

/** Locks of git's and of ours, and what a landing has of its own in a repository. */
function leftIn(repo: string): string[] {
  return readdirSync(join(repo, ".git"), { recursive: true })
    .map(String)
    .filter((name) => ours.test(name));
}
