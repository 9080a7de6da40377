// Ways of connecting, in an internet of the test's own: each reaches its server in a box where its host is granted, with no variable
// that names a proxy, and reaches nothing where it is not. With ALL_CLIENTS=1 also programs that not every machine has: the slow suite.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { scripted } from "../fixtures/approver.ts";
import { boxAlone, makeTestDirectories } from "../fixtures/gate.ts";
import { addToRegistry, makePackages } from "../fixtures/internet-packages.ts";
import { until } from "../fixtures/run.ts";
import { openScriptGate, type ScriptGate } from "../fixtures/script-gate.ts";
import {
  makeCertificate,
  type Served,
  serveDatabase,
  serveFiles,
  serveGit,
  serveLine,
  serveWeb,
} from "../fixtures/internet-servers.ts";

const directory = mkdtempSync(join(tmpdir(), "sallyport-clients-"));
const directories = makeTestDirectories();
test.after(() => {
  directories.remove();
  rmSync(directory, { recursive: true, force: true });
});

const tls = makeCertificate(directory, ["web.test", "other.test", "git.test"]);
const files = join(directory, "files");
makePackages(files, join(directory, "work"), "https://other.test");
const registry = await serveFiles("203.0.113.81", 443, tls, files);
const repositories = await serveGit("203.0.113.85", 443, tls, files);
const servers: readonly Served[] = [
  await serveWeb("203.0.113.80", 443, tls),
  await serveWeb("203.0.113.80", 80, null),
  await serveLine("203.0.113.80", 22, "SSH-2.0-test\r\n", "end"), // an ssh would wait for its keys until the call's time is over
  registry,
  await serveDatabase("203.0.113.82", 5432),
  await serveDatabase("127.0.0.1", 5432),
];

const ca = tls.ca;
const cargo = findCargo();
const node = process.execPath;
const inNode = (code: string) => `NODE_EXTRA_CA_CERTS=${ca} ${node} -e '${code}'`;
const inPython = (code: string) => `SSL_CERT_FILE=${ca} python3 -c '${code}'`;
const hasModule = (name: string) => existsSync(`/usr/lib/python3/dist-packages/${name}`);
const programs = (...names: string[]) =>
  names.every((name) => existsSync(`/usr/bin/${name}`) || existsSync(`/usr/sbin/${name}`));

const aptOptions = [
  "Dir::State=$PWD/apt/state",
  "Dir::State::status=$PWD/apt/state/status",
  "Dir::Cache=$PWD/apt/cache",
  "Dir::Etc=$PWD/apt/etc",
  "Acquire::Retries=0",
  `Acquire::https::CaInfo=${ca}`,
  "APT::Sandbox::User=root", // in the box no program becomes another user
]
  .map((option) => `-o ${option}`)
  .join(" ");

interface Way {
  readonly name: string;
  readonly script: string;
  readonly says: RegExp;
  /** Whether this machine has the program. Absent: every machine that the tests run on has it. */
  readonly isThere?: boolean;
}

