// Makes ready what a clone lacks: dependencies, the pinned node, the programs of the system, the build.
// It says what it does, asks nothing, and when all is there it only looks at a few files.
// Plain JavaScript for any node from 18 on: it runs before the pinned node is there.
//
//   node scripts/prepare.js [--for start|test|build|extension]
//
// Invariant: it ends with 0 only when what the purpose needs is there.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, "node_modules");
const pinnedNode = join(modules, "node", "bin", "node");
const pageOutput = join(root, "dist", "ui");
const extensionOutput = join(root, "dist", "extension");
const bundleOutput = join(root, "dist", "bundle");
const stampFile = join(modules, ".cache", "sallyport", "prepared.json");

/** What each purpose needs of the system: a program (or its full path), and the Debian package that has it. */
const boxPrograms = [
  { program: "bwrap", pack: "bubblewrap" },
  { program: "prlimit", pack: "util-linux" },
  { program: "git", pack: "git" },
];
const testPrograms = [
  { program: "/usr/bin/nc", pack: "netcat-openbsd" },
  { program: "/usr/bin/curl", pack: "curl" },
  { program: "/usr/bin/openssl", pack: "openssl" },
  { program: "ip", pack: "iproute2" },
  { program: "/usr/bin/wget", pack: "wget" },
  { program: "/usr/bin/jq", pack: "jq" },
  { program: "/usr/bin/python3", pack: "python3" },
  { program: "/usr/bin/rg", pack: "ripgrep" },
  { program: "/usr/bin/tree", pack: "tree" },
  { program: "/usr/bin/xxd", pack: "xxd" },
  { program: "/usr/bin/column", pack: "bsdextrautils" },
  { program: "/usr/bin/less", pack: "less" },
  { program: "/usr/bin/make", pack: "make" },
  { program: "/usr/sbin/sshd", pack: "openssh-server" },
  { program: "/usr/bin/chromium", pack: "chromium" },
  { program: "/usr/bin/zsh", pack: "zsh" },
  { program: "/usr/bin/tmux", pack: "tmux" },
  { program: "/usr/bin/gpg", pack: "gnupg" },
  { program: "/usr/bin/strace", pack: "strace" },
  { program: "/usr/bin/gcc", pack: "gcc" },
  { program: "/usr/bin/aarch64-linux-gnu-gcc", pack: "gcc-aarch64-linux-gnu" },
  { program: "/usr/bin/qemu-aarch64", pack: "qemu-user" },
];
/** Tests use it where it is: the same engine as chromium's, for half of the processor time. Not every system has it. */
const headlessShell = { program: "/usr/lib/chromium/chromium-headless-shell", pack: "chromium-headless-shell" };
const compilerPrograms = [
  { program: "python3", pack: "python3" },
  { program: "make", pack: "make" },
  { program: "g++", pack: "g++" },
];

function say(line) {
  console.log("prepare: " + line);
}

class Stop extends Error {}

function stop(...lines) {
  throw new Stop(lines.join("\nprepare: "));
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}

function run(command, args, options) {
  const done = spawnSync(command, args, { cwd: root, stdio: "inherit", ...options });
  if (done.error) return String(done.error.message);
  if (done.signal) return command + " was ended by " + done.signal;
  return done.status === 0 ? "" : command + " ended with " + done.status;
}

/** The npm that started us, on the node that runs it: the one on the PATH may be in the directory `npm ci` replaces. */
function npm(args, env) {
  const cli = process.env.npm_execpath;
  const options = { env: { ...process.env, ...env } };
  if (cli && /npm-cli\.c?js$/.test(cli)) {
    return run(process.env.npm_node_execpath || process.execPath, [cli].concat(args), options);
  }
  return run("npm", args, options);
}

// Dependencies. Their install scripts stay off here: node-pty's would need a compiler, also where no test runs.

