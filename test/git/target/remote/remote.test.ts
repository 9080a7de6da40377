// Real servers: git's http-backend with a password, and sshd. What lands is looked at on the server's side.

import assert from "node:assert/strict";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { PersonGit } from "../../../../src/git/target/remote/person-git.ts";
import { remoteTarget } from "../../../../src/git/target/remote/remote.ts";
import type { TargetReading, TargetAccess } from "../../../../src/git/target/target.ts";
import { parseRemoteUrl } from "../../../../src/git/target/url.ts";
import type { PersonCommand } from "../../../../src/process/start.ts";
import { type Files, landingOf, report } from "../../../fixtures/git-landing.ts";
import { personGit, runCommand, serveHttp, serveSsh } from "../../../fixtures/git-servers.ts";
import { isFull } from "../../../fixtures/runs.ts";
import { formats, git } from "../../publish/real-git.ts";

const PASSWORD = "correct-horse-4711";
const root = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-remote-")));
const served = join(root, "served");
mkdirSync(served);
after(() => rmSync(root, { recursive: true, force: true }));

let count = 0;

/** A bare repository with a history of two commits, unless it is to be empty. */
function repository(format: "sha1" | "sha256", isEmpty = false): { name: string; path: string } {
  count += 1;
  const name = `${count}.git`;
  const path = join(served, name);
  git(served, ["init", "-q", "--bare", "-b", "main", `--object-format=${format}`, path]);
  git(path, ["config", "uploadpack.allowFilter", "true"]);
  git(path, ["config", "http.receivepack", "true"]);
  if (isEmpty) return { name, path };
  const work = join(root, `work-${count}`);
  git(served, ["init", "-q", "-b", "main", `--object-format=${format}`, work]);
  for (const [file, content] of [
    ["README.md", "# hello\n"],
    ["analysis.json", '{ "status": "draft" }\n'],
    ["old/deep/kept.txt", "kept\n"],
    ["old/gone.txt", "gone\n"],
  ] as const) {
    mkdirSync(join(work, file, ".."), { recursive: true });
    writeFileSync(join(work, file), content);
  }
  const who = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
  git(work, ["add", "."]);
  git(work, [...who, "commit", "-q", "-m", "first"]);
  appendFileSync(join(work, "README.md"), "more\n");
  git(work, [...who, "commit", "-q", "-am", "second"]);
  git(work, ["push", "-q", path, "main"]);
  return { name, path };
}

function target(url: string, person: PersonGit, branch: string | null = null): TargetAccess {
  const parsed = parseRemoteUrl(url);
  assert.ok(parsed.ok, url);
  const directory = mkdtempSync(join(root, "room-"));
  const made = remoteTarget({ url: parsed.value, branch, git: person, directory });
  return { readState: () => made.readState(), land: (landing, progress) => made.land(landing, person, progress) };
}

async function looked(access: TargetAccess): Promise<TargetReading> {
  const seen = await access.readState();
  assert.ok(seen.ok, JSON.stringify(seen));
  return seen.value;
}

function helperConfig(password: string, home: string): string {
  mkdirSync(home, { recursive: true });
  const helper = join(home, "helper.sh");
  writeFileSync(
    helper,
    `#!/bin/sh\ntest "$1" = get && printf 'username=person\\npassword=%s\\n' '${password}'\nexit 0\n`,
  );
  chmodSync(helper, 0o700);
  return `[credential "${http.url}"]\n\thelper = ${helper}\n`;
}

const home = join(root, "home");
const http = await serveHttp(served, PASSWORD);
after(() => http.close());
const ssh = await serveSsh(join(root, "sshd"));
after(() => (typeof ssh === "string" ? undefined : ssh.close()));

interface Way {
  readonly name: string;
  readonly skip: string | false;
  url(repositoryName: string): string;
  person(commands?: PersonCommand[]): PersonGit;
}

const ways: readonly Way[] = [
  {
    name: "smart HTTP with a password",
    skip: false,
    url: (name) => `${http.url}/${name}`,
    person: (commands) => personGit(home, helperConfig(PASSWORD, home), {}, commands),
  },
  {
    name: "ssh",
    skip: typeof ssh === "string" ? ssh : false,
    url: (name) => (typeof ssh === "string" ? "" : `ssh://${ssh.user}@127.0.0.1:${ssh.port}${join(served, name)}`),
    person: (commands) =>
      personGit(
        join(root, "home-ssh"),
        `[core]\n\tsshCommand = ${typeof ssh === "string" ? "" : ssh.command}\n`,
        {},
        commands,
      ),
  },
];