const ways: readonly Way[] = [
  { name: "curl https", script: `curl -sS --cacert ${ca} https://web.test/c`, says: /^web\.test GET \/c/ },
  { name: "curl http", script: "curl -sS http://web.test/c", says: /^web\.test GET \/c/ },
  { name: "wget https", script: `wget -qO- --ca-certificate=${ca} https://web.test/w`, says: /GET \/w/ },
  { name: "bash /dev/tcp", script: "head -1 < /dev/tcp/web.test/22", says: /^SSH-2\.0-test/ },
  { name: "nc", script: "nc -w 5 web.test 22 < /dev/null | head -1", says: /^SSH-2\.0-test/ },
  {
    name: "openssl s_client",
    script: `echo | openssl s_client -brief -CAfile ${ca} -verify_return_error -connect web.test:443 -servername web.test 2>&1`,
    says: /Verification: OK/,
  },
  { name: "getent", script: "getent hosts web.test && head -1 < /dev/tcp/web.test/22", says: /^198\.1[89]\..*\nSSH/ },
  {
    name: "perl",
    script: `perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(PeerAddr => "web.test:22")->getline'`,
    says: /^SSH-2\.0-test/,
  },
  {
    name: "python socket",
    script: inPython('import socket; print(socket.create_connection(("web.test", 22)).recv(99).decode())'),
    says: /^SSH-2\.0-test/,
  },
  {
    name: "python urllib",
    script: inPython('import urllib.request; print(urllib.request.urlopen("https://web.test/u").read().decode())'),
    says: /GET \/u/,
  },
  {
    name: "python requests",
    script: `REQUESTS_CA_BUNDLE=${ca} ${inPython('import requests; print(requests.get("https://web.test/r").text)')}`,
    says: /GET \/r/,
    isThere: hasModule("requests"),
  },
  {
    name: "python asyncio",
    script: inPython('import asyncio; r = asyncio.run(asyncio.open_connection("web.test", 22)); print("open")'),
    says: /^open/,
  },
  {
    name: "node fetch",
    script: inNode('fetch("https://web.test/f").then((r) => r.text()).then(console.log)'),
    says: /GET \/f/,
  },
  {
    name: "node:https",
    script: inNode('require("https").get("https://web.test/h", (r) => r.pipe(process.stdout))'),
    says: /GET \/h/,
  },
  {
    name: "node WebSocket",
    script: inNode(
      'const s = new WebSocket("wss://web.test/s"); s.onmessage = (m) => { console.log(m.data); process.exit(); }; s.onerror = (e) => { console.error(e); process.exit(1); }',
    ),
    says: /^web\.test SOCKET \/s/,
  },
  {
    name: "node:net",
    script: inNode(
      'require("net").connect(22, "web.test").once("data", function (d) { console.log(`${d}`); this.destroy(); })',
    ),
    says: /^SSH-2\.0-test/,
  },
  {
    name: "node:dns",
    script:
      inNode('new (require("dns").Resolver)().resolve4("web.test", (e, a) => console.log(`${a}`))') +
      " && head -1 < /dev/tcp/web.test/22",
    says: /^198\.1[89]\..*\nSSH/,
  },
  {
    name: "git over https",
    script: `GIT_SSL_CAINFO=${ca} git clone -q https://other.test/repo.git cloned && cat cloned/a.txt`,
    says: /^of the repository/,
  },
  {
    name: "git over ssh, to the server's words",
    script: "GIT_SSH_COMMAND='ssh -v -o BatchMode=yes -o ConnectTimeout=10' git ls-remote git@web.test:x 2>&1",
    says: /remote software version test|Remote protocol version 2\.0|identification string|kex/,
  },
  {
    name: "pip",
    script: `pip3 install -q --no-cache-dir --disable-pip-version-check --target got --index-url https://other.test/simple --cert ${ca} tiny && python3 got/tiny.py`,
    says: /tiny of the index/,
    isThere: programs("pip3"),
  },
  {
    name: "npm",
    script: `npm install --no-audit --no-fund --no-update-notifier --fetch-retries 0 --cafile ${ca} --registry https://other.test/ tiny >&2 && node node_modules/tiny/i.js`,
    says: /tiny of the registry/,
    isThere: programs("npm"),
  },
  {
    name: "cargo, a package of a registry",
    script: `${cargoProject('tiny = { version = "1", registry = "other" }')} && cat cargo-home/registry/src/*/tiny-1.0.0/src/lib.rs`,
    says: /^\/\/ tiny of the crates/,
    isThere: isSparse(),
  },
  {
    name: "cargo, a package of a repository",
    script: `${cargoProject('gitted = { git = "https://other.test/repo.git" }')} && cat cargo-home/git/checkouts/*/*/a.txt`,
    says: /^of the repository/,
    isThere: cargo !== null,
  },
  {
    name: "apt",
    script: `mkdir -p apt/state/lists/partial apt/cache/archives/partial apt/etc && touch apt/state/status && echo "deb [trusted=yes] https://other.test/debian ./" > apt/etc/sources.list && apt-get ${aptOptions} update >&2 && apt-get ${aptOptions} download tiny >&2 && dpkg-deb --field tiny_1.0_all.deb Description`,
    says: /^tiny of the archive/,
    isThere: programs("apt-get", "dpkg-deb"),
  },
  {
    name: "psql",
    script: "PGCONNECT_TIMEOUT=10 psql -h db.test -U ann -Atc 'select 1' postgres",
    says: /^a row of the database\n/,
    isThere: programs("psql"),
  },
  {
    name: "psql, of the machine",
    script: "PGCONNECT_TIMEOUT=10 psql -h localhost -U ann -Atc 'select 1' postgres",
    says: /^a row of the database\n/,
    isThere: programs("psql"),
  },
  {
    name: "java HttpURLConnection",
    script: javaSays(
      '((java.net.HttpURLConnection) new java.net.URL("http://web.test/j").openConnection()).getInputStream()',
    ),
    says: /GET \/j/,
    isThere: programs("java"),
  },
  {
    name: "java HttpClient",
    script: javaSays(
      'java.net.http.HttpClient.newHttpClient().send(java.net.http.HttpRequest.newBuilder(java.net.URI.create("http://web.test/k")).build(), java.net.http.HttpResponse.BodyHandlers.ofInputStream()).body()',
    ),
    says: /GET \/k/,
    isThere: programs("java"),
  },
  {
    name: "go net/http",
    script: goSays(
      '"io"; "net/http"',
      'r, e := http.Get("http://web.test/g"); if e != nil { panic(e) }; b, _ := io.ReadAll(r.Body)',
    ),
    says: /GET \/g/,
    isThere: programs("go"),
  },
  {
    name: "go net.Dial",
    script: goSays(
      '"net"',
      'c, e := net.Dial("tcp", "web.test:22"); if e != nil { panic(e) }; b := make([]byte, 99); n, _ := c.Read(b); b = b[:n]',
    ),
    says: /^SSH-2\.0-test/,
    isThere: programs("go"),
  },
];

