import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createSecretKey, randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Readable } from "node:stream";
import { after, test } from "node:test";
import { genesisHash, sealEntry } from "../../src/audit/chain.ts";
import type { Entry } from "../../src/audit/entry.ts";
import { type Journal, JournalFault } from "../../src/audit/journal.ts";
import { rowOf, entryOf, insertEntry } from "../../src/store/journal-rows.ts";
import { chainKey } from "../../src/store/audit-key.ts";
import { hasJournal, openJournal } from "../../src/store/sqlite.ts";
import { runs } from "../fixtures/runs.ts";

const made: string[] = [];
after(() => made.forEach((directory) => rmSync(directory, { recursive: true, force: true })));

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-journal-"));
  made.push(directory);
  return directory;
}
const optionsFor = (directory: string) => ({
  stateDirectory: join(directory, "state"),
  keyDirectory: join(directory, "config"),
});
const open = (directory: string) => openJournal(optionsFor(directory));
const fileIn = (directory: string) => join(directory, "state", "journal.sqlite");

function fill(journal: Journal, count: number, durable = true): void {
  for (let index = 1; index <= count; index += 1) {
    journal.append(
      { event: "tool.call.received", call_id: `c${index}`, args: { argv: ["/bin/echo", String(index)] } },
      { durable },
    );
  }
}

function filled(count: number, durable = true): string {
  const directory = newDirectory();
  const journal = open(directory);
  fill(journal, count, durable);
  journal.close();
  return directory;
}

function tamper(directory: string, change: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(fileIn(directory));
  change(database);
  database.close();
}

function verify(directory: string) {
  const journal = open(directory);
  try {
    return journal.verify();
  } finally {
    journal.close();
  }
}

