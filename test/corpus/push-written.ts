// Hostile and awkward targets: what lands is exactly what was reviewed, nothing of the target runs, nothing of it is lost.
// Beside each, the control: plain git, or a plain program, in the same place, to which it does happen.

import { strict as assert } from "node:assert";
import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { plainEnvironment } from "../fixtures/git.ts";
import { assertExactly, commitAll, look, plain, type PushBench, tryPlain, writeFile } from "./push-bench.ts";
import { type World, writeScript } from "./world.ts";

export interface Written {
  readonly prepare?: (world: World) => void;
  /** Stages, pushes, and looks at what landed. */
  readonly check: (bench: PushBench) => Promise<void>;
  /** Without us it does happen. */
  readonly control?: (world: World) => void;
}

async function pushOne(bench: PushBench, path: string, content: string, branch = "main"): Promise<string> {
  await bench.write(path, content);
  const sha = await bench.push(await bench.stage([path]), branch);
  assertExactly(bench.world.repo, sha, { [path]: content });
  assert.equal(look(bench.world.repo, "rev-parse", branch).trim(), sha);
  return sha;
}

const runsOnCommit = (configure: (world: World, script: string) => void): Written => ({
  prepare(world) {
    const script = join(world.out, "h.sh");
    writeScript(script, `touch ${world.marker}; cat`);
    configure(world, script);
  },
  check: async (bench) => void (await pushOne(bench, "a.md", "as it was reviewed\n")),
  control(world) {
    writeFile(world.repo, "a.md", "by hand\n");
    tryPlain(world.repo, "add", "a.md");
    tryPlain(world.repo, "commit", "-m", "by hand");
    assert.ok(existsSync(world.marker), "plain git does not run it: the fixture is broken");
  },
});