/** What a format changes is the same on each way: the ordinary run has each way and each format once. */
const formatsOf = (index: number) => formats.filter((_, at) => isFull || at !== index);

for (const [index, way] of ways.entries()) {
  for (const format of formatsOf(index)) {
    describe(`${way.name}, ${format}`, { skip: way.skip }, () => {
      it("the example session lands as it was built, on the default branch", async () => {
        const { name, path } = repository(format);
        const old = git(path, ["rev-parse", "main"]);
        const access = target(way.url(name), way.person());
        const seen = await looked(access);
        assert.deepEqual(
          { ...seen.state, baseTree: null },
          {
            address: way.url(name),
            format,
            branch: "main",
            defaultBranch: "main",
            oldCommit: old,
            baseCommit: old,
            baseTree: null,
            checkedOut: [],
          },
        );
        assert.equal(seen.state.baseTree, git(path, ["rev-parse", "main^{tree}"]));
        const files: Files = { ...report, "old/gone.txt": null, "moved/kept.txt": "kept\n" };
        const whole = await landingOf(seen, files, { modes: { "report.md": "100755" } });
        // What is there already under another name need not come along.
        const kept = git(path, ["rev-parse", "main:old/deep/kept.txt"]);
        const landing = { ...whole, objects: whole.objects.filter(({ id }) => id !== kept) };
        assert.equal(landing.objects.length, whole.objects.length - 1);
        const steps: string[] = [];
        assert.deepEqual(await access.land(landing, (done, total, what) => steps.push(`${done}/${total} ${what}`)), {
          ok: true,
          value: undefined,
        });
        assert.equal(git(path, ["rev-parse", "main"]), landing.commit);
        assert.equal(git(path, ["rev-parse", "main^"]), old);
        git(path, ["fsck", "--strict", "--no-dangling"]);
        assert.equal(git(path, ["show", "main:charts/revenue.svg"]), String(report["charts/revenue.svg"]).trimEnd());
        assert.match(
          git(path, ["diff", "--summary", "--name-status", "--no-renames", "main^", "main"]),
          /^D\told\/gone\.txt$/m,
        );
        assert.equal(git(path, ["ls-tree", "main", "report.md"]).slice(0, 6), "100755");
        assert.ok(
          steps.some((step) => /^(\d+)\/\1 objects sent$/.test(step)),
          steps.join(),
        );
        // A retried push finds its answer, from another gate as well.
        assert.deepEqual(await access.land(landing, () => undefined), { ok: true, value: undefined });
        assert.deepEqual(await target(way.url(name), way.person()).land(landing, () => undefined), {
          ok: true,
          value: undefined,
        });
      });

      it("trees and files are read from the server, files only when asked for", async () => {
        const { name, path } = repository(format);
        const seen = await looked(target(way.url(name), way.person()));
        const entries = await seen.readTree(seen.state.baseTree as string);
        const names = entries.map((entry) => Buffer.from(entry.name).toString());
        assert.deepEqual(names, ["README.md", "analysis.json", "old"]);
        const deep = await seen.readTree(entries[2]?.id as string);
        assert.equal(deep.length, 2);
        const ids = [git(path, ["rev-parse", "main:README.md"]), git(path, ["rev-parse", "main:old/deep/kept.txt"])];
        const blobs = await seen.readBlobs(ids);
        assert.deepEqual(
          ids.map((id) => Buffer.from(blobs.get(id) ?? []).toString()),
          ["# hello\nmore\n", "kept\n"],
        );
        assert.equal((await seen.readBlobs(ids)).size, 2);
        await assert.rejects(seen.readTree("0".repeat(ids[0]?.length as number)), /there is no tree/);
        await assert.rejects(seen.readBlobs(["1".repeat(ids[0]?.length as number)]));
      });

      it("a new branch begins at the default branch, and is made only if it is still new", async () => {
        const { name, path } = repository(format);
        const old = git(path, ["rev-parse", "main"]);
        const access = target(way.url(name), way.person(), "agent/report");
        const seen = await looked(access);
        assert.deepEqual([seen.state.oldCommit, seen.state.baseCommit, seen.state.branch], [null, old, "agent/report"]);
        const landing = await landingOf(seen, report);
        git(path, ["update-ref", "refs/heads/agent/report", old]);
        const late = await access.land(landing, () => undefined);
        assert.ok(!late.ok);
        assert.equal(late.failure.error, "conflict");
        assert.equal(git(path, ["rev-parse", "agent/report"]), old);
        git(path, ["update-ref", "-d", "refs/heads/agent/report"]);
        assert.equal((await access.land(landing, () => undefined)).ok, true);
        assert.equal(git(path, ["rev-parse", "agent/report"]), landing.commit);
        assert.equal(git(path, ["rev-parse", "main"]), old);
        git(path, ["fsck", "--strict", "--no-dangling"]);
      });

      it("a branch that has moved is a conflict, and stays where it is", async () => {
        const { name, path } = repository(format);
        const first = git(path, ["rev-parse", "main^"]);
        const access = target(way.url(name), way.person());
        const landing = await landingOf(await looked(access), report);
        // Back, too: without the lease this would be a fast-forward over what somebody took away.
        git(path, ["update-ref", "refs/heads/main", first]);
        const result = await access.land(landing, () => undefined);
        assert.ok(!result.ok);
        assert.equal(result.failure.error, "conflict");
        assert.match(
          result.failure.message,
          /^main of .* has moved: it was at [0-9a-f]{12} and now is at [0-9a-f]{12}\. Nothing was pushed\.$/,
        );
        assert.match(result.failure.hint ?? "", /Pull/);
        assert.equal(git(path, ["rev-parse", "main"]), first);
        // From another gate, which looks again.
        const again = await target(way.url(name), way.person()).land(landing, () => undefined);
        assert.equal(again.ok ? "" : again.failure.error, "conflict");
      });
    });
  }

  it(`${way.name}: an empty repository gets its first commit`, { skip: way.skip }, async () => {
    const { name, path } = repository("sha1", true);
    const nameless = await target(way.url(name), way.person()).readState();
    assert.equal(nameless.ok ? "" : nameless.failure.error, "invalid_args");
    const access = target(way.url(name), way.person(), "main");
    const seen = await looked(access);
    assert.deepEqual([seen.state.baseCommit, seen.state.baseTree, seen.state.oldCommit], [null, null, null]);
    const landing = await landingOf(seen, report);
    assert.deepEqual(await access.land(landing, () => undefined), { ok: true, value: undefined });
    assert.equal(git(path, ["rev-parse", "main"]), landing.commit);
    git(path, ["fsck", "--strict"]);
  });

  it(`${way.name}: what the server's own rules refuse is told, and nothing moves`, { skip: way.skip }, async () => {
    const { name, path } = repository("sha1");
    const old = git(path, ["rev-parse", "main"]);
    const hook = join(path, "hooks/pre-receive");
    mkdirSync(join(path, "hooks"), { recursive: true });
    writeFileSync(hook, "#!/bin/sh\necho token=hunter2-from-the-hook >&2\nexit 1\n");
    chmodSync(hook, 0o755);
    const access = target(way.url(name), way.person());
    const result = await access.land(await landingOf(await looked(access), report), () => undefined);
    assert.ok(!result.ok);
    assert.equal(result.failure.error, "tool_failed");
    assert.match(result.failure.message, /refused the push to main: pre-receive hook declined/);
    assert.equal(git(path, ["rev-parse", "main"]), old);
  });

  it(`${way.name}: a repository that is not there is not found`, { skip: way.skip }, async () => {
    const result = await target(way.url("nowhere.git"), way.person()).readState();
    assert.equal(result.ok ? "" : result.failure.error, "not_found", JSON.stringify(result));
  });

  it(`${way.name}: a landing that is not right on what was looked at is a fault`, { skip: way.skip }, async () => {
    const { name, path } = repository("sha1");
    const access = target(way.url(name), way.person());
    const seen = await looked(access);
    const first = git(path, ["rev-parse", "main^"]);
    const landing = await landingOf({ ...seen, state: { ...seen.state, baseCommit: first } }, report);
    await assert.rejects(
      access.land({ ...landing, state: seen.state }, () => undefined),
      /parent/,
    );
    assert.equal(git(path, ["rev-parse", "main"]), seen.state.oldCommit);
  });
}