function worker(directory: string, count: number, name: string): ChildProcess {
  return spawn(process.execPath, [join(import.meta.dirname, "append-worker.ts"), directory, String(count), name], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

async function printed({ stdout }: ChildProcess, text: string): Promise<void> {
  let all = "";
  for await (const data of (stdout as Readable).iterator({ destroyOnReturn: false })) {
    all += String(data);
    if (all.startsWith(text)) return;
  }
}

test("entries come back as they were appended, and the files are private", () => {
  const directory = newDirectory();
  assert.equal(hasJournal(join(directory, "state")), false);
  const journal = open(directory);
  const args = { argv: ["/bin/echo", "\"a\" 'b' \\", "\u001b[2J\u0000\u2028", "\ud800"] };
  const first = journal.append(
    { event: "tool.call.received", session: "s", agent: "a", call_id: "c", tool: "Ex\0ec\ud800", args },
    { durable: true },
  );
  const second = journal.append({
    event: "tool.call.denied",
    call_id: "c",
    decision: "deny",
    because: ["no"],
    outcome: { error: "fs_denied" },
  });
  assert.deepEqual([first.seq, second.seq, second.prev], [1, 2, first.hash]);
  assert.match(first.time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(first.args, args);
  assert.deepEqual([...journal.entries()], [first, second]);
  assert.deepEqual(journal.entry(2), second);
  assert.equal(journal.entry(3), undefined);
  assert.deepEqual(journal.verify(), { ok: true, entries: 2, first_bad: null, reason: null });
  const mode = (path: string) => statSync(join(directory, path)).mode & 0o777;
  assert.deepEqual(["state", "config", "config/anchors"].map(mode), [0o700, 0o700, 0o700]);
  assert.deepEqual(
    readdirSync(join(directory, "state")).map((name) => mode(`state/${name}`)),
    [0o600, 0o600, 0o600],
  );
  assert.equal(mode("config/audit.key"), 0o600);
  assert.equal(readFileSync(join(directory, "config/audit.key")).length, 32);
  journal.close();
  assert.equal(hasJournal(join(directory, "state")), true);
  assert.equal(verify(directory).ok, true);
});

test("listing: order, every filter, text, pages", () => {
  const journal = open(newDirectory());
  let now = Date.parse("2026-01-01T00:00:00Z");
  const timed = openJournal({ ...optionsFor(newDirectory()), clock: { now: () => now, monotonic: () => 0 } });
  for (let index = 1; index <= 1200; index += 1) {
    const tool = index % 2 === 0 ? "Exec" : "Git";
    timed.append({
      event: index % 3 === 0 ? "tool.call.denied" : "tool.call.received",
      tool,
      session: `s${index % 5}`,
      agent: `a${index % 4}`,
      call_id: `c${index}`,
      args: { argv: [`say "Word${index}" \u2028`] },
    });
    now += 1000;
  }
  const seqs = (entries: Iterable<Entry>) => [...entries].map((entry) => entry.seq);
  assert.equal(seqs(timed.list()).length, 1200);
  assert.deepEqual(seqs(timed.list({ limit: 3 })), [1200, 1199, 1198]);
  assert.deepEqual(seqs(timed.list({ limit: 2, before: 1199 })), [1198, 1197]);
  assert.deepEqual(seqs(timed.list({ limit: 2, order: "oldest", after: 700 })), [701, 702]);
  assert.deepEqual(
    seqs(timed.entries()),
    Array.from({ length: 1200 }, (_, index) => index + 1),
  );
  assert.deepEqual(
    seqs(timed.list({ tool: "Exec", event: "tool.call.denied", session: "s0", agent: "a2", limit: 2 })),
    [1170, 1110],
  );
  assert.deepEqual(seqs(timed.list({ call_id: "c77" })), [77]);
  assert.deepEqual(seqs(timed.list({ since: "2026-01-01T00:00:10", until: "2026-01-01T00:00:12.000Z" })), [12, 11]);
  assert.deepEqual(seqs(timed.list({ text: 'SAY "word1200"' })), [1200]);
  assert.deepEqual(seqs(timed.list({ text: "\u2028", limit: 1 })), [1200]);
  assert.deepEqual(seqs(timed.list({ text: "100%" })), []);
  const lines = [...timed.exportLines({ limit: 2 })];
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    [timed.entry(1), timed.entry(2)],
  );
  assert.ok(lines.every((line) => !/[\n\u2028]/.test(line)));
  timed.close();
  journal.close();
});

test("story and stats", () => {
  const journal = open(newDirectory());
  for (let index = 1; index <= 20; index += 1) {
    const call = { call_id: `c${index}`, tool: index > 18 ? "__proto__" : "Exec", session: "s", agent: "a" };
    journal.append({ ...call, event: "tool.call.received" });
    if (index === 20) continue;
    if (index === 19)
      journal.append({ ...call, event: "tool.call.denied", decision: "deny", outcome: { error: "fs_denied" } });
    else journal.append({ ...call, event: "tool.call.dispatched", decision: "allow" });
    if (index < 19)
      journal.append({ ...call, event: "tool.call.finished", outcome: { exit_code: 0, duration_s: index } });
  }
  const stats = journal.stats();
  assert.deepEqual([stats.entries, stats.calls], [57, 20]);
  assert.deepEqual(Object.entries(stats.tools), [
    ["Exec", 18],
    ["__proto__", 2],
  ]);
  assert.deepEqual(stats.events, {
    "tool.call.received": 20,
    "tool.call.dispatched": 18,
    "tool.call.finished": 18,
    "tool.call.denied": 1,
  });
  assert.deepEqual([stats.decisions, stats.refusals], [{ allow: 18, deny: 1 }, { fs_denied: 1 }]);
  assert.deepEqual(stats.durations, { Exec: { count: 18, p50_s: 9, p95_s: 18 } });
  assert.deepEqual(
    stats.calls_without_end.map((call) => [call.call_id, call.seq, call.tool]),
    [["c20", 57, "__proto__"]],
  );
  assert.deepEqual([stats.first_time, stats.last_time], [journal.entry(1)?.time, journal.entry(57)?.time]);
  assert.deepEqual(
    journal.story("c3").map((entry) => entry.event),
    ["tool.call.received", "tool.call.dispatched", "tool.call.finished"],
  );
  assert.deepEqual(journal.story("none"), []);
  journal.close();
});

test("four processes append at once: nothing lost, nothing doubled, the chain holds", async () => {
  const directory = newDirectory();
  const workers = ["a", "b", "c", "d"].map((name) => worker(directory, 200, name));
  const codes = await Promise.all(workers.map(async (child) => (await once(child, "exit"))[0]));
  assert.deepEqual(codes, [0, 0, 0, 0]);
  const journal = open(directory);
  assert.deepEqual(journal.verify(), { ok: true, entries: 800, first_bad: null, reason: null });
  for (const name of ["a", "b", "c", "d"]) {
    const calls = [...journal.list({ session: name, order: "oldest" })].map((entry) => entry.call_id);
    assert.deepEqual(
      calls,
      Array.from({ length: 200 }, (_, index) => `${name}-${index + 1}`),
    );
  }
  assert.deepEqual(readdirSync(join(directory, "config")).sort(), ["anchors", "audit.key"]);
  journal.close();
});

test("killed at any moment the log verifies, and a call without an end is shown", async () => {
  const directory = newDirectory();
  let open_calls = 0;
  const rounds = runs(30, 8);
  for (let round = 1; round <= rounds; round += 1) {
    const child = worker(directory, 0, `r${round}`);
    await printed(child, round % 2 === 0 ? "open\n" : "open\nat work\n"); // some may be killed before their first call
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 30));
    child.kill("SIGKILL");
    await once(child, "exit");
    const journal = open(directory);
    assert.deepEqual(journal.verify().reason, null, `round ${round}`);
    assert.equal([...journal.list({ event: "audit.cut" })].length, 0);
    open_calls = journal.stats().calls_without_end.length;
    journal.append({ event: "policy.changed" }, { durable: true });
    journal.close();
  }
  const journal = open(directory);
  journal.append({ event: "tool.call.received", call_id: "alone" });
  assert.equal(journal.stats().calls_without_end.length, open_calls + 1);
  assert.ok(journal.stats().calls > rounds / 2);
  journal.close();
});

