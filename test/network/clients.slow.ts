// All ways of connecting, and hosts as a user: what the ordinary run leaves out.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { testInInternet } from "../fixtures/internet.ts";

const findOnPath = (name: string) =>
  (process.env["PATH"] ?? "").split(":").find((directory) => existsSync(join(directory, name))) ?? null;
const skip = process.getuid?.() !== 0 && "only root can make such an internet";
const timeout = 1_800_000;

test("every client that Debian has is installed", { skip, timeout }, (t) => {
  // One by one, because some of them may be there already in another form, with which Debian's do not go together.
  const programs = {
    java: "default-jdk-headless",
    go: "golang-go",
    pip3: "python3-pip",
    psql: "postgresql-client",
    npm: "npm",
    rustc: "cargo",
  };
  const missing = Object.entries(programs).filter(([name]) => findOnPath(name) === null);
  for (const name of ["python3-requests", ...missing.map(([, debian]) => debian)]) {
    const words = ["install", "-y", "-q", "--no-install-recommends", name];
    const installed = spawnSync("apt-get", words, { encoding: "utf8" });
    if (installed.status !== 0) t.diagnostic(`${name} could not be installed: ${installed.stderr.slice(-500)}`);
  }
});

for (const as of ["root", "user"] as const)
  test(`every client, as ${as}`, { skip, timeout }, (t) => {
    process.env["ALL_CLIENTS"] = "1";
    return testInInternet(t, ["test/network/clients.inside.ts"], as);
  });

test("hosts, as a user", { skip, timeout }, (t) => testInInternet(t, ["test/network/hosts.inside.ts"], "user"));

test("questions about hosts, as a user", { skip, timeout }, (t) =>
  testInInternet(t, ["test/network/host-questions.inside.ts"], "user"),
);
