import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { parseGithubRepo, parseRemoteUrl } from "../../../src/git/target/url.ts";

const accepted: readonly (readonly [written: string, text: string, protocol: string, host: string])[] = [
  ["https://github.com/octo/reports.git", "https://github.com/octo/reports.git", "https", "github.com"],
  ["HTTPS://GitHub.COM:443/octo/reports/", "https://github.com/octo/reports", "https", "github.com"],
  [
    "https://octo@dev.azure.com/org/project/_git/x",
    "https://octo@dev.azure.com/org/project/_git/x",
    "https",
    "dev.azure.com",
  ],
  [
    "https://git.example.com:8443/group/sub/name",
    "https://git.example.com:8443/group/sub/name",
    "https",
    "git.example.com",
  ],
  ["https://[2001:db8::1]/x.git", "https://[2001:db8::1]/x.git", "https", "[2001:db8::1]"],
  ["https://host/a%20b.git", "https://host/a%20b.git", "https", "host"],
  ["https://host/données.git", "https://host/données.git", "https", "host"],
  ["ssh://git@host:22/x.git", "ssh://git@host/x.git", "ssh", "host"],
  ["ssh://host:2222/~me/x", "ssh://host:2222/~me/x", "ssh", "host"],
  ["git@github.com:octo/reports.git", "git@github.com:octo/reports.git", "ssh", "github.com"],
  ["me@host:/srv/git/x.git/", "me@host:/srv/git/x.git", "ssh", "host"],
  ["http://127.0.0.1:4600/x.git", "http://127.0.0.1:4600/x.git", "http", "127.0.0.1"],
  ["http://localhost/x", "http://localhost/x", "http", "localhost"],
  ["http://[::1]:80/x", "http://[::1]/x", "http", "[::1]"],
];

const refused: readonly (readonly [written: string, reason: RegExp])[] = [
  ["", /is empty/],
  ["ext::sh -c id", /blank/],
  ["ext::id", /"ext::" would start a program/],
  ["fd::3", /"fd::" would start a program/],
  ["foo::bar", /"foo::" would start a program/],
  ["https::https://host/x", /would start a program/],
  ["::x", /would start a program/],
  ["file:///etc", /type local/],
  ["FILE://host/etc", /type local/],
  ["/srv/git/x.git", /path on this machine/],
  ["./x", /path on this machine/],
  ["~", /path on this machine/],
  ["C:\\x", /backslash/],
  ["C:/x", /no address/],
  ["host:path", /no address/],
  ["git://host/x", /git:\/\/ is not spoken/],
  ["ftp://host/x", /ftp:\/\/ is not spoken/],
  ["javascript://x/y", /not spoken/],
  ["--upload-pack=touch", /begins with a dash/],
  ["-u", /begins with a dash/],
  ["-oProxyCommand=id:x", /begins with a dash/],
  ["ssh://-oProxyCommand=id/x", /host that begins with a dash/],
  ["ssh://-oProxyCommand=id@host/x", /user that begins with a dash/],
  ["-o@host:x", /begins with a dash/],
  ["git@-oProxyCommand=id:x", /host that begins with a dash/],
  ["ssh://%2doProxyCommand=id/x", /percent sign in its host/],
  ["git@host:-x", /part of its path that begins with a dash/],
  ["https://host/-x", /part of its path that begins with a dash/],
  ["ssh://host/%2dx", /%2d in its path/],
  ["https://host/%2e%2e/x", /%2e in its path/],
  ["https://host/a%2fb", /%2f in its path/],
  ["https://host/a%00b", /%00 in its path/],
  ["https://host/a%0ab", /%0a in its path/],
  ["https://host/a%4", /stands for nothing/],
  ["https://host/%41", /%41 in its path/],
  ["git@host:a%20b", /percent sign/],
  ["https://host/../x", /has \.\. as a part/],
  ["https://a\n@b/x", /line break/],
  ["https://host/x\u0000", /control/],
  ["https://host/x y", /blank/],
  ["https://host/x\u200b", /invisible/],
  ["https://user:hunter2@host/x", /has a password/],
  ["user:hunter2@host:x", /password/],
  ["ssh://user:hunter2@host/x", /has a password/],
  ["https://:@host/x", /has a password/],
  ["https://ghp_abcdefghijklmnopqrstuvwxyz0123456789@github.com/x/y", /looks like a token/],
  ["https://a1b2c3d4e5f6a7b8c9d0@host/x", /looks like a token/],
  ["https://a%40b@host/x", /plain user name/],
  ["https://a@b@host/x", /plain user name/],
  ["https://@host/x", /plain user name/],
  ["https://host/x?private_token=abc", /query/],
  ["https://host/x#main", /fragment/],
  ["https://host", /no path/],
  ["https://host/", /no path/],
  ["https:///x", /no host/],
  ["https://host:0/x", /port/],
  ["https://host:99999/x", /port/],
  ["https://host:8443:1/x", /something other/],
  ["https://ho_st-/x", /no valid host/],
  ["https://a..b/x", /no valid host/],
  ["https://gіthub.com/x/y", /look like others/],
  ["https://2130706433/x", /number in place/],
  ["https://0x7f.1/x", /number in place/],
  ["http://example.com/x", /only https leaves/],
  ["http://127.0.0.1.example.com/x", /only https leaves/],
  ["http://localhost.example.com/x", /only https leaves/],
  ["http://2130706433/x", /number in place/],
  ["https://[::1%25eth0]/x", /IPv6/],
  [`https://host/${"x".repeat(3_000)}`, /longer than/],
];