test("control: an untouched log verifies after it was opened again", () => {
  assert.deepEqual(verify(filled(10)), { ok: true, entries: 10, first_bad: null, reason: null });
});

const shift = "UPDATE entries SET seq = -seq WHERE seq >= 5; UPDATE entries SET seq = -seq + 1 WHERE seq < 0;";
const changes: Record<string, [(database: DatabaseSync) => void, number]> = {
  "a changed argument": [
    (database) => database.exec(`UPDATE entries SET args = '{"argv":["/bin/true"]}' WHERE seq = 5`),
    5,
  ],
  "a changed time": [
    (database) => database.exec("UPDATE entries SET time = '1999-01-01T00:00:00.000Z' WHERE seq = 5"),
    5,
  ],
  "a changed event": [(database) => database.exec("UPDATE entries SET event = 'policy.changed' WHERE seq = 5"), 5],
  "an argument that is no JSON any more": [
    (database) => database.exec("UPDATE entries SET args = '{' WHERE seq = 5"),
    5,
  ],
  "a number that JSON cannot hold": [(database) => database.exec("UPDATE entries SET args = '1e999' WHERE seq = 5"), 5],
  "a removed entry": [(database) => database.exec("DELETE FROM entries WHERE seq = 5"), 5],
  "the first entry removed": [(database) => database.exec("DELETE FROM entries WHERE seq = 1"), 1],
  "a removed entry, the rest renumbered": [
    (database) => database.exec("DELETE FROM entries WHERE seq = 5; UPDATE entries SET seq = seq - 1 WHERE seq > 5"),
    5,
  ],
  "an inserted entry": [
    (database) =>
      database.exec(
        `${shift} INSERT INTO entries SELECT 5, time, session, agent, call_id, event, tool, args, digest, decision, because, outcome, prev, hash FROM entries WHERE seq = 4`,
      ),
    5,
  ],
  "two entries swapped": [
    (database) =>
      database.exec(
        "UPDATE entries SET seq = -5 WHERE seq = 5; UPDATE entries SET seq = 5 WHERE seq = 6; UPDATE entries SET seq = 6 WHERE seq = -5",
      ),
    5,
  ],
  "an entry added at the end": [
    (database) =>
      database.exec(
        "INSERT INTO entries SELECT 11, time, session, agent, call_id, event, tool, args, digest, decision, because, outcome, hash, hash FROM entries WHERE seq = 10",
      ),
    11,
  ],
  "the last entry cut": [(database) => database.exec("DELETE FROM entries WHERE seq > 9"), 10],
  "the last three cut": [(database) => database.exec("DELETE FROM entries WHERE seq > 7"), 8],
  "all entries cut": [(database) => database.exec("DELETE FROM entries"), 1],
  "the chain rebuilt without the key": [(database) => rebuild(database, 5), 5],
  "the chain rebuilt without the key from its start": [(database) => rebuild(database, 1), 1],
};

