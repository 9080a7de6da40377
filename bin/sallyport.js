#!/usr/bin/env node
// The command. Plain old JavaScript: on a node that is too old it starts itself again on the pinned one of a clone,
// or says what to install. On a good one it hands over to dist/cli/main.js.
// Exit code 3: Sallyport cannot run here at all (node too old, not built).

import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const self = fileURLToPath(import.meta.url);
const root = dirname(dirname(self));
const cannotRun = 3;

function isNewEnough(version) {
  const parts = version.replace(/^v/, "").split(".").map(Number);
  return parts[0] > 22 || (parts[0] === 22 && parts[1] >= 18);
}

function giveUp(lines) {
  console.error(lines.join("\n"));
  process.exitCode = cannotRun;
}

/** The clone's own node, if it is there and new enough: never one that would come back here. */
function pinnedNode() {
  try {
    const home = join(root, "node_modules", "node");
    const binary = join(home, "bin", "node");
    return existsSync(binary) && isNewEnough(JSON.parse(readFileSync(join(home, "package.json"), "utf8")).version)
      ? binary
      : "";
  } catch {
    return "";
  }
}

function restart(node) {
  const child = spawn(node, [self].concat(process.argv.slice(2)), { stdio: "inherit" });
  // On a terminal its keys signal the child as well; passing them on would deliver them twice.
  const onTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  const passedOn = ["SIGTERM", "SIGHUP", "SIGUSR2", "SIGCONT"];
  const fromKeys = ["SIGINT", "SIGQUIT"];
  passedOn.forEach((name) => process.on(name, () => child.kill(name)));
  fromKeys.forEach((name) => process.on(name, () => onTerminal || child.kill(name)));
  child.on("error", (error) => giveUp(["sallyport: " + node + " does not start: " + error.message]));
  child.on("exit", (code, signal) => {
    if (signal === null) return process.exit(code);
    passedOn.concat(fromKeys).forEach((name) => process.removeAllListeners(name));
    process.kill(process.pid, signal);
    // A signal that does not end us (some are ignored by default) must not read as success.
    setTimeout(() => process.exit(128 + (constants.signals[signal] || 0)), 100);
  });
}

/** node 22 warns about node:sqlite at every start. That one warning says nothing to a user; all others stay. */
function quietSqlite() {
  const emitWarning = process.emitWarning;
  process.emitWarning = function (warning, ...rest) {
    const name = typeof rest[0] === "object" && rest[0] !== null ? rest[0].type : rest[0];
    if (name === "ExperimentalWarning" && String(warning).startsWith("SQLite is an experimental feature")) return;
    return emitWarning.call(process, warning, ...rest);
  };
}

function start() {
  const main = join(root, "dist", "cli", "main.js");
  if (!existsSync(main)) {
    return giveUp(["sallyport: dist/cli/main.js is missing.", "hint: this clone is not built yet; run: npm run build"]);
  }
  quietSqlite();
  return import(pathToFileURL(main).href)
    .then((cli) => cli.main(process.argv.slice(2)))
    .then((code) => {
      process.exitCode = code;
    });
}

if (isNewEnough(process.version)) {
  void start();
} else if (pinnedNode()) {
  restart(pinnedNode());
} else {
  giveUp([
    "sallyport: node 22.18 or newer is needed; this is " + process.version + ".",
    "hint: install node 24 from https://nodejs.org or your version manager; in a clone, npm run build fetches one.",
  ]);
}