export const written: Readonly<Record<string, Written>> = {
  "push-write-symlink-parent-in-target": {
    prepare(world) {
      symlinkSync(world.out, join(world.repo, "docs"));
      commitAll(world.repo, "a link");
    },
    async check(bench) {
      await bench.write("docs/x.md", "x\n");
      const commitId = await bench.stage(["docs/x.md"]);
      const reply = await bench.call("git_push", { commitId, target: { type: "local", path: bench.world.repo } });
      assert.equal(existsSync(join(bench.world.out, "x.md")), false);
      // Either it is refused, or the link gives way to a directory and a person has seen that.
      if (!reply.ok) return assert.equal(reply.error, "conflict");
      assertExactly(bench.world.repo, String(reply.result["commitSha"]), { docs: null, "docs/x.md": "x\n" });
      assert.ok(bench.person.asked[0]?.diff?.some(({ path, operation }) => path === "docs" && operation === "delete"));
    },
    control({ repo, out }) {
      writeFileSync(join(repo, "docs/x.md"), "x\n");
      assert.ok(existsSync(join(out, "x.md")));
    },
  },
  "push-write-symlink-race": {
    prepare(world) {
      writeFile(world.repo, "docs/first.md", "first\n");
      commitAll(world.repo, "a directory");
    },
    async check(bench) {
      const { repo, out } = bench.world;
      for (let round = 0; round < 8; round += 1) {
        const swapper = startSwapping(repo, out);
        await bench.write(`docs/x${round}.md`, `${round}\n`);
        const commitId = await bench.stage([`docs/x${round}.md`]);
        const reply = await bench.call("git_push", { commitId, target: { type: "local", path: repo } });
        await swapper.stop();
        if (!reply.ok) assert.ok(["conflict", "changed", "tool_failed"].includes(reply.error), JSON.stringify(reply));
        else assertExactly(repo, String(reply.result["commitSha"]), { [`docs/x${round}.md`]: `${round}\n` });
        assert.deepEqual(
          readdirSync(out).filter((name) => /^x\d/.test(name)),
          [],
          "something was written through the link",
        );
      }
    },
    control({ repo, out }) {
      renameSync(join(repo, "docs"), join(repo, "docs.real"));
      symlinkSync(out, join(repo, "docs"));
      writeFileSync(join(repo, "docs/x0.md"), "0\n");
      assert.ok(existsSync(join(out, "x0.md")));
    },
  },
  "push-write-target-staged-index": {
    prepare(world) {
      writeFile(world.repo, "theirs.txt", "staged by the person\n");
      plain(world.repo, "add", "theirs.txt");
    },
    async check(bench) {
      await pushOne(bench, "a.md", "a\n");
      assert.equal(plain(bench.world.repo, "status", "--porcelain"), "A  theirs.txt\n");
    },
    control({ repo }) {
      writeFile(repo, "a.md", "a\n");
      plain(repo, "add", "a.md");
      plain(repo, "commit", "-q", "-m", "x");
      assert.match(plain(repo, "show", "--name-only", "--format="), /theirs\.txt/);
    },
  },
  "push-write-target-commit-template": {
    prepare(world) {
      const script = join(world.out, "editor.sh");
      writeScript(script, `touch ${world.marker}; echo edited > "$1"`);
      writeFile(world.out, "template", "from the template\n");
      plain(world.repo, "config", "core.editor", script);
      plain(world.repo, "config", "commit.template", join(world.out, "template"));
    },
    async check(bench) {
      const sha = await pushOne(bench, "a.md", "a\n");
      assert.equal(plain(bench.world.repo, "log", "-1", "--format=%s", sha), "a commit\n");
    },
    control({ repo, marker }) {
      writeFile(repo, "a.md", "a\n");
      plain(repo, "add", "a.md");
      tryPlain(repo, "commit");
      assert.ok(existsSync(marker));
    },
  },
  "push-write-target-gpgsign": runsOnCommit((world, script) => {
    plain(world.repo, "config", "commit.gpgSign", "true");
    plain(world.repo, "config", "gpg.program", script);
  }),
  "push-write-target-filter": {
    prepare(world) {
      writeFile(world.repo, ".gitattributes", "*.md filter=x\n");
      commitAll(world.repo, "attributes");
      plain(world.repo, "config", "filter.x.clean", `touch ${world.marker}; tr a-z A-Z`);
      plain(world.repo, "config", "filter.x.smudge", `touch ${world.marker}; cat`);
    },
    check: async (bench) => void (await pushOne(bench, "a.md", "as it was reviewed\n")),
    control({ repo, marker }) {
      writeFile(repo, "a.md", "as it was reviewed\n");
      plain(repo, "add", "a.md");
      assert.ok(existsSync(marker));
      assert.equal(plain(repo, "cat-file", "blob", ":a.md"), "AS IT WAS REVIEWED\n");
    },
  },
  "push-write-target-attributes-staged": {
    async check(bench) {
      const files = { ".gitattributes": "* text eol=crlf\n", "a.md": "a\nb\n" };
      for (const [path, content] of Object.entries(files)) await bench.write(path, content);
      const sha = await bench.push(await bench.stage(Object.keys(files)));
      assertExactly(bench.world.repo, sha, files);
      assert.match(
        bench.person.asked[0]?.text ?? "",
        /WARNING +\.gitattributes: it changes how other files are stored/,
      );
    },
  },
  "push-write-target-sparse": {
    prepare(world) {
      writeFile(world.repo, "inside/b.md", "b\n");
      writeFile(world.repo, "outside/c.md", "c\n");
      commitAll(world.repo, "two directories");
      plain(world.repo, "sparse-checkout", "set", "--cone", "inside");
      assert.equal(existsSync(join(world.repo, "outside")), false);
    },
    async check(bench) {
      const { repo } = bench.world;
      for (const [path, content] of [
        ["inside/b.md", "b2\n"],
        ["outside/c.md", "c2\n"],
      ] as const) {
        await bench.write(path, content);
      }
      const sha = await bench.push(await bench.stage(["inside/b.md", "outside/c.md"]), "main");
      assertExactly(repo, sha, { "inside/b.md": "b2\n", "outside/c.md": "c2\n" });
      assert.equal(readFileSync(join(repo, "inside/b.md"), "utf8"), "b2\n");
      assert.equal(existsSync(join(repo, "outside/c.md")), false, "what the person does not want on disk stays away");
      assert.equal(plain(repo, "status", "--porcelain"), "");
    },
    control({ repo }) {
      writeFile(repo, "outside/c.md", "c2\n");
      assert.notEqual(tryPlain(repo, "add", "outside/c.md").status, 0);
    },
  },
  "push-write-target-detached": {
    prepare: (world) => void plain(world.repo, "branch", "side"),
    async check(bench) {
      const { repo } = bench.world;
      const state = () => [
        readFileSync(join(repo, ".git/HEAD"), "utf8"),
        plain(repo, "status", "--porcelain"),
        plain(repo, "ls-files", "-s"),
      ];
      const before = state();
      await pushOne(bench, "a.md", "a\n", "side");
      assert.deepEqual(state(), before);
      assert.equal(existsSync(join(repo, "a.md")), false);
    },
  },
  "push-write-target-locked": {
    prepare: (world) => writeFile(world.repo, ".git/index.lock", ""),
    async check(bench) {
      const { repo } = bench.world;
      const before = plain(repo, "rev-parse", "main");
      await bench.write("a.md", "a\n");
      const commitId = await bench.stage(["a.md"]);
      const reply = await bench.refused("git_push", { commitId, target: { type: "local", path: repo } });
      assert.equal(reply.error, "conflict", reply.message);
      assert.equal(plain(repo, "rev-parse", "main"), before);
      assert.equal(existsSync(join(repo, "a.md")), false);
      assert.ok(existsSync(join(repo, ".git/index.lock")), "it is the person's, and stays");
      rmSync(join(repo, ".git/index.lock"));
      await bench.push(commitId);
      assert.equal(plain(repo, "status", "--porcelain"), "");
    },
    control({ repo }) {
      writeFile(repo, "a.md", "a\n");
      assert.notEqual(tryPlain(repo, "add", "a.md").status, 0);
    },
  },
  "push-write-target-config-fsmonitor": runsOnCommit(
    (world, script) => void plain(world.repo, "config", "core.fsmonitor", script),
  ),
  "push-write-target-remote-pushurl": {
    prepare(world) {
      for (const name of ["shown.git", "effective.git"]) plain(world.out, "init", "-q", "--bare", name);
      plain(world.repo, "config", "remote.origin.url", join(world.out, "shown.git"));
      plain(world.repo, "config", "remote.origin.pushurl", join(world.out, "effective.git"));
    },
    async check(bench) {
      await pushOne(bench, "a.md", "a\n");
      assert.equal(bench.person.asked[0]?.action.push?.place, bench.world.repo);
      for (const name of ["shown.git", "effective.git"])
        assert.equal(plain(join(bench.world.out, name), "for-each-ref"), "", `something arrived in ${name}`);
    },
    control({ repo, out }) {
      plain(repo, "push", "-q", "origin", "main");
      assert.notEqual(plain(join(out, "effective.git"), "for-each-ref"), "");
      assert.equal(plain(join(out, "shown.git"), "for-each-ref"), "");
    },
  },
  "push-write-target-receivepack": {
    prepare(world) {
      plain(world.out, "init", "-q", "--bare", "origin.git");
      plain(world.repo, "config", "remote.origin.url", join(world.out, "origin.git"));
      plain(world.repo, "config", "remote.origin.receivepack", `touch ${world.marker};`);
    },
    check: async (bench) => void (await pushOne(bench, "a.md", "a\n")),
    control({ repo, marker }) {
      tryPlain(repo, "push", "-q", "origin", "main");
      assert.ok(existsSync(marker));
    },
  },
  "push-write-target-credential-helper": {
    prepare: (world) => void plain(world.repo, "config", "credential.helper", `!touch ${world.marker}`),
    check: async (bench) => void (await pushOne(bench, "a.md", "a\n")),
    control({ repo, marker }) {
      const input = "protocol=https\nhost=example.invalid\n\n";
      const env = { ...plainEnvironment, GIT_TERMINAL_PROMPT: "0" };
      spawnSync("/usr/bin/git", ["-C", repo, "credential", "fill"], { env, input });
      assert.ok(existsSync(marker));
    },
  },
  "push-write-delete-op": {
    async check(bench) {
      const { repo } = bench.world;
      const target = { type: "local", path: repo };
      await bench.done("git_pull", { source: target, paths: ["a.txt"] });
      await bench.done("delete_file", { path: "a.txt" });
      const commitId = await bench.stage(["a.txt"]);
      writeFile(repo, "a.txt", "changed since\n");
      commitAll(repo, "meanwhile");
      bench.person.says = () => {
        writeFile(repo, "a.txt", "and once more\n");
        commitAll(repo, "while the question is open");
        return {};
      };
      await bench.refused("git_push", { commitId, target }, "conflict");
      assert.equal(plain(repo, "show", "main:a.txt"), "and once more\n");
      bench.person.says = () => ({});
      const { commitSha } = await bench.done("git_push", { commitId, target });
      assert.equal(bench.person.asked.length, 2, "a yes to the other state does not count");
      for (const { text } of bench.person.asked)
        assert.match(text, /WARNING +a\.txt: in the target it is not what was pulled/);
      assertExactly(repo, String(commitSha), { "a.txt": null });
    },
  },
  "push-write-token-env": {
    async check(bench) {
      const token = "ghp_canarycanarycanarycanarycanarycanary";
      process.env["GITHUB_TOKEN"] = token;
      try {
        await bench.write("big.txt", Array.from({ length: 60_000 }, (_, index) => `line ${index * 7919}\n`).join(""));
        const commitId = await bench.stage(["big.txt"]);
        const watch = watchGit(token);
        await bench.push(commitId, "main");
        const { seen, withToken } = watch.stop();
        assert.ok(seen > 0, "no git was seen at all: the fixture is broken");
        assert.equal(withToken, 0);
        const probe = await bench.done("Bash", { script: "env; cat /proc/*/environ 2>/dev/null" });
        assert.ok(!String(probe["stdout"]).includes(token));
      } finally {
        delete process.env["GITHUB_TOKEN"];
      }
    },
  },
};