function javaSays(stream: string): string {
  return `cat > Main.java <<'E'\npublic class Main { public static void main(String[] a) throws Exception { System.out.print(new String(${stream}.readAllBytes())); } }\nE\njava -Xmx256m Main.java`;
}

function goSays(imports: string, code: string): string {
  return `cat > m.go <<'E'\npackage main\nimport ("fmt"; ${imports})\nfunc main() { ${code}; fmt.Print(string(b)) }\nE\nGOFLAGS=-mod=mod GO111MODULE=off GOCACHE=$PWD/cache go run m.go`;
}

/** With a registry of its own, and all that cargo keeps. Versions before 1.68 know no such registry. */
function cargoProject(dependency: string): string {
  const registry = isSparse() ? '[registries.other]\nindex = "sparse+https://other.test/index/"\n' : "";
  return `mkdir -p src .cargo && touch src/lib.rs && printf '[package]\nname = "own"\nversion = "1.0.0"\nedition = "2018"\n[dependencies]\n${dependency}\n' > Cargo.toml && printf '${registry}[net]\nretry = 0\ngit-fetch-with-cli = true\n[http]\ncainfo = "${ca}"\n' > .cargo/config.toml && PATH=${cargo}/bin:$PATH GIT_SSL_CAINFO=${ca} CARGO_HOME=$PWD/cargo-home cargo fetch >&2`;
}