describe("signing in", () => {
  it("a wrong password is told without it; the control gets in", async () => {
    const { name } = repository("sha1");
    const wrong = "wrong-battery-0815";
    const other = join(root, "home-wrong");
    const refused = await target(`${http.url}/${name}`, personGit(other, helperConfig(wrong, other))).readState();
    assert.ok(!refused.ok);
    assert.equal(refused.failure.error, "tool_failed");
    assert.match(refused.failure.message, /127\.0\.0\.1 did not let git in/);
    assert.doesNotMatch(JSON.stringify(refused), /wrong-battery|correct-horse/);
    assert.equal((await target(`${http.url}/${name}`, ways[0]?.person() as PersonGit).readState()).ok, true);
  });

  it("nobody is asked at a terminal", async () => {
    const { name } = repository("sha1");
    const marker = join(root, "asked");
    const askpass = join(root, "askpass.sh");
    writeFileSync(askpass, `#!/bin/sh\ntouch ${marker}\necho ${PASSWORD}\n`);
    chmodSync(askpass, 0o700);
    const person = personGit(join(root, "home-asked"), `[core]\n\taskPass = ${askpass}\n`, {
      SSH_ASKPASS: askpass,
      GIT_ASKPASS: askpass,
      DISPLAY: ":0",
    });
    const refused = await target(`${http.url}/${name}`, person).readState();
    assert.equal(refused.ok ? "" : refused.failure.error, "tool_failed");
    assert.equal(existsSync(marker), false);
  });

  it("no password, header or helper's answer is an argument of any program", async () => {
    const { name } = repository("sha1");
    const commands: PersonCommand[] = [];
    const header = `Authorization: Basic ${Buffer.from(`person:${PASSWORD}`).toString("base64")}`;
    const person = personGit(
      join(root, "home-header"),
      `[http "${http.url}"]\n\textraHeader = ${JSON.stringify(header)}\n`,
      {},
      commands,
    );
    const access = target(`${http.url}/${name}`, person);
    assert.equal((await access.land(await landingOf(await looked(access), report), () => undefined)).ok, true);
    assert.ok(commands.length > 5);
    assert.doesNotMatch(JSON.stringify(commands.map(({ args }) => args)), /Basic|correct-horse/);
  });

  it("an unknown host key is not accepted", { skip: typeof ssh === "string" ? ssh : false }, async () => {
    if (typeof ssh === "string") return;
    const person = personGit(
      join(root, "home-key"),
      `[core]\n\tsshCommand = ${ssh.command} -o UserKnownHostsFile=/dev/null -o GlobalKnownHostsFile=/dev/null\n`.replace(
        /-o UserKnownHostsFile=\S*known /,
        "",
      ),
    );
    const refused = await target(`ssh://${ssh.user}@127.0.0.1:${ssh.port}${served}/1.git`, person).readState();
    assert.ok(!refused.ok);
    assert.match(refused.failure.message, /the key of 127\.0\.0\.1 is not known/);
  });
});

