// All ways of connecting, and hosts as a user: what the ordinary run leaves out.

import { spawnSync } from "node:child_process";
import test from "node:test";
import { testInInternet } from "../fixtures/internet.ts";

const skip = process.getuid?.() !== 0 && "only root can make such an internet";
const timeout = 1_800_000;

test("every client that Debian has, as root", { skip, timeout }, async (t) => {
  const packages = ["default-jdk-headless", "golang-go", "python3-pip", "python3-requests", "postgresql-client", "npm"];
  const installed = spawnSync("apt-get", ["install", "-y", "-q", "--no-install-recommends", ...packages], {
    encoding: "utf8",
  });
  if (installed.status !== 0) t.diagnostic(`not all could be installed: ${installed.stderr.slice(-500)}`);
  process.env["ALL_CLIENTS"] = "1";
  await testInInternet(t, ["test/network/clients.inside.ts"], "root");
});

test("hosts, as a user", { skip, timeout }, (t) => testInInternet(t, ["test/network/hosts.inside.ts"], "user"));