function rebuild(database: DatabaseSync, from: number): void {
  const key = chainKey(createSecretKey(randomBytes(32)));
  const entries = database
    .prepare("SELECT * FROM entries ORDER BY seq")
    .all()
    .map((row) => entryOf(row as never));
  database.exec(`DELETE FROM entries WHERE seq >= ${from}`);
  let prev = from === 1 ? genesisHash({ key, logId: "?" }) : (entries[from - 2] as Entry).hash;
  for (const { hash: _, ...entry } of entries.slice(from - 1)) {
    const sealed = sealEntry({ ...entry, args: "innocent", prev }, key);
    prev = sealed.hash;
    database.prepare(insertEntry).run(...rowOf(sealed));
  }
}

for (const durable of [true, false]) {
  for (const [name, [change, first]] of Object.entries(changes)) {
    test(`found, ${durable ? "durable" : "quick"} entries: ${name}`, () => {
      const directory = filled(10, durable);
      tamper(directory, change);
      const found = verify(directory);
      assert.deepEqual([found.ok, found.first_bad], [false, first], found.reason ?? "");
      const journal = open(directory);
      journal.append({ event: "policy.changed" }, { durable: true });
      for (let index = 0; index < 100; index += 1) journal.append({ event: "policy.changed" });
      assert.deepEqual(
        [journal.verify().ok, journal.verify().first_bad],
        [false, first],
        "and it stays found, whatever is appended later",
      );
      journal.close();
    });
  }
}

test("found: a cut while the log is open, by the process that has it open", () => {
  const directory = newDirectory();
  const journal = open(directory);
  fill(journal, 10);
  tamper(directory, (database) => database.exec("DELETE FROM entries WHERE seq > 7"));
  assert.deepEqual([journal.verify().ok, journal.verify().first_bad], [false, 8]);
  const entry = journal.append({ event: "policy.changed" });
  assert.equal(entry.seq, 9);
  const cut = journal.entry(8);
  assert.equal(cut?.event, "audit.cut");
  assert.deepEqual(cut?.outcome, {
    ...(cut?.outcome as object),
    message: "the end of the log was cut",
    anchor_seq: 10,
    found_seq: 7,
  });
  assert.deepEqual([...journal.list({ event: "audit.cut" })].length, 1);
  assert.deepEqual([journal.verify().ok, journal.verify().first_bad], [false, 8]);
  journal.close();
  tamper(directory, (database) => database.exec("DELETE FROM entries WHERE seq > 7"));
  assert.deepEqual(
    [verify(directory).ok, verify(directory).first_bad],
    [false, 8],
    "cutting the evidence is a cut too",
  );
});

test("found: an older copy of the log put back, and grown over since", () => {
  const directory = filled(5);
  cpSync(join(directory, "state"), join(directory, "copy"), { recursive: true });
  const journal = open(directory);
  fill(journal, 5);
  journal.close();
  assert.equal(verify(directory).ok, true);
  rmSync(join(directory, "state"), { recursive: true });
  renameSync(join(directory, "copy"), join(directory, "state"));
  const found = verify(directory);
  assert.deepEqual([found.ok, found.first_bad, found.entries], [false, 6, 6]);
  const later = open(directory);
  fill(later, 200);
  assert.deepEqual([later.verify().ok, later.verify().first_bad], [false, 6]);
  later.close();
});