/** The directory of cargo's toolchain. Null if there is none that this user can run. */
function findCargo(): string | null {
  const { status, stdout } = spawnSync("rustc", ["--print", "sysroot"], { encoding: "utf8", cwd: "/" });
  return status === 0 && existsSync(join(stdout.trim(), "bin/cargo")) ? stdout.trim() : null;
}

function isSparse(): boolean {
  if (cargo === null) return false;
  const said = spawnSync(join(cargo, "bin/cargo"), ["--version"], { encoding: "utf8" }).stdout;
  return Number(/^cargo 1\.(\d+)/.exec(said)?.[1]) >= 68;
}

function open(network: readonly string[], approver = scripted(() => ({ nobody: "nobody is there" }))): ScriptGate {
  const paths = [
    { path: "/usr", mode: "r" },
    { path: directory, mode: "r" },
    { path: node, mode: "r" },
    ...(cargo === null || cargo === "/usr" ? [] : [{ path: cargo, mode: "r" } as const]),
  ] as const;
  return openScriptGate(directories, { network, paths, policy: boxAlone }, { approvers: [approver] });
}

const granted = open(["web.test:*", "other.test:443", "db.test:5432", "localhost:5432"]);
const closed = open(["elsewhere.test:443"]);
const none = open([]);
test.after(() => {
  for (const gate of [granted, closed, none]) gate.close();
});

const accepts = () => servers.reduce((sum, server) => sum + server.accepts, 0);

const isAll = process.env["ALL_CLIENTS"] === "1";

const tried = ways.filter((way) => isAll || way.isThere === undefined);
const got = /GET |SOCKET |tiny of|of the repository|SSH-2\.0-test|row of/;
const alone = (script: string) =>
  `unset $(env | grep -i proxy | cut -d= -f1); mkdir -p w && cd w && ${script}; chmod -R u+w /workspace/w; rm -rf /workspace/w`;

/** What a program here is too old for. Everything else has to be there where all clients are tried. */
const tooOld = cargo !== null && !isSparse() ? new Set(["cargo, a package of a registry"]) : new Set<string>();
const noSparse = "this cargo knows no sparse registry: its version is below 1.68";

for (const { name, script, says, isThere = true } of tried) {
  const skip = tooOld.has(name) && noSparse;
  test(`${name}: reaches its server, and nothing where its host is not granted`, { skip }, async () => {
    assert.ok(isThere, "the program is not installed");
    const before = accepts();
    const { stdout, stderr } = await granted.ranBash(alone(script), { timeout_s: 120 });
    assert.match(stdout, says, `${stdout}${stderr}`);
    const between = accepts();
    assert.ok(between > before, "the server was not reached");
    for (const gate of [closed, none]) {
      const refused = await gate.bash(alone(script), { timeout_s: 120 });
      assert.ok(refused.ok, JSON.stringify(refused));
      assert.equal(accepts(), between, "the server was reached");
      assert.doesNotMatch(String(refused.result["stdout"]), got);
    }
  });
}

const noNpm = !(isAll && programs("npm")) && "in the slow suite, where npm is installed";

test("npm installs a real package with what it depends on, after one question", { skip: noNpm }, async () => {
  for (const name of ["dns-packet", "@leichtgewicht/ip-codec"])
    addToRegistry(join(import.meta.dirname, "../../node_modules", name), files, "https://other.test");
  const person = scripted((question) => ({ decision: "allow", digest: question.action.digest, scope: "once" }));
  const asking = open(["ask"], person);
  const install = `npm install --no-audit --no-fund --no-update-notifier --cafile ${ca} --registry https://other.test/ dns-packet >&2`;
  const use = `node -p 'const p = require("dns-packet"); p.decode(p.encode({ type: "query", questions: [{ type: "A", name: "a.test" }] })).questions[0].name'`;
  const { stdout, stderr } = await asking.ranBash(alone(`${install} && ${use}`), { timeout_s: 120 });
  asking.close();
  assert.equal(stdout, "a.test\n", stderr);
  assert.deepEqual(
    person.asked.map(({ action }) => action.operation?.path),
    ["other.test:443"],
  );
});