function prepareDependencies(stamp) {
  const lockFile = join(root, "package-lock.json");
  if (!existsSync(lockFile)) stop("package-lock.json is missing. Get it back with: git checkout package-lock.json");
  const hash = createHash("sha256").update(readFileSync(lockFile)).digest("hex");
  const installed = readJson(join(modules, ".package-lock.json"));
  if (installed && stamp.lock === hash) return;
  if (!installed || !holds(installed, readJson(lockFile))) {
    say("installing the dependencies with npm ci (a minute or more)");
    const problem = npm(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
    if (problem)
      stop("npm ci failed: " + problem, "Is the registry reachable? Try again with: npm ci --ignore-scripts");
    for (const key of Object.keys(stamp)) delete stamp[key];
  }
  stamp.lock = hash;
}

/** Whether everything the lock demands on this machine is installed in that version. */
function holds(installed, lock) {
  if (!lock || !lock.packages || !installed.packages) return false;
  return Object.keys(lock.packages).every((path) => {
    const wanted = lock.packages[path];
    if (path === "" || wanted.optional || wanted.devOptional || wanted.peer) return true;
    const found = installed.packages[path];
    return found !== undefined && found.version === wanted.version && existsSync(join(root, path));
  });
}

// The pinned node comes with the install script of the package `node`; `npm ci --ignore-scripts` leaves it out, and
// everything would silently run on an older one.

function prepareNode(stamp) {
  const wanted = "v" + readJson(join(root, "package.json")).devDependencies.node;
  if (stamp.node === wanted + " " + identity(pinnedNode)) return;
  if (pinnedVersion() !== wanted) {
    say("fetching node " + wanted + " into node_modules");
    const problem = npm(["rebuild", "node", "--ignore-scripts=false", "--loglevel=error"]);
    const found = pinnedVersion();
    if (problem || found !== wanted) {
      stop(
        "node_modules/.bin/node should be " +
          wanted +
          (found ? " and is " + found : " and does not start") +
          (problem ? ": " + problem : "") +
          ".",
        "Try again with: rm -rf node_modules && npm ci --ignore-scripts && npm rebuild node --ignore-scripts=false",
      );
    }
  }
  stamp.node = wanted + " " + identity(pinnedNode);
}

function pinnedVersion() {
  const done = spawnSync(join(modules, ".bin", "node"), ["--version"], { encoding: "utf8" });
  return done.status === 0 ? done.stdout.trim() : "";
}

function identity(file) {
  try {
    const stat = statSync(file);
    return stat.size + ":" + Math.floor(stat.mtimeMs);
  } catch {
    return "missing";
  }
}

// Programs of the system.

function isThere(program) {
  const places = program.startsWith("/") ? [program] : systemPath().map((directory) => join(directory, program));
  return places.some((place) => {
    try {
      accessSync(place, constants.X_OK);
      return statSync(place).isFile();
    } catch {
      return false;
    }
  });
}

function systemPath() {
  return (process.env.PATH || "/usr/local/bin:/usr/bin:/bin").split(delimiter).filter((entry) => entry.startsWith("/"));
}

/** Installs what is missing when it may; else answers with the lines that say what a person has to do. */
function installPrograms(needed) {
  const missing = needed.filter((entry) => !isThere(entry.program));
  if (missing.length === 0) return [];
  const packs = Array.from(new Set(missing.map((entry) => entry.pack)));
  const names =
    missing.map((entry) => entry.program).join(", ") + (missing.length === 1 ? " is" : " are") + " missing.";
  const install = ["install", "-y", "--no-install-recommends"].concat(packs);
  if (!isThere("apt-get")) return [names, "Install with the package manager of this system: " + packs.join(" ")];
  if (process.getuid() !== 0) return [names, "Install with: sudo apt-get install -y " + packs.join(" ")];
  say("installing " + packs.join(", ") + " with apt-get");
  const quiet = { stdio: ["ignore", "ignore", "inherit"], env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } };
  // A stale or unreachable list need not matter: the install decides.
  const updating = run("apt-get", ["update", "-q"], quiet);
  const problem = run("apt-get", ["-q"].concat(install), quiet);
  if (problem) return [names, "apt-get " + install.join(" ") + " failed: " + (updating || problem)];
  const still = missing.filter((entry) => !isThere(entry.program));
  return still.map((entry) => entry.pack + " is installed, but " + entry.program + " is still missing.");
}

