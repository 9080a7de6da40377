// The sandbox contract as a user without any rights, made for this test and removed after it. Root sees no permission
// errors, owns every file and needs no user namespace: what holds for root may not hold for people.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";

const root = join(import.meta.dirname, "../..");
const isRoot = process.getuid?.() === 0;

/** What the contract needs, where that user can read it: the repository may lie in a directory that it cannot enter. */
function copyForUser(uid: number): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-user-")));
  for (const path of [
    "src",
    "native",
    "package.json",
    "test/contracts",
    "test/fixtures",
    "test/sandbox/sandbox-contract.test.ts",
  ]) {
    cpSync(join(root, path), join(directory, path), { recursive: true });
  }
  for (const name of ["zod", "yaml", "commander"])
    cpSync(join(root, "node_modules", name), join(directory, "node_modules", name), { recursive: true });
  cpSync(process.execPath, join(directory, "node"));
  chmodSync(directory, 0o755);
  mkdirSync(join(directory, "tmp"));
  mkdirSync(join(directory, "home"), { mode: 0o700 });
  for (const path of ["tmp", "home"]) chownSync(join(directory, path), uid, uid);
  return directory;
}

test(
  "an unprivileged user has the same contract",
  { skip: !isRoot && "the tests run unprivileged already: sandbox-contract.test.ts is this test", timeout: 170_000 },
  async (t) => {
    const name = `sallyport-${process.pid}`;
    const made = spawnSync("useradd", ["--no-create-home", "--user-group", "--shell", "/bin/sh", name], {
      encoding: "utf8",
    });
    assert.equal(made.status, 0, `useradd: ${made.stderr}`);
    const uid = Number(spawnSync("id", ["-u", name], { encoding: "utf8" }).stdout);
    const gid = Number(spawnSync("id", ["-g", name], { encoding: "utf8" }).stdout);
    assert.ok(uid > 0);
    const directory = copyForUser(uid);

    const env = {
      PATH: "/usr/local/bin:/usr/bin:/bin",
      HOME: join(directory, "home"),
      TMPDIR: join(directory, "tmp"),
      SECRET_OF_THE_GATE: "not for programs",
    };
    const child = spawn(
      join(directory, "node"),
      ["--test", "--test-reporter=tap", "test/sandbox/sandbox-contract.test.ts"],
      { cwd: directory, uid, gid, env, stdio: ["ignore", "pipe", "pipe"], detached: true },
    );
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    t.after(async () => {
      if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      await ended; // a user with processes is not removed
      rmSync(directory, { recursive: true, force: true });
      assert.equal(spawnSync("userdel", ["--force", name]).status, 0);
    });
    let report = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (report += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (report += text));
    const status = await ended;

    const count = (what: string) => Number(new RegExp(`^# ${what} (\\d+)$`, "m").exec(report)?.[1]);
    const failed = [...report.matchAll(/^ *not ok \d+ - .*$/gm)].map(([line]) => line.trim());
    assert.equal(status, 0, `${failed.join("\n")}\n${report.slice(-20_000)}`);
    assert.equal(count("fail"), 0);
    assert.ok(count("pass") > 100, `only ${count("pass")} ran`);
    assert.match(report, /unprivileged: guards/);
    for (const [line] of report.matchAll(/^ *ok \d+ - .* # SKIP .*$/gm)) t.diagnostic(line.trim());
  },
);