/** A program of somebody else's that turns docs into a link to `out` and back, as fast as it can. */
function startSwapping(repo: string, out: string) {
  const program = `
    const { renameSync, symlinkSync } = require("node:fs");
    const [docs, real, link] = ["docs", "docs.real", "docs.link"].map((name) => ${JSON.stringify(repo)} + "/" + name);
    symlinkSync(${JSON.stringify(out)}, link);
    process.stdout.write("go");
    for (;;) {
      try { renameSync(docs, real); renameSync(link, docs); renameSync(docs, link); renameSync(real, docs); } catch {}
    }`;
  const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "ignore"] });
  return {
    async stop() {
      child.kill("SIGKILL");
      await new Promise((resolve) =>
        child.exitCode !== null || child.signalCode !== null ? resolve(null) : child.once("exit", resolve),
      );
      const at = (name: string) => join(repo, name);
      for (const name of ["docs", "docs.link"]) if (isLink(at(name))) rmSync(at(name));
      if (existsSync(at("docs.real"))) {
        rmSync(at("docs"), { recursive: true, force: true });
        renameSync(at("docs.real"), at("docs"));
      }
      if (!existsSync(at("docs"))) mkdirSync(at("docs"));
      plain(repo, "checkout", "-q", "-f", "main");
    },
  };
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** Looks at the environment of every git on the machine that this process started, as often as it can. */
function watchGit(token: string) {
  const pids = new Set<string>();
  const bad = new Set<string>();
  let isDone = false;
  const look = () => {
    for (const pid of readdirSync("/proc")) {
      if (!/^\d+$/.test(pid)) continue;
      try {
        if (readFileSync(`/proc/${pid}/comm`, "utf8") !== "git\n") continue;
        const environment = readFileSync(`/proc/${pid}/environ`, "utf8");
        if (environment === "") continue;
        pids.add(pid);
        if (environment.includes(token)) bad.add(pid);
      } catch {
        // gone, or not ours to read
      }
    }
    if (!isDone) setImmediate(look);
  };
  look();
  return {
    stop() {
      isDone = true;
      return { seen: pids.size, withToken: bad.size };
    },
  };
}
