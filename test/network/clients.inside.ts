// Ways of connecting, in an internet of the test's own: each reaches its server in a box where its host is granted, with no variable
// that names a proxy, and reaches nothing where it is not. With ALL_CLIENTS=1 also programs that not every machine has: the slow suite.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import test from "node:test";
import { boxAlone, makeTestDirectories } from "../fixtures/gate.ts";
import { openScriptGate, type ScriptGate } from "../fixtures/script-gate.ts";
import { makeCertificate, type Served, serveFiles, serveLine, serveWeb } from "../fixtures/internet-servers.ts";

const directory = mkdtempSync(join(tmpdir(), "sallyport-clients-"));
const directories = makeTestDirectories();
test.after(() => {
  directories.remove();
  rmSync(directory, { recursive: true, force: true });
});

const tls = makeCertificate(directory, ["web.test", "other.test"]);
const files = join(directory, "files");
makeRepository(join(files, "repo.git"));
makeIndex(files);
const servers: readonly Served[] = [
  await serveWeb("203.0.113.80", 443, tls),
  await serveWeb("203.0.113.80", 80, null),
  await serveLine("203.0.113.80", 22, "SSH-2.0-test\r\n"),
  await serveFiles("203.0.113.81", 443, tls, files),
  await serveLine("203.0.113.82", 5432, "database\n"),
];

/** A repository that needs nothing but files, as git's oldest way over HTTP. */
function makeRepository(path: string): void {
  const work = join(directory, "work");
  const git = (...words: string[]) =>
    execFileSync("git", ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", ...words], {
      cwd: directory,
      env: { PATH: "/usr/bin:/bin", GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
      stdio: "ignore",
    });
  mkdirSync(dirname(path), { recursive: true });
  git("init", "--quiet", "--initial-branch=main", work);
  writeFileSync(join(work, "a.txt"), "of the repository\n");
  git("-C", work, "add", "a.txt");
  git("-C", work, "commit", "--quiet", "--message=first");
  git("clone", "--quiet", "--bare", work, path);
  git("-C", path, "update-server-info");
}

/** A package index as pip and npm read one. */
function makeIndex(path: string): void {
  mkdirSync(join(path, "simple/tiny"), { recursive: true });
  const build = `import zipfile
with zipfile.ZipFile("tiny-1.0-py3-none-any.whl", "w") as z:
    z.writestr("tiny.py", "print('tiny of the index')")
    z.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: tiny\\nVersion: 1.0\\n")
    z.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    z.writestr("tiny-1.0.dist-info/RECORD", "")`;
  execFileSync("python3", ["-c", build], { cwd: join(path, "simple/tiny") });
  const wheel = "tiny-1.0-py3-none-any.whl";
  writeFileSync(join(path, "simple/tiny/index.html"), `<a href="${wheel}">${wheel}</a>`);
  const made = join(directory, "package");
  mkdirSync(made);
  writeFileSync(join(made, "package.json"), JSON.stringify({ name: "tiny", version: "1.0.0", main: "i.js" }));
  writeFileSync(join(made, "i.js"), "console.log('tiny of the registry')");
  execFileSync("tar", ["-czf", join(path, "tiny-1.0.0.tgz"), "package"], { cwd: directory });
  const dist = { tarball: "https://other.test/tiny-1.0.0.tgz" };
  const about = {
    name: "tiny",
    "dist-tags": { latest: "1.0.0" },
    versions: { "1.0.0": { name: "tiny", version: "1.0.0", dist } },
  };
  mkdirSync(join(path, "tiny"));
  writeFileSync(join(path, "tiny/index.html"), JSON.stringify(about)); // npm reads the text, whatever its type
}

const ca = tls.ca;
const node = process.execPath;
const inNode = (code: string) => `NODE_EXTRA_CA_CERTS=${ca} ${node} -e '${code}'`;
const inPython = (code: string) => `SSL_CERT_FILE=${ca} python3 -c '${code}'`;
const hasModule = (name: string) => existsSync(`/usr/lib/python3/dist-packages/${name}`);
const programs = (...names: string[]) =>
  names.every((name) => existsSync(`/usr/bin/${name}`) || existsSync(`/usr/sbin/${name}`));

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
    script: `NODE_EXTRA_CA_CERTS=${ca} npm install --silent --no-audit --no-fund --registry https://other.test/ tiny && node node_modules/tiny/i.js`,
    says: /tiny of the registry/,
    isThere: programs("npm"),
  },
  {
    name: "psql, to the server's words",
    script: `PGCONNECT_TIMEOUT=10 psql -h db.test -U ann postgres 2>&1`,
    says: /received invalid response|server closed|expected authentication/,
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
    script:
      'printf \'package main\\nimport ("fmt";"io";"net/http")\\nfunc main() { r, e := http.Get("http://web.test/g"); if e != nil { panic(e) }; b, _ := io.ReadAll(r.Body); fmt.Print(string(b)) }\\n\' > m.go && GOFLAGS=-mod=mod GO111MODULE=off go run m.go',
    says: /GET \/g/,
    isThere: programs("go"),
  },
];

function javaSays(stream: string): string {
  return `cat > Main.java <<'E'\npublic class Main { public static void main(String[] a) throws Exception { System.out.print(new String(${stream}.readAllBytes())); } }\nE\njava -Xmx256m Main.java`;
}

function open(network: readonly string[]): ScriptGate {
  const paths = [
    { path: "/usr", mode: "r" },
    { path: directory, mode: "r" },
    { path: node, mode: "r" },
  ] as const;
  return openScriptGate(directories, { network, paths, policy: boxAlone });
}

const granted = open(["web.test:*", "other.test:443", "db.test:5432"]);
const closed = open(["elsewhere.test:443"]);
test.after(() => {
  granted.close();
  closed.close();
});

const accepts = () => servers.reduce((sum, server) => sum + server.accepts, 0);

const isAll = process.env["ALL_CLIENTS"] === "1";

for (const { name, script, says, isThere = true } of ways.filter((way) => isAll || way.isThere === undefined)) {
  const skip = !isThere && "it is not installed";
  test(`${name}: reaches its server, and nothing where its host is not granted`, { skip }, async () => {
    const whole = `unset $(env | grep -i proxy | cut -d= -f1); mkdir -p w && cd w && ${script}; rm -rf /workspace/w`;
    const before = accepts();
    const { stdout, stderr } = await granted.ranBash(whole, { timeout_s: 120 });
    assert.match(stdout, says, `${stdout}${stderr}`);
    const between = accepts();
    assert.ok(between > before, "the server was not reached");
    const refused = await closed.bash(whole, { timeout_s: 120 });
    assert.ok(refused.ok, JSON.stringify(refused));
    assert.equal(accepts(), between, "the server was reached");
    assert.doesNotMatch(String(refused.result["stdout"]), /GET |tiny of|of the repository|SSH-2\.0-test/);
  });
}
