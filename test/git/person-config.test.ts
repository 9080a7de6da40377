// The person's settings are what git itself says they are: includes, conditions, order. Git is asked the same each time.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import test, { after } from "node:test";
import { authorOf } from "../../src/git/identity.ts";
import { type AroundFacts, lastValue, readPersonSettings } from "../../src/git/person-config.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-test-")));
after(() => rmSync(base, { recursive: true, force: true }));

let homes = 0;

function makeHome(files: Readonly<Record<string, string>>): string {
  const home = join(base, `home${homes++}`);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  return home;
}

function makeRepository(path: string, branch = "main", url?: string): AroundFacts {
  mkdirSync(path, { recursive: true });
  const git = (...args: string[]) => execFileSync("git", args, { cwd: path, stdio: "pipe" });
  git("init", "-q", "-b", branch);
  if (url !== undefined) git("remote", "add", "origin", url);
  return { gitDirectory: realpathSync(join(path, ".git")), branch, remoteUrls: url === undefined ? [] : [url] };
}

/** What git says in that place, and what we read for it. */
function both(home: string, cwd: string, around: AroundFacts | null, key = "email"): [string | null, string | null] {
  const env = { PATH: "/usr/bin:/bin", HOME: home, XDG_CONFIG_HOME: join(home, ".config"), GIT_CONFIG_NOSYSTEM: "1" };
  let said: string | null = null;
  try {
    said = execFileSync("git", ["config", "--get", `user.${key}`], { cwd, env, encoding: "utf8" }).trim();
  } catch {
    said = null; // it is not set
  }
  const places = { home, configHome: join(home, ".config"), system: "/nonexistent" };
  return [said, lastValue(readPersonSettings(places, around), "user", key)];
}

const user = (email: string) => `[user]\n\tname = N\n\temail = ${email}\n`;

test("includes: relative to their file, from the home, whole paths, in each other, in their place", () => {
  for (const [files, expected] of [
    [{ ".gitconfig": "[include]\n path = inc\n", inc: user("a@x") }, "a@x"],
    [
      { ".gitconfig": "[include]\n path = ~/d/inc\n", "d/inc": "[include]\n path = more\n", "d/more": user("b@x") },
      "b@x",
    ],
    [{ ".config/git/config": "[include]\n path = inc\n", ".config/git/inc": user("c@x") }, "c@x"],
    [{ ".gitconfig": `[include]\n path = inc\n${user("own@x")}`, inc: user("a@x") }, "own@x"],
    [{ ".gitconfig": `${user("own@x")}[include]\n path = inc\n`, inc: user("a@x") }, "a@x"],
    [{ ".gitconfig": `[include]\n path = nowhere\n path = inc\n`, inc: user("a@x") }, "a@x"],
    [{ ".gitconfig": `[INCLUDE]\n PATH = "inc"\n`, inc: user("a@x") }, "a@x"],
    [{ ".config/git/config": user("xdg@x"), ".gitconfig": user("home@x") }, "home@x"],
    [{ ".gitconfig": "[core]\n\tpager = less\n" }, null],
  ] as const)
    assert.deepEqual(both(makeHome(files), base, null), [expected, expected], JSON.stringify(files));
});

test("a file that includes itself, or is none, ends", () => {
  const home = makeHome({ ".gitconfig": `${user("a@x")}[include]\n path = .gitconfig\n path = d\n`, "d/x": "" });
  const places = { home, configHome: join(home, ".config"), system: "/nonexistent" };
  assert.equal(lastValue(readPersonSettings(places, null), "user", "email"), "a@x");
});

test("conditions hold where git says they do", () => {
  const home = makeHome({ work: user("work@x") });
  const inHome = makeRepository(join(home, "src/corp/app"), "release/1", "https://git.example.org/corp/app.git");
  for (const [condition, holds] of [
    ["gitdir:~/src/corp/", true],
    ["gitdir:~/src/", true],
    ["gitdir:~/src/other/", false],
    ["gitdir:~/src/corp", false],
    ["gitdir:~/src/corp/app/.git", true],
    [`gitdir:${home}/src/*/app/.git`, true],
    [`gitdir:${home}/src/*/.git`, false],
    [`gitdir:${home}/**/.git`, true],
    ["gitdir:corp/", true],
    ["gitdir:app/.git", true],
    ["gitdir:CORP/", false],
    ["gitdir/i:CORP/", true],
    ["gitdir/i:~/SRC/", true],
    ["gitdir:./src/", true],
    ["gitdir:./other/", false],
    ["onbranch:release/", true],
    ["onbranch:release/*", true],
    ["onbranch:release", false],
    ["onbranch:main", false],
    ["hasconfig:remote.*.url:https://git.example.org/**", true],
    ["hasconfig:remote.*.url:https://other.example.org/**", false],
    ["something:else", false],
  ] as const) {
    writeFileSync(join(home, ".gitconfig"), `${user("me@x")}[includeIf "${condition}"]\n\tpath = work\n`);
    const expected = holds ? "work@x" : "me@x";
    assert.deepEqual(both(home, join(home, "src/corp/app"), inHome), [expected, expected], condition);
    assert.equal(both(home, base, null)[1], "me@x", "without a repository no condition holds");
  }
});

test("what nobody has written is guessed, and named", () => {
  const entry = (key: string, value: string) => ({ section: "user", subsection: null, key, value });
  const name = entry("name", "Ada");
  const email = entry("email", "ada@example.org");
  assert.deepEqual(authorOf([name, email, entry("email", "ada@corp.example")]), {
    name: "Ada",
    email: "ada@corp.example",
    guessed: [],
  });
  for (const [entries, guessed] of [
    [[], ["user.name", "user.email"]],
    [[name], ["user.email"]],
    [[email, entry("name", " ")], ["user.name"]],
  ] as const) {
    const author = authorOf(entries);
    assert.deepEqual(author.guessed, guessed);
    assert.ok(author.name !== "" && /^.+@.+$/.test(author.email), JSON.stringify(author));
  }
});
