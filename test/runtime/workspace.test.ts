// Programs and files together: what one side does, the other sees; two at once; kept, and thrown away.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import test, { after } from "node:test";
import { makeTestDirectories } from "../fixtures/gate.ts";
import { ran, refused } from "../fixtures/run.ts";
import { openScriptGate, type ScriptGate } from "../fixtures/script-gate.ts";

const directories = makeTestDirectories();
after(() => directories.remove());

function withGate(title: string, body: (tools: ScriptGate) => Promise<void>): void {
  test(title, async () => {
    const tools = openScriptGate(directories);
    try {
      await body(tools);
    } finally {
      tools.close();
    }
  });
}

const changesOf = ({
  artifacts,
}: {
  artifacts: readonly { path: string; operation: string; size: number }[];
}): string[] =>
  artifacts.map(({ path, operation, size }) => `${operation} ${path.slice("/workspace/".length)} ${size}`);

async function pathsOf(tools: ScriptGate): Promise<string[]> {
  const { files } = (await tools.done("list_files")) as { files: { path: string }[] };
  return files.map(({ path }) => path.slice("/workspace/".length));
}

withGate("file tools, Bash, Python and Exec see the same files", async (tools) => {
  await tools.done("write_file", { path: "a/one.txt", content: "1\n" });
  assert.equal((await tools.ranBash("cat a/one.txt; echo 2 > a/two.txt")).stdout, "1\n");
  assert.equal(ran(await tools.python("print(open('a/two.txt').read())")).stdout, "2\n\n");
  assert.equal(await tools.text("a/two.txt"), "2\n");
  await tools.done("edit_file", { path: "a/two.txt", old_text: "2", new_text: "two" });
  const exec = ran(await tools.call("Exec", { argv: ["/bin/cat", "/workspace/a/two.txt"] }));
  assert.equal(exec.stdout, "two\n");
  await tools.done("delete_file", { path: "a/one.txt" });
  assert.equal((await tools.ranBash("ls a")).stdout, "two.txt\n");
});

withGate("created, changed, deleted, mode and link come back, and nothing else does", async (tools) => {
  for (const name of ["same", "changed", "gone", "mode", "d/x", "d/y"])
    await tools.done("write_file", { path: name, content: `${name}\n` });
  const script =
    "echo more >> changed; rm gone; chmod +x mode; ln -s changed link; echo n > new; rm -r d; echo f > d; cat same; touch same";
  assert.deepEqual(changesOf(await tools.ranBash(script)), [
    "update changed 13",
    "create d 2",
    "delete d/x 0",
    "delete d/y 0",
    "delete gone 0",
    "create link 7",
    "update mode 5",
    "create new 2",
  ]);
  assert.deepEqual(await pathsOf(tools), ["changed", "d", "link", "mode", "new", "same"]);
  assert.deepEqual(changesOf(await tools.ranBash("cat changed > /dev/null; echo x > /tmp/x")), []);
  assert.deepEqual(changesOf(await tools.ranBash("mv new moved; mkdir e; mv d e/d")), [
    "delete d 0",
    "create e/d 2",
    "create moved 2",
    "delete new 0",
  ]);
});

withGate("programs may have repositories of their own; nothing of a .git comes back", async (tools) => {
  const git = "git -c user.name=A -c user.email=a@example.org";
  const made = await tools.ranBash(
    `git init -q . && echo x > f && ${git} add f && ${git} commit -qm one && git log --oneline | wc -l`,
  );
  assert.deepEqual([made.exit_code, made.stdout.trim()], [0, "1"], made.stderr);
  assert.deepEqual(changesOf(made), ["create f 2"]);
  const later = await tools.ranBash(
    "ls -A; mkdir -p sub/.git/hooks; echo evil > sub/.git/hooks/pre-commit; echo s > sub/s",
  );
  assert.deepEqual([later.stdout, changesOf(later)], ["f\n", ["create sub/s 2"]]);
  assert.deepEqual(await pathsOf(tools), ["f", "sub/s"]);
});

