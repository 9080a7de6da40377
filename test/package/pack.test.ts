// The package as somebody gets it: packed, installed by npm in an empty project from a registry that has nothing but
// the dependencies, started by npx, and spoken to by an MCP client.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { isBuiltin } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import test, { after, before } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { root } from "../docs/documents.ts";
import { commit, git, makeRepository } from "../fixtures/git.ts";
import { isFull } from "../fixtures/runs.ts";
import { importsOf } from "../structure/source-scan.ts";

interface Manifest {
  readonly version: string;
  readonly dependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
  readonly exports?: Record<string, { readonly types: string; readonly default: string }>;
}

const place = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-pack-")));
const project = join(place, "project");
const installed = join(project, "node_modules/sallyport");
const env = {
  PATH: [dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter),
  HOME: join(place, "home"),
  LANG: "C.UTF-8",
  npm_config_cache: join(place, "cache"),
  npm_config_update_notifier: "false",
  npm_config_audit: "false",
  npm_config_fund: "false",
};
let packed: { filename: string; size: number; unpackedSize: number; files: { path: string; size: number }[] };
let closeRegistry = () => {};
let registry = "";

const readManifest = (directory: string): Manifest =>
  JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as Manifest;

/** Not a shell: the program, found on the PATH above. It must not block: the registry is in this process. */
async function run(command: string, args: readonly string[], cwd = project) {
  const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const status = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { status, stdout, stderr };
}