test("a crash between the commit and the anchor leaves a log that verifies", () => {
  const directory = filled(10);
  const anchors = join(directory, "config", "anchors");
  const [name = ""] = readdirSync(anchors);
  const before = readFileSync(join(anchors, name));
  const journal = open(directory);
  fill(journal, 1);
  journal.close();
  writeFileSync(join(anchors, name), before);
  assert.deepEqual(verify(directory), { ok: true, entries: 11, first_bad: null, reason: null });
  writeFileSync(join(anchors, name), Buffer.alloc(8192, "x"));
  assert.equal(verify(directory).ok, true, "a torn anchor says nothing");
});

test("quick entries lost with the machine's power are no false alarm; durable ones, and what a gate closed, are missed", () => {
  const lose = (durable: boolean, isClosed = false) => {
    const directory = newDirectory();
    const journal = open(directory);
    fill(journal, 10, durable);
    const anchors = join(directory, "config", "anchors");
    const path = join(anchors, readdirSync(anchors)[0] ?? "");
    const notes = readFileSync(path);
    journal.close();
    if (!isClosed) writeFileSync(path, notes);
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    // As if written under another boot: the check of each record made anew.
    const records =
      readFileSync(path, "latin1")
        .replaceAll("\0", " ")
        .match(/.{128}/gs) ?? [];
    const digest = (text: string) => spawnSync("sha256sum", { input: text, encoding: "latin1" }).stdout.slice(0, 8);
    const older = records.map((record) => {
      if (!record.includes(boot)) return record;
      const body = record.slice(0, 118).replace(boot, "11111111-1111-1111-1111-111111111111");
      return `${body} ${digest(body)}\n`;
    });
    writeFileSync(path, older.join(""), "latin1");
    tamper(directory, (database) => database.exec("DELETE FROM entries WHERE seq > 7"));
    return verify(directory).first_bad;
  };
  assert.equal(lose(false), null);
  assert.equal(lose(true), 8);
  assert.equal(lose(false, true), 8);
});

test("a missing key for a log with entries is said, and no new one is made", () => {
  const directory = filled(1);
  unlinkSync(join(directory, "config", "audit.key"));
  assert.throws(
    () => open(directory),
    (error) => error instanceof JournalFault && /key .*audit\.key is missing/.test(error.message),
  );
  assert.equal(existsSync(join(directory, "config", "audit.key")), false);
});

test("another key: nothing is appended, and verify says so from the first entry on", () => {
  const directory = filled(3);
  writeFileSync(join(directory, "config", "audit.key"), randomBytes(32));
  const journal = open(directory);
  assert.throws(() => journal.append({ event: "policy.changed" }), /another key/);
  assert.deepEqual([journal.verify().ok, journal.verify().first_bad, journal.verify().entries], [false, 1, 3]);
  journal.close();
});

test("a key that others can read, is short, or is a link, is refused with what mends it", () => {
  const directory = filled(1);
  const key = join(directory, "config", "audit.key");
  chmodSync(key, 0o644);
  assert.throws(
    () => open(directory),
    (error) => error instanceof JournalFault && error.hint === `chmod 600 ${key}`,
  );
  chmodSync(key, 0o600);
  assert.equal(verify(directory).ok, true);
  writeFileSync(key, "short");
  assert.throws(() => open(directory), /not 32 bytes/);
  renameSync(key, `${key}.moved`);
  symlinkSync(`${key}.moved`, key);
  assert.throws(() => open(directory), /cannot be read/);
});