withGate("what cannot be kept is left out and said; the rest comes", async (tools) => {
  const result = await tools.ranBash(
    "mkfifo pipe; echo fine > fine; printf x > $'bad\\xffname'; printf y > $'line\\nfeed'; ln -s /usr out",
  );
  assert.deepEqual(changesOf(result), ["create fine 5"]);
  const reasons = (result.not_kept ?? [])
    .map(({ reason }) => reason)
    .sort()
    .join("; ");
  assert.equal(result.not_kept?.length, 4, JSON.stringify(result.not_kept));
  assert.match(reasons, /neither a file nor a link/);
  assert.match(reasons, /not UTF-8/);
  assert.match(reasons, /control character/);
  assert.match(reasons, /leads out of the workspace/);
});

withGate("killed half way, the workspace is whole and has what was done until then", async (tools) => {
  await tools.done("write_file", { path: "count", content: "0\n" });
  const script = "for i in $(seq 1 100000); do echo $i > tmp.$$ && mv tmp.$$ count && echo $i > n.$((i % 50)); done";
  const killed = await tools.ranBash(script, { timeout_s: 1 });
  assert.equal(killed.timed_out, true);
  const count = Number(await tools.text("count"));
  assert.ok(count > 0, `${count}`);
  const seen = (await tools.ranBash("cat count; ls | wc -l")).stdout;
  assert.equal(seen, `${count}\n${(await pathsOf(tools)).length}\n`, "both sides agree");
  assert.ok(killed.artifacts.some(({ path }) => path === "/workspace/count"));
});

withGate("twenty calls at once keep each other's files", async (tools) => {
  await tools.done("write_file", { path: "shared", content: "s\n" });
  const calls = Array.from({ length: 20 }, async (_, index) => {
    if (index % 4 === 0) return await tools.done("write_file", { path: `tool-${index}`, content: `${index}` });
    return ran(
      await tools.bash(
        `mkdir -p d; echo ${index} > d/made-${index}; cat shared; sleep 0.1; echo ${index} > top-${index}`,
      ),
    );
  });
  await Promise.all(calls);
  const expected = Array.from({ length: 20 }, (_, index) =>
    index % 4 === 0 ? [`tool-${index}`] : [`d/made-${index}`, `top-${index}`],
  ).flat();
  assert.deepEqual(await pathsOf(tools), [...expected, "shared"].sort());
  assert.equal((await tools.ranBash("ls d | wc -l")).stdout, "15\n");
});

withGate("for one file the call that ends later stands, whole", async (tools) => {
  await Promise.all([
    tools.ranBash("sleep 0.6; printf late > f"),
    tools.ranBash("printf early-and-longer > f; sleep 0.1"),
  ]);
  assert.equal(await tools.text("f"), "late");
});

test("a session with a name is kept over gates; one without is gone", async () => {
  const first = openScriptGate(directories, {}, { session: "kept" });
  await first.done("write_file", { path: "by-tool", content: "1" });
  await first.ranBash("echo 2 > by-bash; chmod +x by-bash; ln -s by-bash link");
  first.close();
  const second = openScriptGate(directories, {}, { session: "kept" });
  assert.deepEqual(await pathsOf(second), ["by-bash", "by-tool", "link"]);
  assert.equal((await second.ranBash("cat link; [ -x by-bash ] && rm by-tool")).stdout, "2\n");
  second.close();
  const third = openScriptGate(directories, {}, { session: "kept" });
  assert.deepEqual(await pathsOf(third), ["by-bash", "link"]);
  third.close();
  const other = openScriptGate(directories, {}, { session: "another" });
  assert.deepEqual(await pathsOf(other), []);
  other.close();
  for (const _ of [1, 2]) {
    const unnamed = openScriptGate(directories);
    assert.deepEqual(await pathsOf(unnamed), []);
    await unnamed.ranBash("echo x > f");
    unnamed.close();
  }
});