const opened = (host: string, more: Readonly<Record<string, unknown>>) =>
  ({ host, open: true, ...more }) as unknown as string;
const requests = ({ got }: Served, part: string) => got.filter((line) => line.toString().includes(part)).length;
const trust = () => appendFileSync("/etc/ssl/certs/ca-certificates.crt", readFileSync(ca)); // of this internet

test("git, through a host that the gate opens for reading: a clone and a fetch pass, a push does not arrive", async () => {
  trust();
  const git = "git -c user.name=Ann -c user.email=ann@example.org";
  // The reader of scripts refuses a push that it sees.
  const push = `python3 -c 'import subprocess; subprocess.run(["git", "".join(["pu", "sh"]), "-q", "origin", "HEAD:own"])' 2>&1`;
  const work = `git clone -q https://git.test/repo.git cloned && cat cloned/a.txt && cd cloned && git fetch -q --refetch && ${git} commit -q --allow-empty -m own && ${push}; cd ..`;
  const gate = open([opened("git.test", { methods: ["GET", "HEAD"] })]);
  const { stdout, stderr } = await gate.ranBash(alone(work));
  gate.close();
  assert.match(stdout, /^of the repository\n[^]*403/, stderr);
  assert.ok(requests(repositories, "POST /repo.git/git-upload-pack") >= 2, "a clone and a fetch");
  assert.equal(requests(repositories, "git-receive-pack"), 0);
  const closedTls = open(["git.test:443"]);
  const control = await closedTls.ranBash(alone(`export GIT_SSL_CAINFO=${ca}; ${work}`));
  closedTls.close();
  assert.equal(
    requests(repositories, "POST /repo.git/git-receive-pack"),
    1,
    `the control\n${control.stdout}${control.stderr}`,
  );
});

/** Without a certificate of the test's own: in the box the gate's is trusted. */
const installs = [
  ["npm", "/tiny/-/tiny-1.0.0.tgz", /tiny of the registry/],
  ["pip", "/simple/tiny/tiny-1.0-py3-none-any.whl", /tiny of the index/],
  ["cargo, a package of a registry", "/crates/tiny/1.0.0/download", /tiny of the crates/],
] as const;

for (const [name, path, says] of installs) {
  const way = ways.find((one) => one.name === name);
  const skip = isAll ? tooOld.has(name) && noSparse : "in the slow suite, where it is installed";
  test(
    `${name}, through a host with a cache: the second install asks the host for no package file`,
    { skip },
    async () => {
      assert.ok(way?.isThere, "the program is not installed");
      trust();
      const script = way.script
        .replace(`--cafile ${ca} `, "")
        .replace(` --cert ${ca}`, "")
        .replace(`cainfo = "${ca}"\n`, "")
        .replace(`GIT_SSL_CAINFO=${ca} `, "");
      assert.ok(!script.includes(ca));
      mkdirSync(join(directories.state, "packages"), { recursive: true, mode: 0o700 });
      const kept = () => readdirSync(join(directories.state, "packages")).filter((one) => !one.endsWith(".new")).length;
      const install = async (more: Readonly<Record<string, unknown>>) => {
        const before = requests(registry, `GET ${path}`);
        const gate = open([opened("other.test", more)]);
        const { stdout, stderr } = await gate.ranBash(alone(script), { timeout_s: 120 });
        gate.close();
        assert.match(stdout, says, `${stdout}${stderr}`);
        return requests(registry, `GET ${path}`) - before;
      };
      assert.deepEqual(
        [await install({}), await install({})],
        [1, 1],
        "the control: without `cache` it is asked each time",
      );
      const before = kept();
      assert.equal(await install({ cache: true }), 1);
      await until("it is kept", () => kept() > before);
      assert.equal(await install({ cache: true }), 0);
    },
  );
}