/** What the lock file names for users, packed from what is installed here. */
async function openRegistry(): Promise<string> {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean; optional?: boolean; peer?: boolean }>;
  };
  const paths = Object.entries(lock.packages)
    .filter(([path, { dev, devOptional, optional, peer }]) => path !== "" && !(dev || devOptional || optional || peer))
    .map(([path]) => path);
  let base = "";
  const server = createServer((request, response) => {
    const name = decodeURIComponent((request.url ?? "/").slice(1));
    const tarball = join(place, "registry", basename(name));
    if (name.endsWith(".tgz") && existsSync(tarball)) return response.end(readFileSync(tarball));
    const path = paths.find((one) => one === `node_modules/${name}`);
    if (path === undefined) return response.writeHead(404).end("{}");
    const manifest = readManifest(join(root, path));
    const dist = { tarball: `${base}/${tarballName(name)}` };
    return response.end(
      JSON.stringify({
        name,
        "dist-tags": { latest: manifest.version },
        versions: { [manifest.version]: { ...manifest, dist } },
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  closeRegistry = () => server.close().closeAllConnections();
  mkdirSync(join(place, "registry"));
  for (const path of paths) {
    const name = path.slice("node_modules/".length);
    const rename = `s,^\\./,package/,`;
    const file = join(place, "registry", tarballName(name));
    const made = spawnSync("tar", ["-I", "gzip -1", "-cf", file, "--transform", rename, "-C", join(root, path), "./"], {
      encoding: "utf8",
    });
    assert.equal(made.status, 0, made.stderr);
  }
  return base;
}

const tarballName = (name: string) => `${name.replace("@", "").replace("/", "-")}.tgz`;

before(async () => {
  assert.ok(existsSync(join(root, "dist/bundle/main.cjs")), "dist/ is missing; run: npm run build");
  for (const directory of [project, env.HOME]) mkdirSync(directory);
  writeFileSync(join(project, "package.json"), '{ "name": "empty", "private": true }\n');
  const pack = await run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", place], root);
  assert.equal(pack.status, 0, pack.stderr);
  const answer = JSON.parse(pack.stdout) as Record<string, typeof packed>;
  [packed] = Object.values(answer) as [typeof packed];
  registry = await openRegistry();
  const tarball = join(place, packed.filename);
  const install = await run("npm", ["install", "--ignore-scripts", "--registry", registry, tarball]);
  assert.equal(install.status, 0, install.stderr);
});

after(() => {
  closeRegistry();
  rmSync(place, { recursive: true, force: true });
});

test("the tarball holds what a user needs and nothing else", (t) => {
  const files = packed.files.map(({ path }) => path);
  const expected =
    /^(?:package\.json|README\.md|LICENSE|bin\/(?:sallyport\.js|package\.json)|native\/[\w.-]+|docs\/.*\.(?:md|svg|txt|png)|dist\/ui\/(?:[^/]+\.html|licences\.txt|manifest\.webmanifest)|dist\/ui\/.*\.(?:js|css|svg|png|woff2)|dist\/bundle\/(?:[\w-]+\.cjs|LICENSES\.txt)|dist\/(?!ui\/|bundle\/).*(?:\.js|\.d\.ts))$/;
  assert.deepEqual(
    files.filter((path) => !expected.test(path)),
    [],
  );
  assert.deepEqual(
    files.filter((path) => /(?:^|\/)(?:test|bench|node_modules|src|scripts)\/|(?<!\.d)\.tsx?$|\.map$/.test(path)),
    [],
  );
  for (const path of [
    "dist/index.js",
    "dist/index.d.ts",
    "dist/bundle/main.cjs",
    "dist/bundle/LICENSES.txt",
    "native/init-x64",
    "native/keeper-x64",
  ])
    assert.ok(files.includes(path), path);
  if (existsSync(join(root, "ui/index.html"))) assert.ok(files.includes("dist/ui/index.html"), "the web page is built");
  t.diagnostic(`${files.length} files, ${packed.size} bytes packed, ${packed.unpackedSize} unpacked`);
});

test("its files import only each other and what package.json names, and point to no file that is not there", () => {
  const { dependencies = {}, peerDependencies = {} } = readManifest(installed);
  const names = new Set([...Object.keys(dependencies), ...Object.keys(peerDependencies)]);
  const problems = globSync("dist/**/*.{js,cjs}", { cwd: installed })
    .filter((path) => !path.startsWith("dist/ui/"))
    .flatMap((path) => {
      const text = readFileSync(join(installed, path), "utf8");
      const missing = importsOf(text)
        .map(({ from }) => from)
        // Programs that a bundled library could write are text.
        .filter((from) => !(path.startsWith("dist/bundle/") && /^ajv(?:-formats)?\//.test(from)))
        .filter((from) =>
          from.startsWith(".")
            ? !existsSync(join(installed, dirname(path), from))
            : !isBuiltin(from) && !names.has(from.split("/", from.startsWith("@") ? 2 : 1).join("/")),
        );
      return [...missing, ...(text.includes("sourceMappingURL") ? ["a source map"] : [])].map(
        (from) => `${path}: ${from}`,
      );
    });
  assert.deepEqual(problems, []);
});

test("sallyport/browser: neither its file nor any that it imports imports a module of node", () => {
  const seen = new Set<string>();
  const ofNode = (path: string): string[] => {
    if (seen.has(path)) return [];
    seen.add(path);
    return importsOf(readFileSync(join(installed, path), "utf8")).flatMap(({ from }) => {
      if (from.startsWith(".")) return ofNode(join(dirname(path), from));
      return isBuiltin(from) ? [`${path} imports ${from}`] : [];
    });
  };
  assert.deepEqual(ofNode("dist/browser.js"), []);
  assert.ok(seen.size > 50, `${seen.size} files`);
  assert.notDeepEqual(ofNode("dist/index.js"), [], "the control: the other half does");
});

test("publint has nothing to say about it", async () => {
  const cli = join(root, "node_modules/.bin/publint");
  const { status, stdout, stderr } = await run(process.execPath, [
    cli,
    "run",
    "--strict",
    join(place, packed.filename),
  ]);
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, /All good!/);
});

test("npx sallyport doctor: calls can run", async () => {
  const { status, stdout, stderr } = await run("npx", ["--no", "sallyport", "doctor", "--json"]);
  assert.equal(status, 0, stdout + stderr);
  assert.equal((JSON.parse(stdout) as { ok: boolean }).ok, true);
});

test("the library loads by name, and so does every other entry that needs no package beside it", async () => {
  const program = 'console.log(typeof (await import("sallyport")).createGate)';
  const { stdout, stderr } = await run(process.execPath, ["--input-type=module", "-e", program]);
  assert.deepEqual([stdout, stderr], ["function\n", ""]);
  for (const { types, default: file } of Object.values(readManifest(installed).exports ?? {}))
    for (const path of [types, file]) assert.ok(existsSync(join(installed, path)), path);
});

test("an MCP client starts it as `sallyport init` says, lists its tools and runs a script in the box", async () => {
  const print = await run("npx", ["--no", "sallyport", "init", "--print", "claude-code", "--project"]);
  assert.equal(print.status, 0, print.stderr);
  const { command, args } = (
    JSON.parse(print.stdout) as { mcpServers: { sallyport: { command: string; args: string[] } } }
  ).mcpServers.sallyport;
  assert.deepEqual([command, ...args], ["npx", "--no", "sallyport", "mcp"]);
  const client = new Client({ name: "a-client", version: "1.0.0" });
  try {
    await client.connect(new StdioClientTransport({ command, args, cwd: project, env, stderr: "inherit" }));
    assert.equal(client.getServerVersion()?.name, "sallyport");
    const { tools } = await client.listTools();
    assert.ok(tools.some(({ name }) => name === "Bash"));
    const script = "echo $((6 * 7)); pwd; test -e $HOME/.config || echo nobody is at home";
    const reply = await client.callTool({ name: "Bash", arguments: { script } });
    const { ok, result } = reply.structuredContent as { ok: boolean; result: { stdout: string } };
    assert.equal(ok, true, JSON.stringify(reply));
    assert.equal(result.stdout, `42\n${realpathSync(project)}\nnobody is at home\n`);
  } finally {
    await client.close();
  }
});

if (isFull)
  test("an example runs in a project of one's own as examples/README.md says, which npm makes a CommonJS one", async () => {
    const own = join(place, "own");
    const repo = makeRepository(join(place, "docs-repo"), { isUnborn: true });
    commit(repo, "first", { "README.md": "# Docs  \n" });
    mkdirSync(own);
    const lines = /```sh\n([^]*?)```/.exec(readFileSync(join(root, "examples/README.md"), "utf8"))?.[1] ?? "";
    assert.match(lines, /npm install sallyport /);
    const here = lines.replace(
      "npm install sallyport",
      `npm install --ignore-scripts --registry ${registry} ${join(place, packed.filename)}`,
    );
    const example = (name: string) => readFileSync(join(root, "examples/ci-policy-only", name));
    for (const name of ["run.ts", "config.yaml"]) writeFileSync(join(own, name), example(name));
    const made = await run("sh", ["-ec", here], own);
    assert.equal(made.status, 0, made.stdout + made.stderr);
    const done = await run(process.execPath, ["run.ts", repo], own);
    assert.equal(done.status, 0, done.stdout + done.stderr);
    assert.equal(git(repo, ["show", "agent/tidy:README.md"]), "# Docs\n");
    await run("npm", ["pkg", "set", "type=commonjs"], own);
    const control = await run(process.execPath, ["run.ts", repo], own);
    assert.match(control.stderr, /import statement outside a module/, "the control: as npm init leaves it");
  });