describe("of the person's configuration", () => {
  it("user@host:path is the same place", { skip: typeof ssh === "string" ? ssh : false }, async () => {
    if (typeof ssh === "string") return;
    const { name, path } = repository("sha1");
    const config = `[core]\n\tsshCommand = ${ssh.command} -p ${ssh.port}\n`;
    const access = target(`${ssh.user}@127.0.0.1:${path}`, personGit(join(root, "home-scp"), config));
    const landing = await landingOf(await looked(access), report);
    assert.equal((await access.land(landing, () => undefined)).ok, true, name);
    assert.equal(git(path, ["rev-parse", "main"]), landing.commit);
  });

  it("no proxy takes what is meant for this machine", async () => {
    const { name } = repository("sha1");
    const nowhere = "http://127.0.0.1:9";
    const config = `${helperConfig(PASSWORD, home)}[http]\n\tproxy = ${nowhere}\n`;
    const person = personGit(join(root, "home-proxy"), config, { http_proxy: nowhere, all_proxy: nowhere });
    assert.equal((await target(`${http.url}/${name}`, person).readState()).ok, true);
    const control = await person(["ls-remote", `${http.url}/${name}`], {
      cwd: root,
      environment: { GIT_ALLOW_PROTOCOL: "http" },
    });
    assert.notEqual(control.exitCode, 0, "the control: the proxy is in force elsewhere");
  });

  it("nothing leads elsewhere than the address that was shown: the control does", async () => {
    const [shown, other] = [repository("sha1"), repository("sha1")];
    const config = `${helperConfig(PASSWORD, home)}[url "${http.url}/${other.name}"]\n\tinsteadOf = ${http.url}/${shown.name}\n\tpushInsteadOf = ${http.url}/${shown.name}\n`;
    const before = git(other.path, ["rev-parse", "main"]);
    const access = target(`${http.url}/${shown.name}`, personGit(join(root, "home-instead"), config));
    const landing = await landingOf(await looked(access), report);
    assert.equal((await access.land(landing, () => undefined)).ok, true);
    assert.equal(git(shown.path, ["rev-parse", "main"]), landing.commit);
    assert.equal(git(other.path, ["rev-parse", "main"]), before);
    http.asked.length = 0;
    await runCommand({
      file: "/usr/bin/git",
      args: ["ls-remote", `${http.url}/${shown.name}`],
      environment: { PATH: "/usr/bin:/bin", HOME: join(root, "home-instead"), GIT_TERMINAL_PROMPT: "0" },
      cwd: root,
      stdin: null,
    });
    assert.ok(
      http.asked.some((line) => line.includes(other.name)),
      "the control: git itself goes elsewhere",
    );
  });

  it("no hook, alias or fsmonitor of theirs runs", async () => {
    const { name, path } = repository("sha1");
    const marker = join(root, "ran");
    const hooks = join(root, "hooks");
    mkdirSync(hooks);
    for (const hook of ["pre-push", "reference-transaction", "post-index-change"]) {
      writeFileSync(join(hooks, hook), `#!/bin/sh\ntouch ${marker}\n`);
      chmodSync(join(hooks, hook), 0o755);
    }
    const config = `${helperConfig(PASSWORD, home)}[core]\n\thooksPath = ${hooks}\n\tfsmonitor = "touch ${marker}"\n[push]\n\tgpgSign = true\n`;
    const access = target(`${http.url}/${name}`, personGit(join(root, "home-hooks"), config));
    assert.equal((await access.land(await landingOf(await looked(access), report), () => undefined)).ok, true);
    assert.equal(existsSync(marker), false);
    git(path, ["-c", `core.hooksPath=${hooks}`, "update-ref", "refs/heads/control", "main"]);
    assert.equal(existsSync(marker), true, "the control: the hook works");
  });
});