function preparePrograms(purpose, stamp) {
  const problems = installPrograms(purpose === "test" ? boxPrograms.concat(testPrograms) : boxPrograms);
  if (purpose === "test" && problems.length === 0 && stamp.headlessShell !== "failed") {
    if (installPrograms([headlessShell]).length > 0) {
      say("without " + headlessShell.pack + ", the page's tests use chromium and take longer");
      stamp.headlessShell = "failed";
    }
  }
  if (problems.length === 0) return;
  if (purpose === "test") stop(...problems);
  problems.forEach((line) => say("warning: " + line));
}

// node-pty has no ready-made binary for Linux. The headers of the pinned node are in its package; a user's own
// `nodedir` setting would name those of another one.

function prepareTerminalTests(stamp) {
  const built = join(modules, "node-pty", "build", "Release", "pty.node");
  if (existsSync(built) || stamp.terminal === "failed") return;
  const problems = installPrograms(compilerPrograms);
  if (problems.length === 0) {
    say("compiling node-pty for the terminal tests");
    const headers = join(modules, "node", "node_modules", "node-" + process.platform + "-" + process.arch);
    const env = existsSync(join(headers, "include")) ? { npm_config_nodedir: headers } : {};
    const problem = npm(["rebuild", "node-pty", "--ignore-scripts=false", "--loglevel=error"], env);
    if (!problem) return;
    problems.push("node-pty did not compile: " + problem);
    stamp.terminal = "failed";
  }
  problems.concat("The terminal tests will be skipped.").forEach((line) => say("warning: " + line));
}

// The Claude Agent SDK is for one example alone, and brings 230 MB of programs that no test needs: without them.

function prepareExamples(stamp) {
  const directory = join(root, "examples", "claude-agent");
  const lockFile = join(directory, "package-lock.json");
  if (!existsSync(lockFile)) return;
  const hash = createHash("sha256").update(readFileSync(lockFile)).digest("hex");
  if (stamp.examples === hash && existsSync(join(directory, "node_modules"))) return;
  say("installing the Claude Agent SDK for its example");
  const problem = npm(["ci", "--prefix", directory, "--omit=optional", "--ignore-scripts", "--loglevel=error"]);
  if (!problem) stamp.examples = hash;
  else say("warning: npm ci in " + relative(root, directory) + ": " + problem + ". Its tests will be skipped.");
}

// The build.

function filesUnder(directory) {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    return entry.isDirectory() ? filesUnder(path) : [path];
  });
}

function hashOf(files) {
  const seen = files.map((file) => relative(root, file) + " " + identity(file)).sort();
  return createHash("sha256").update(seen.join("\n")).digest("hex");
}

function prepareBuild(stamp) {
  const sources = filesUnder(join(root, "src")).filter((file) => file.endsWith(".ts"));
  const inputs = sources.concat(
    ["package-lock.json", "tsconfig.json", "tsconfig.build.json"].map((name) => join(root, name)),
  );
  const hash = hashOf(inputs);
  const outputs = sources.map((file) => join(root, "dist", relative(join(root, "src"), file)).replace(/\.ts$/, ".js"));
  if (stamp.build === hash && outputs.every((file) => existsSync(file))) return;
  say("building dist/");
  delete stamp.build;
  const compiler = join(modules, "typescript", "bin", "tsc");
  const problem = run(pinnedNode, [compiler, "-p", "tsconfig.build.json"]);
  if (problem) stop("the build failed: " + problem);
  // A file that was renamed must not live on in the package.
  const expected = new Set(outputs.map((file) => file.slice(0, -".js".length)));
  for (const file of filesUnder(join(root, "dist"))) {
    if ([pageOutput, bundleOutput, extensionOutput].some((output) => file.startsWith(output + sep))) continue;
    if (!expected.has(file.replace(/(\.d\.ts|\.js)$/, ""))) rmSync(file);
  }
  stamp.build = hash;
}

