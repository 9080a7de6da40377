// All ways of connecting, and hosts as a user: what the ordinary run leaves out.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import test from "node:test";
import { testInInternet } from "../fixtures/internet.ts";

const skip = process.getuid?.() !== 0 && "only root can make such an internet";
const timeout = 1_800_000;

test("every client that Debian has is installed", { skip, timeout }, () => {
  // One by one, because some of them may be there already in another form, with which Debian's do not go together. At their usual places,
  // because a user cannot run what is root's own.
  const programs = {
    "/usr/bin/java": "default-jdk-headless",
    "/usr/bin/go": "golang-go",
    "/usr/bin/pip3": "python3-pip",
    "/usr/bin/psql": "postgresql-client",
    "/usr/bin/npm": "npm",
    "/usr/bin/rustc": "rustc",
    "/usr/bin/cargo": "cargo",
    "/usr/lib/python3/dist-packages/requests": "python3-requests",
  };
  for (const [path, name] of Object.entries(programs)) {
    if (existsSync(path)) continue;
    const words = ["install", "-y", "-q", "--no-install-recommends", name];
    const installed = spawnSync("apt-get", words, { encoding: "utf8" });
    assert.equal(installed.status, 0, `${name} could not be installed: ${installed.stderr.slice(-2_000)}`);
    assert.ok(existsSync(path), `${name} brought no ${path}`);
  }
});

for (const as of ["root", "user"] as const)
  test(`every client, as ${as}`, { skip, timeout }, (t) => {
    process.env["ALL_CLIENTS"] = "1";
    return testInInternet(t, ["test/network/clients.inside.ts"], as);
  });

test("hosts, as a user", { skip, timeout }, (t) => testInInternet(t, ["test/network/hosts.inside.ts"], "user"));