test("a state directory that others can write is refused, and so is one of another user", (context) => {
  const directory = newDirectory();
  mkdirSync(join(directory, "state"));
  chmodSync(join(directory, "state"), 0o777);
  assert.throws(
    () => open(directory),
    (error) =>
      error instanceof JournalFault &&
      /can be written by others/.test(error.message) &&
      error.hint === `chmod 700 ${join(directory, "state")}`,
  );
  chmodSync(join(directory, "state"), 0o755);
  open(directory).close();
  const stranger = {
    stateDirectory: process.geteuid?.() === 0 ? chowned(newDirectory()) : "/usr",
    keyDirectory: join(directory, "config"),
  };
  assert.throws(() => openJournal(stranger), /belongs to another user/);
  if (process.geteuid?.() !== 0) context.diagnostic("as a user: another user's directory is /usr");
});

function chowned(directory: string): string {
  spawnSync("chown", ["65534", directory]);
  return directory;
}

test("a log that is a link, or no database, is refused", () => {
  const directory = newDirectory();
  mkdirSync(join(directory, "state"), { mode: 0o700 });
  symlinkSync("/dev/null", fileIn(directory));
  assert.throws(() => open(directory), /symbolic link/);
  unlinkSync(fileIn(directory));
  writeFileSync(fileIn(directory), "x".repeat(5000));
  assert.throws(
    () => open(directory),
    (error) => error instanceof JournalFault && /cannot be opened: .*not a database/.test(error.message),
  );
});

test("a closed log cannot be written, and says so", () => {
  const journal = open(newDirectory());
  journal.close();
  journal.close();
  assert.throws(
    () => journal.append({ event: "policy.changed" }),
    (error) => error instanceof JournalFault && /cannot be written: .*not open/.test(error.message),
  );
});

test("a full disk: append throws, nothing is half there, and it goes on once there is room", (context) => {
  const directory = newDirectory();
  mkdirSync(join(directory, "state"), { mode: 0o700 });
  const mounted =
    process.geteuid?.() === 0 &&
    spawnSync("mount", ["-t", "tmpfs", "-o", "size=512k,mode=700", "none", join(directory, "state")]).status === 0;
  if (!mounted) return context.skip("a small disk can be mounted by root only");
  try {
    const journal = open(directory);
    let fault: unknown;
    for (let index = 0; index < 1000 && fault === undefined; index += 1) {
      try {
        journal.append({ event: "policy.changed", args: "x".repeat(10_000) }, { durable: true });
      } catch (error) {
        fault = error;
      }
    }
    assert.ok(fault instanceof JournalFault);
    assert.match(fault.message, /cannot be written: .*(?:full|disk)/);
    assert.equal(journal.verify().reason, null);
    assert.equal(spawnSync("mount", ["-o", "remount,size=4m", join(directory, "state")]).status, 0);
    journal.append({ event: "policy.changed" }, { durable: true });
    assert.equal(journal.verify().reason, null);
    journal.close();
  } finally {
    spawnSync("umount", [join(directory, "state")]);
  }
});

test("a disk that can only be read: append throws", (context) => {
  const directory = filled(3);
  const state = join(directory, "state");
  const root = process.geteuid?.() === 0;
  if (
    root &&
    spawnSync("sh", ["-c", 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1"', "sh", state]).status !== 0
  )
    return context.skip("no mount here");
  if (!root) chmodSync(state, 0o500);
  try {
    assert.throws(() => {
      const journal = open(directory);
      try {
        journal.append({ event: "policy.changed" });
      } finally {
        journal.close();
      }
    }, JournalFault);
  } finally {
    if (root) spawnSync("umount", [state]);
    else chmodSync(state, 0o700);
  }
  assert.deepEqual(verify(directory), { ok: true, entries: 3, first_bad: null, reason: null });
});

test("what cannot be turned to JSON does not stop the record", () => {
  const journal = open(newDirectory());
  const cyclic: Record<string, unknown> = {};
  cyclic["self"] = cyclic;
  const entry = journal.append({
    event: "tool.call.received",
    args: { cyclic, n: Infinity, bytes: Buffer.from([255]) },
  });
  assert.deepEqual(journal.entry(1), entry);
  assert.equal(journal.verify().ok, true);
  journal.close();
});