test("two gates on one session at once see each other's files", async () => {
  const [one, two] = [
    openScriptGate(directories, {}, { session: "both" }),
    openScriptGate(directories, {}, { session: "both" }),
  ];
  await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      (index % 2 === 0 ? one : two).ranBash(`echo ${index} > f${index}; sleep 0.05`),
    ),
  );
  const names = Array.from({ length: 8 }, (_, index) => `f${index}`);
  assert.deepEqual([await pathsOf(one), await pathsOf(two)], [names, names]);
  assert.equal((await one.ranBash("cat f1; rm f2")).stdout, "1\n");
  assert.equal((await two.ranBash("ls | wc -l")).stdout, "7\n");
  one.close();
  two.close();
});

/** Whether any file of the host's disks holds the text: not tmpfs, which is memory. */
function onDisk(text: string, ...directories: string[]): string[] {
  return directories.flatMap((directory) =>
    spawnSync("grep", ["-rlaF", "--", text, directory], { encoding: "utf8" })
      .stdout.split("\n")
      .filter((line) => line !== ""),
  );
}

test("nothing of a workspace that is not kept is on the person's disk; of one that is, only in the state", async () => {
  const canary = ["violet", "otter", process.pid].join("-");
  const configHome = process.env["XDG_CONFIG_HOME"];
  const own = makeTestDirectories();
  const tools = openScriptGate(own);
  // Its text is made inside: the record has the words of the call.
  const script = `printf '%s-%s-%s' violet otter ${process.pid} > secret.txt; mkdir d; cp secret.txt d/; sleep 0.3; cat secret.txt`;
  const running = tools.ranBash(script);
  await new Promise((resolve) => setTimeout(resolve, 150));
  const places = [own.base, "/var/tmp"];
  const during = onDisk(canary, ...places);
  assert.equal((await running).stdout, canary);
  assert.deepEqual([during, onDisk(canary, ...places)], [[], []]);
  assert.equal(await tools.text("d/secret.txt"), canary);
  await tools.done("delete_file", { path: "secret.txt" });
  tools.close();
  assert.deepEqual(onDisk(canary, ...places), []);
  const kept = openScriptGate(own, {}, { session: "kept" });
  await kept.ranBash(script);
  kept.close();
  const found = onDisk(canary, own.base);
  assert.ok(found.length > 0 && found.every((path) => path.startsWith(own.state)), found.join());
  own.remove();
  process.env["XDG_CONFIG_HOME"] = configHome;
});

test("a directory workspace: what programs change lands in it, and tools change it themselves", async () => {
  const directory = `${directories.project}/workspace`;
  mkdirSync(directory);
  writeFileSync(`${directory}/there`, "there\n");
  const agent = { tool_grants: ["*"], fs_grants: [{ path: "/usr", mode: "r" }] };
  const configText = JSON.stringify({
    version: 1,
    agents: { default: agent },
    workspace: { kind: "directory", path: directory },
  });
  const tools = openScriptGate(directories, {}, { configText });
  const result = await tools.ranBash("cat there; echo new > new; echo x >> there; mkdir .git && echo x > .git/x");
  assert.deepEqual([result.stdout, result.exit_code], ["there\n", 0]);
  assert.deepEqual(changesOf(result), ["create new 4", "update there 8"]);
  assert.deepEqual(
    result.not_kept?.map(({ path }) => path),
    [`${directory}/.git`],
  );
  assert.deepEqual(changesOf(await tools.ranBash("rm new; true")).includes("delete new 0"), true);
  assert.deepEqual(readdirSync(directory).sort(), ["there"]);
  await tools.done("write_file", { path: "sub/a", content: "a" });
  assert.equal(readFileSync(`${directory}/sub/a`, "utf8"), "a");
  assert.equal(refused(await tools.call("write_file", { path: ".git/hooks/x", content: "a" })).error, "invalid_args");
  tools.close();
});
