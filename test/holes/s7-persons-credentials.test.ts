// A person's credentials go only to the hosts that the person set them up for, and what a server repeats of one reaches
// neither the agent nor the record. The server is played on loopback: it notes what it was sent, and says it again.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import test, { after, beforeEach, describe } from "node:test";
import { entryLine } from "../../src/audit/entry.ts";
import { withoutCredentials } from "../../src/audit/credential-echo.ts";
import { isScoped, matchesAddress } from "../../src/git/target/remote/credential-settings.ts";
import { netrcOf, parseNetrc } from "../../src/git/target/remote/netrc.ts";
import { withoutServerReason, withoutServerWords } from "../../src/git/target/remote/server-words.ts";
import { createGate, createRegistry, registerBuiltinTools } from "../../src/index.ts";
import { scripted } from "../fixtures/approver.ts";
import { makeTestDirectories } from "../fixtures/gate.ts";

const password = ["S3CRET", "TOKEN", "99"].join("");
const login = `PERSON:${password}`;
const basic = Buffer.from(login).toString("base64");

const directories = makeTestDirectories();
/** What each request carried, and in which form the server says it back. */
let sent: string[] = [];
let echo: (carried: string) => string = String;
let asksForPassword = false;
const server = createServer(({ headers }, response) => {
  const carried = [headers.authorization, headers.cookie].filter((one) => one !== undefined).join(" ");
  sent.push(carried);
  if (asksForPassword && carried === "") {
    response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
    return;
  }
  response.writeHead(200, { "content-type": "application/x-git-upload-pack-advertisement" });
  response.end(`${packet("# service=git-upload-pack\n")}0000${packet(`ERR ${echo(carried)}`)}`);
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const { port } = server.address() as AddressInfo;
const url = `http://127.0.0.1:${port}`;
after(() => {
  server.closeAllConnections();
  server.close();
  directories.remove();
});
beforeEach(() => {
  sent = [];
  echo = String;
  asksForPassword = false;
});

function packet(text: string): string {
  return (text.length + 4).toString(16).padStart(4, "0") + text;
}

let homes = 0;

function makeHome(config: string, files: Record<string, string> = {}): string {
  const home = join(directories.outside, `home-${(homes += 1)}`);
  mkdirSync(home, { mode: 0o700 });
  for (const [name, content] of Object.entries({ ".gitconfig": config, ...files }))
    writeFileSync(join(home, name), content.replaceAll("HOME", home), { mode: 0o600 });
  return home;
}

/** Git as the person has it, without us. */
function plainGit(home: string): Promise<string> {
  const child = spawn("/usr/bin/git", ["ls-remote", `${url}/r`], {
    env: { HOME: home, PATH: "/usr/bin:/bin", GIT_TERMINAL_PROMPT: "0" },
    cwd: "/",
  });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  return new Promise((resolve) => child.once("close", () => resolve(said)));
}

/** A gate of this person. A pull answers what the agent reads, what is on record, and what the person was asked. */
function openGate(home: string, environment: Readonly<Record<string, string>> = {}) {
  const registry = createRegistry();
  registerBuiltinTools(registry);
  const approver = scripted();
  const before = { ...process.env };
  Object.assign(process.env, { HOME: home, GIT_CONFIG_NOSYSTEM: "1", ...environment });
  delete process.env["XDG_CONFIG_HOME"];
  const gate = createGate({
    registry,
    statePath: join(home, "state"),
    project: directories.project,
    session: "s7",
    configText: JSON.stringify({ version: 1, agents: { default: { tool_grants: ["git_*"] } } }),
    approvers: [approver],
  });
  process.env = before;
  return {
    close: () => gate.close(),
    async pull(source: object = { type: "remote", url: `${url}/r` }) {
      const [seq, asked] = [gate.journal.lastSeq(), approver.asked.length];
      const reply = await gate.call({ tool: "git_pull", args: { source, paths: ["."] } });
      const record = [...gate.journal.list({ after: seq, order: "oldest" })].map(entryLine).join("\n");
      const question = approver.asked.slice(asked).map(({ text }) => text);
      return { reply: JSON.stringify(reply), record, question: question.join("\n") };
    },
  };
}

async function pull(home: string, source?: object, environment?: Readonly<Record<string, string>>) {
  const gate = openGate(home, environment);
  try {
    return await gate.pull(source);
  } finally {
    gate.close();
  }
}

const header = `[http]\n\textraHeader = Authorization: Basic ${basic}\n`;
const scoped = (address: string) => `[http "${address}"]\n\textraHeader = Authorization: Basic ${basic}\n`;
const cookies = `127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\t${password}\n`;
const snippet = `!f() { echo username=PERSON; echo password=${password}; }; f`;

const answer = `username=PERSON\npassword=${password}\n`;
const script = `echo username=PERSON\necho password=${password}\n`;

describe("a credential that is set up for no host in particular", () => {
  for (const [name, config, files] of [
    ["a header", header, {}],
    ["a cookie", "[http]\n\tcookieFile = HOME/jar\n", { jar: cookies }],
    ["a helper that answers whoever asks", `[credential]\n\thelper = "${snippet}"\n`, {}],
    ["a helper of one command that prints a file", `[credential]\n\thelper = "!sed '' HOME/cred"\n`, { cred: answer }],
    ["a program of the person's", '[credential]\n\thelper = "!sh HOME/helper.sh"\n', { "helper.sh": script }],
    ["a program by its path", `[credential]\n\thelper = "/bin/sed '' HOME/cred #"\n`, { cred: answer }],
    ["a helper for every host of a scheme", `[credential "http://"]\n\thelper = "${snippet}"\n`, {}],
    ["a header for another port", scoped("http://127.0.0.1:1"), {}],
    ["a header for another scheme", scoped(`https://127.0.0.1:${port}`), {}],
  ] as const) {
    test(`${name} is not sent to a host that an agent names`, async () => {
      asksForPassword = config.includes("helper");
      const home = makeHome(config, files);
      const { question, reply } = await pull(home);
      assert.ok(sent.length > 0, reply);
      assert.ok(
        sent.every((carried) => carried === ""),
        sent.join("\n"),
      );
      assert.match(question, /does +contact http:\S+, to pull, without credentials/);
      if (name.includes("another")) return;
      // Control: the person's own git does send it.
      sent = [];
      await plainGit(home);
      assert.ok(
        sent.some((carried) => carried !== ""),
        "plain git",
      );
    });
  }

  test("the default of a netrc is not sent: nobody is asked, and nobody is spoken to", async () => {
    asksForPassword = true;
    const home = makeHome("", {
      ".netrc": `machine other login a password b\ndefault login PERSON password ${password}\n`,
    });
    const { reply, question } = await pull(home);
    assert.match(reply, /~\/\.netrc has a .{2}default.{2} entry/);
    assert.deepEqual([sent, question], [[], ""]);
    await plainGit(home);
    assert.ok(
      sent.some((carried) => carried === `Basic ${basic}`),
      "plain git",
    );
  });
});

describe("a credential that is set up for the host", () => {
  const ways: Readonly<Record<string, (carried: string) => string>> = {
    "as it came": String,
    "the base64 alone": () => basic,
    decoded: () => login,
    "the password alone": () => `it was ${password}!`,
    "in capitals": () => login.toUpperCase(),
    "percent-encoded": () => encodeURIComponent(`${login}/`),
    "in another text's base64": () => Buffer.from(`x-${login}-y`).toString("base64"),
    "in hexadecimal": () => Buffer.from(password).toString("hex"),
    backwards: () => [...password].toReversed().join(""),
    "as JSON": () => JSON.stringify({ said: login }),
    "in base64 twice": () => Buffer.from(basic).toString("base64"),
    "letter by letter": () => [...password].join(" "),
    "in decimal numbers": () => [...Buffer.from(password)].join(","),
  };
  const home = makeHome(scoped(url));
  const gate = openGate(home);
  after(() => gate.close());

  for (const [name, way] of Object.entries(ways)) {
    test(`is used, and what the server repeats is taken out: ${name}`, async () => {
      echo = way;
      const { reply, record, question } = await gate.pull();
      assert.ok(sent.includes(`Basic ${basic}`));
      assert.ok(question.includes(`to pull, with your header for ${url}`), question);
      const secret = way(`Basic ${basic}`);
      for (const text of [reply, record])
        for (const piece of [secret, JSON.stringify(secret).slice(1, -1), password, basic])
          assert.ok(!text.includes(piece), text);
      assert.match(reply, /remote error: .*the server's own words are not passed on/);
    });
  }

  test("control: git itself sends it, and says all that comes back", async () => {
    echo = (carried) => `${carried} ${login}`;
    assert.ok((await plainGit(home)).includes(`Basic ${basic} ${login}`));
  });

  for (const [name, config, files] of [
    [
      "a helper's store",
      "[credential]\n\thelper = store\n",
      { ".git-credentials": `http://${login}@127.0.0.1%3a${"PORT"}\n` },
    ],
    ["a helper for this host", `[credential "${url}"]\n\thelper = "${snippet}"\n`, {}],
    ["a netrc", "", { ".netrc": `machine 127.0.0.1 login PERSON password ${password}\n` }],
  ] as const) {
    test(`so it is with ${name}`, async () => {
      asksForPassword = true;
      echo = (carried) => `${carried} ${login}`;
      const home = makeHome(
        config,
        Object.fromEntries(Object.entries(files).map(([file, text]) => [file, text.replaceAll("PORT", String(port))])),
      );
      const { reply, record, question } = await pull(home);
      assert.ok(sent.includes(`Basic ${basic}`), reply);
      assert.match(question, /to pull, with what your (?:credential helper|~\/\.netrc) has for 127\.0\.0\.1/);
      for (const text of [reply, record]) assert.ok(!text.includes(password) && !text.includes(basic), text);
      assert.ok((await plainGit(home)).includes(login));
    });
  }
});

test("a short password in base64 does not come back either", async () => {
  asksForPassword = true;
  const short = Buffer.from("PERSON:S3cr3t").toString("base64");
  const home = makeHome("[credential]\n\thelper = store\n", {
    ".git-credentials": `http://PERSON:S3cr3t@127.0.0.1%3a${port}\n`,
  });
  const { reply, record } = await pull(home);
  assert.ok(sent.includes(`Basic ${short}`));
  for (const text of [reply, record]) assert.ok(!text.includes(short.slice(0, -2)), text);
  assert.ok((await plainGit(home)).includes(short), "plain git says it");
});

test("without a credential, what the server says is passed on", async () => {
  echo = () => "down for repair until noon";
  assert.match((await pull(makeHome(""))).reply, /down for repair until noon/);
});

test("git's own words stay, and of the server's their kind", () => {
  const url = "https://h/x";
  for (const own of [
    `fatal: Authentication failed for '${url}'`,
    `fatal: unable to access '${url}': The requested URL returned error: 403`,
    `fatal: repository '${url}' not found`,
  ])
    assert.equal(withoutServerWords(own), own);
  assert.match(withoutServerWords("remote: HTTP Basic: Access denied S3cr3t"), /^remote: access denied \(the server's/);
  assert.match(withoutServerWords("ERROR: Repository S3cr3t not found."), /^remote: no such repository/);
  for (const said of ["remote: S3cr3t", "fatal: remote error: S3cr3t", "error: S3cr3t", `fatal: invalid; got 'S3cr3t'`])
    assert.doesNotMatch(withoutServerWords(`x\r${said}`), /S3cr3t/);
  const refused = (reason: string) => withoutServerReason(`To ${url}\n!\tabc:refs/heads/m\t${reason}\nDone\n`);
  assert.match(refused("[remote rejected] (pre-receive hook declined)"), /\(pre-receive hook declined\)\nDone/);
  assert.match(refused("[rejected] (stale info)"), /\[rejected\] \(stale info\)/);
  assert.match(refused("[remote rejected] (S3cr3t)"), /\(the server refused the branch; its own words/);
});

test("the question names what the system's settings give, where a variable says which they are", async () => {
  asksForPassword = true;
  const home = makeHome("", {
    system: "[credential]\n\thelper = store\n",
    ".git-credentials": `http://${login}@127.0.0.1%3a${port}\n`,
  });
  process.env["GIT_CONFIG_SYSTEM"] = join(home, "system");
  try {
    const { question } = await pull(home, undefined, { GIT_CONFIG_NOSYSTEM: "0" });
    assert.ok(sent.includes(`Basic ${basic}`));
    assert.match(question, /to pull, with what your credential helper has for 127\.0\.0\.1/);
  } finally {
    delete process.env["GIT_CONFIG_SYSTEM"];
  }
});

test("the default of a netrc is refused wherever libcurl might take it", () => {
  const rest = `default login PERSON password ${password}\n`;
  for (const [text, expected] of [
    [rest, true],
    [`default password ${password}`, true],
    [`default login anonymous password ${password}`, true],
    [`machine other login a password b\n  default\n\tlogin PERSON password x`, true],
    [`machine h\n${rest}`, true],
    [`machine h login a\n${rest}`, true],
    [`macdef x\nmachine h login a password b\n\n${rest}`, true],
    [`machine x login y password z # machine h login a password b\n${rest}`, true],
    [`${rest}machine h login a password b\n`, true],
    [`machine h login a password b\n${rest}`, false],
    [`# default\nmachine h login a password b\n`, false],
    ["machine x login y password z\n", false],
    ["", false],
  ] as const)
    assert.equal(netrcOf(text).maySendDefault("h"), expected, text);
  const named = netrcOf("machine H login a password b");
  assert.deepEqual([named.mayName("h"), named.mayName("i")], [true, false]);
});

test("the question says that ssh offers the person's keys", async () => {
  const { question } = await pull(makeHome("[core]\n\tsshCommand = false\n"), {
    type: "remote",
    url: "ssh://git@127.0.0.1:1/r",
  });
  assert.match(question, /to pull, with your ssh keys, which ssh offers to 127\.0\.0\.1/);
});

test("which settings are for a host", () => {
  for (const [key, value, expected] of [
    ["http.extraheader", "X: 1", false],
    ["http.https://h.extraheader", "X: 1", true],
    ["http.cookiefile", "f", false],
    ["http.sslcert", "f", false],
    ["http.sslkey", "f", false],
    ["http.delegation", "always", false],
    ["http.sslcainfo", "f", true],
    ["http.proxy", "http://p", true],
    ["credential.helper", "store", true],
    ["credential.helper", "", true],
    ["credential.helper", "/usr/lib/git-core/git-credential-libsecret", true],
    ["credential.helper", "!/usr/bin/gh auth git-credential", true],
    ["credential.helper", "!aws codecommit credential-helper $@", true],
    ["credential.helper", "!gcloud auth git-helper --account=me@x.org --ignore-unknown $@", true],
    ["credential.helper", "store --file ~/.creds", true],
    ["credential.helper", "cache --timeout=3600", true],
    ["credential.helper", "/mnt/c/Program\\ Files/Git/mingw64/bin/git-credential-manager.exe", true],
    ["credential.helper", "!git credential-libsecret", true],
    ["credential.helper", '!"/opt/my tools/gh" auth git-credential', true],
    ["credential.helper", "!/usr/bin/glab auth git-credential", true],
    ["credential.helper", '!aws --x codecommit credential-helper "$@"', false],
    ["credential.helper", "!aws codecommit credential-helper --ignore-host-check $@", false],
    ["credential.helper", "store; echo password=x", false],
    ["credential.helper", "store --file $(cat x)", false],
    ["credential.helper", "!gh auth git-credential; echo password=x", false],
    ["credential.helper", "!gh auth git-credential\necho password=x", false],
    ["credential.helper", "!gh auth token", false],
    ["credential.helper", "mine", false],
    ["credential.helper", "/home/me/helper.sh", false],
    ["credential.helper", "/bin/echo password=x", false],
    ["credential.helper", "/home/me/store", false],
    ["credential.helper", "!sed p ~/cred", false],
    ["credential.helper", "!gpg -q -d f", false],
    ["credential.helper", "!pass show x", false],
    ["credential.helper", "!/home/me/store", false],
    ["credential.https://h.helper", "/home/me/helper.sh", true],
    ["credential.h.helper", "/home/me/helper.sh", true],
    ["credential.https://.helper", "/home/me/helper.sh", false],
    ["credential.https://*.helper", "/home/me/helper.sh", false],
    ["credential.https://me@.helper", "/home/me/helper.sh", false],
    ["credential.https://.helper", "store", true],
    ["credential.helper", "!echo password=x", false],
    ["credential.helper", "! printf 'password=x\\n'", false],
    ["credential.helper", "!cat ~/token", false],
    ["credential.helper", "!f() { echo password=$TOKEN; }; f", false],
    ["credential.https://h.helper", "!echo password=x", true],
    ["credential.usehttppath", "true", true],
  ] as const)
    assert.equal(isScoped(key, value), expected, `${key}=${value}`);
});

test("addresses match as git matches them", () => {
  for (const [pattern, address, expected] of [
    ["https://h", "https://h/a/b", true],
    ["https://h/", "https://h:443/a", true],
    ["https://h/a", "https://h/a/b", true],
    ["https://h/a", "https://h/ab", false],
    ["https://*.h.org", "https://x.h.org/a", true],
    ["https://*.h.org", "https://x.y.h.org/a", false],
    ["https://h.org", "https://evil-h.org/a", false],
    ["https://h.org", "https://h.org.evil/a", false],
    ["http://h", "https://h/a", false],
    ["https://h:8443", "https://h/a", false],
    ["https://me@h", "https://h/a", false],
    ["h", "https://h/a", false],
  ] as const)
    assert.equal(matchesAddress(pattern, address), expected, `${pattern} ${address}`);
});

test("a text without a credential is left as it is", () => {
  const said = "fatal: repository 'https://h/x' not found; see Basic usage";
  assert.equal(withoutCredentials(said, [`Basic ${basic}`, basic]), said);
  assert.equal(withoutCredentials(said, []), said);
});

test("a netrc is read in any order and over any lines", () => {
  assert.deepEqual(
    parseNetrc('# c\nmachine A\n\tlogin u password "p w"\nmachine b password q\ndefault login d password r'),
    [
      { machine: "a", login: "u", password: "p w" },
      { machine: "b", login: "", password: "q" },
      { machine: null, login: "d", password: "r" },
    ],
  );
});