// The command in a few files, so that it starts quickly.

function prepareBundle(stamp) {
  const script = join(root, "scripts", "bundle-command.js");
  const sources = filesUnder(join(root, "src"));
  if (!existsSync(script)) return;
  const hash = hashOf(sources.concat(script, join(root, "package-lock.json")));
  if (stamp.bundle === hash && existsSync(join(bundleOutput, "main.cjs"))) return;
  say("building dist/bundle/");
  delete stamp.bundle;
  const problem = run(pinnedNode, [script]);
  if (problem) stop("the build of the command failed: " + problem);
  stamp.bundle = hash;
}

// The web page, and the extension, which is made of it. Both take a few files of src/ along, so a change of any of them counts;
// vite empties the directory of each.

function preparePage(stamp) {
  prepareWithVite(stamp, { name: "page", folders: ["ui"], output: pageOutput, start: "index.html" });
}

function prepareExtension(stamp) {
  prepareWithVite(stamp, {
    name: "extension",
    folders: ["extension", "ui"],
    output: extensionOutput,
    start: "panel.html",
  });
}

function prepareWithVite(stamp, { name, folders, output, start }) {
  const [folder] = folders;
  if (!existsSync(join(root, folder))) return;
  const sources = folders.flatMap((one) => filesUnder(join(root, one)));
  const inputs = sources.concat(
    filesUnder(join(root, "src")),
    join(root, "package-lock.json"),
    join(root, "tsconfig.json"),
  );
  const hash = hashOf(inputs);
  if (stamp[name] === hash && existsSync(join(output, start))) return;
  say("building " + relative(root, output) + "/");
  delete stamp[name];
  const bundler = join(modules, "vite", "bin", "vite.js");
  const problem = run(pinnedNode, [bundler, "build", "--config", join(folder, "vite.config.ts")]);
  if (problem) stop("the build of the " + name + " failed: " + problem);
  stamp[name] = hash;
}

function main(args) {
  const purpose = args.length === 0 ? "start" : args[0] === "--for" && args.length === 2 ? args[1] : "";
  if (!["start", "test", "build", "extension"].includes(purpose))
    stop("usage: node scripts/prepare.js [--for start|test|build|extension]");
  if (Number(process.versions.node.split(".")[0]) < 18)
    stop("this is node " + process.version + "; node 18 or newer is needed to begin with.");
  if (process.platform !== "linux") stop("Sallyport runs on Linux; this is " + process.platform + ".");
  const stamp = readJson(stampFile) || {};
  const before = JSON.stringify(stamp);
  try {
    prepareDependencies(stamp);
    prepareNode(stamp);
    if (purpose === "extension") return prepareExtension(stamp);
    if (purpose !== "build") preparePrograms(purpose, stamp);
    if (purpose === "test") {
      prepareTerminalTests(stamp);
      prepareExamples(stamp);
    }
    prepareBuild(stamp);
    prepareBundle(stamp);
    preparePage(stamp);
    if (purpose === "test") prepareExtension(stamp);
  } finally {
    if (JSON.stringify(stamp) !== before && existsSync(modules)) {
      mkdirSync(dirname(stampFile), { recursive: true });
      writeFileSync(stampFile, JSON.stringify(stamp, null, 2) + "\n");
    }
  }
}

try {
  main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof Stop)) throw error;
  console.error("prepare: " + error.message);
  process.exitCode = 1;
}