describe("the address of a remote", () => {
  for (const [written, text, protocol, host] of accepted) {
    it(`takes ${written} as ${text}`, () => {
      assert.deepEqual(parseRemoteUrl(written), { ok: true, value: { text, protocol, host } });
      assert.deepEqual(parseRemoteUrl(text), parseRemoteUrl(written), "reading it again changes nothing");
    });
  }
  for (const [written, reason] of refused) {
    it(`refuses ${JSON.stringify(written.slice(0, 60))}`, () => {
      const read = parseRemoteUrl(written);
      assert.ok(!read.ok, JSON.stringify(read));
      assert.equal(read.failure.error, "invalid_args");
      assert.match(read.failure.message, reason);
      assert.match(read.failure.message, /^url: [^\n]*\.$/);
      assert.doesNotMatch(JSON.stringify(read), /hunter2|ghp_|a1b2c3|private_token/);
    });
  }
});

describe("a repository at GitHub", () => {
  for (const written of ["octo/reports", "octo-cat/hello.world", "a/_b", "Org_emu/x-y", "octo/.github"]) {
    it(`takes ${written}`, () => {
      const [owner = "", name = ""] = written.split("/");
      assert.deepEqual(parseGithubRepo(written), { ok: true, value: { owner, name, text: written } });
    });
  }
  for (const written of [
    "https://evil.invalid/x",
    "user/$GITHUB_TOKEN",
    "",
    "x",
    "a/b/c",
    "a/",
    "/b",
    "a/..",
    "a/.",
    "../b",
    "a/x..y",
    "a/.hidden",
    "a/-x",
    "-a/x",
    ".a/x",
    "a/x.git",
    "a/x y",
    "a/x\n",
    "a/x?y",
    "a/x#y",
    "a/x%2f",
    "a\\b",
    "a/é",
    " a/b",
    `${"a".repeat(40)}/b`,
    `a/${"b".repeat(101)}`,
    "git@github.com:a/b",
    "a@b/c",
    "a/b:main",
  ]) {
    it(`refuses ${JSON.stringify(written.slice(0, 50))}`, () => {
      const read = parseGithubRepo(written);
      assert.ok(!read.ok);
      assert.equal(read.failure.error, "invalid_args");
    });
  }
});

it("no target or source that the corpus wants refused is an address or a repository", () => {
  const lines = readFileSync(new URL("../../corpus/cases.jsonl", import.meta.url), "utf8")
    .trim()
    .split("\n");
  let tried = 0;
  for (const line of lines) {
    const { id, expect, input } = JSON.parse(line) as {
      id: string;
      expect: string;
      input: { args?: Record<string, { type?: string; path?: string; repo?: string } | undefined> } | string;
    };
    if (!/^(?:push-target|pull)-/.test(id) || expect !== "refuse" || typeof input === "string") continue;
    const place = input.args?.["target"] ?? input.args?.["source"];
    if (place?.path !== undefined) assert.equal(parseRemoteUrl(place.path).ok, false, id);
    if (place?.type === "github" && place.repo !== undefined) assert.equal(parseGithubRepo(place.repo).ok, false, id);
    if (place?.path !== undefined || place?.repo !== undefined) tried += 1;
  }
  assert.ok(tried > 15, String(tried));
});