describe("a server that misleads", () => {
  it("is not followed to another address: the control is", async () => {
    const { name } = repository("sha1");
    const asked: string[] = [];
    const elsewhere = createServer((request, response) => {
      asked.push(request.headers.authorization ?? "nothing");
      response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
    const { port } = elsewhere.address() as AddressInfo;
    const leading = await serveHttp(served, null, (request, response) => {
      response.writeHead(302, { location: `http://localhost:${port}${request.url}` }).end();
      return true;
    });
    try {
      const config = `${helperConfig(PASSWORD, home)}[http]\n\tfollowRedirects = true\n[http "${leading.url}/"]\n\tfollowRedirects = true\n`;
      const person = personGit(join(root, "home-led"), config);
      const result = await target(`${leading.url}/${name}`, person).readState();
      assert.ok(!result.ok);
      assert.match(result.failure.message, /sends git on to another address/);
      assert.deepEqual(asked, []);
      await person(["ls-remote", `${leading.url}/${name}`], {
        cwd: root,
        environment: { GIT_ALLOW_PROTOCOL: "http" },
        config: [["http.followRedirects", "true"]],
      });
      assert.equal(asked.length > 0, true, "the control: git follows when it may");
    } finally {
      elsewhere.close();
      await leading.close();
    }
  });

  it("and one that knows no filters is read whole", async () => {
    const { name, path } = repository("sha1");
    git(path, ["config", "uploadpack.allowFilter", "false"]);
    const access = target(`${http.url}/${name}`, ways[0]?.person() as PersonGit);
    const seen = await looked(access);
    const id = git(path, ["rev-parse", "main:README.md"]);
    assert.equal((await seen.readBlobs([id])).size, 1);
    assert.equal((await access.land(await landingOf(seen, report), () => undefined)).ok, true);
    git(path, ["fsck", "--strict", "--no-dangling"]);
  });
});
