#!/usr/bin/env node
// The command. Plain old JavaScript: on a node that is too old it starts itself again on the pinned one of a clone,
// or says what to install. On a good one it hands over to the bundled command, dist/bundle/main.cjs.
// CommonJS (see bin/package.json): node starts that faster.
// Exit code 3: Sallyport cannot run here at all (node too old, not built).

"use strict";

const { existsSync, lstatSync, mkdirSync, readFileSync } = require("node:fs");
const nodeModule = require("node:module");
const { constants, homedir } = require("node:os");
const path = require("node:path");

const self = __filename;
const root = path.dirname(path.dirname(self));
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
    const home = path.join(root, "node_modules", "node");
    const binary = path.join(home, "bin", "node");
    return existsSync(binary) && isNewEnough(JSON.parse(readFileSync(path.join(home, "package.json"), "utf8")).version)
      ? binary
      : "";
  } catch {
    return "";
  }
}

function restart(node) {
  const { spawn } = require("node:child_process");
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
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = function (warning, ...rest) {
    const name = typeof rest[0] === "object" && rest[0] !== null ? rest[0].type : rest[0];
    if (name === "ExperimentalWarning" && String(warning).startsWith("SQLite is an experimental feature")) return;
    return emitWarning(warning, ...rest);
  };
}

/** Kept beside the state, where src/config/config-paths.ts lets no agent write: node runs what it finds there without a look. */
function compiledDirectory() {
  const custom = process.env.XDG_STATE_HOME || "";
  const home = process.env.HOME && path.isAbsolute(process.env.HOME) ? process.env.HOME : homedir();
  return path.join(path.isAbsolute(custom) ? custom : path.join(home, ".local", "state"), "sallyport", "compiled");
}

// SECURITY(T15): only a directory of our own that nobody else can write to, and no link to one.
function isPrivate(directory) {
  const found = lstatSync(directory);
  return found.isDirectory() && found.uid === process.geteuid() && (found.mode & 0o022) === 0;
}

/** Lets node keep what it made of the sources for the next start. Without it all works as well, only slower. */
function keepCompiled() {
  if (typeof nodeModule.flushCompileCache !== "function") return;
  try {
    const directory = compiledDirectory();
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (!isPrivate(path.dirname(directory)) || !isPrivate(directory)) return;
    nodeModule.enableCompileCache(directory);
    // It is written when we end; a server may never end, or be killed.
    setTimeout(() => nodeModule.flushCompileCache(), 5_000).unref();
  } catch {
    // No home, a full disk, a read-only one.
  }
}

function start() {
  const main = path.join(root, "dist", "bundle", "main.cjs");
  if (!existsSync(main)) {
    return giveUp([
      "sallyport: dist/bundle/main.cjs is missing.",
      "hint: this clone is not built yet; run: npm run build",
    ]);
  }
  quietSqlite();
  keepCompiled();
  return require(main)
    .main(process.argv.slice(2))
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
