import assert from "node:assert/strict";
import { test } from "node:test";
import { redact } from "../../src/audit/redact.ts";
import { redactText } from "../../src/audit/redact-text.ts";
import { isSecretName } from "../../src/audit/secret-name.ts";
import type { Json } from "../../src/shared/json.ts";
import { isFull } from "../fixtures/runs.ts";
import { threadTimeOf } from "../fixtures/thread-time.ts";
import { hostile } from "./hostile-texts.ts";

// Made up here, so that no scanner takes this file for a leak.
const mixed = (length: number) => "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0z".repeat(8).slice(0, length);
const upper = (length: number) => "Q7W2E9R4T6Y1U8I3".repeat(4).slice(0, length);
const hex = (length: number) => "0123456789abcdef".repeat(8).slice(0, length);
const jwt = `eyJ${mixed(20)}.eyJ${mixed(40)}.${mixed(43)}`;
const keyBlock = (kind: string) =>
  `-----BEGIN ${kind}PRIVATE KEY-----\n${mixed(64)}\n${mixed(40)}==\n-----END ${kind}PRIVATE KEY-----`;

const shapes: Record<string, string> = {
  "GitHub personal": `ghp_${mixed(36)}`,
  "GitHub OAuth": `gho_${mixed(36)}`,
  "GitHub server": `ghs_${mixed(36)}`,
  "GitHub user": `ghu_${mixed(36)}`,
  "GitHub refresh": `ghr_${mixed(76)}`,
  "GitHub fine-grained": `github_pat_${mixed(22)}_${mixed(59)}`,
  GitLab: `glpat-${mixed(20)}`,
  "AWS key id": `AKIA${upper(16)}`,
  "AWS session id": `ASIA${upper(16)}`,
  "Slack bot": `xoxb-123456789012-1234567890123-${mixed(24)}`,
  "Slack user": `xoxp-123456789012-123456789012-${mixed(24)}`,
  "OpenAI old": `sk-${mixed(48)}`,
  "OpenAI project": `sk-proj-${mixed(30)}_${mixed(30)}-${mixed(30)}`,
  Anthropic: `sk-ant-api03-${mixed(60)}-${mixed(20)}AA`,
  Google: `AIza${mixed(35)}`,
  "Stripe secret": `sk_live_${mixed(24)}`,
  "Stripe restricted": `rk_live_${mixed(24)}`,
  npm: `npm_${mixed(36)}`,
  PyPI: `pypi-AgEIcHlwaS5vcmc${mixed(60)}`,
  JWT: jwt,
  Telegram: `110201543:AA${mixed(33)}`,
  SendGrid: `SG.${mixed(22)}.${mixed(43)}`,
  "Hugging Face": `hf_${mixed(34)}`,
  DigitalOcean: `dop_v1_${hex(64)}`,
  Vault: `hvs.${mixed(24)}`,
  Docker: `dckr_pat_${mixed(27)}`,
};

for (const [kind, secret] of Object.entries(shapes)) {
  test(`redacts by shape: ${kind}`, () => {
    assert.equal(redactText(secret), "[redacted]");
    for (const place of [
      `--x=${secret}`,
      `a ${secret} b`,
      `"${secret}"`,
      `say\\n${secret}`,
      `(${secret})`,
      `x:${secret},y`,
      `https://h/${secret}/z`,
    ]) {
      assert.ok(!redactText(place).includes(secret.slice(8)), `${place} became ${redactText(place)}`);
    }
    assert.deepEqual(redact({ argv: ["/bin/echo", secret, "after"] }), { argv: ["/bin/echo", "[redacted]", "after"] });
    assert.deepEqual(redact({ [secret]: 1 }), { "[redacted]": 1 });
  });
}

const texts: readonly (readonly [string, string])[] = [
  ["https://u:canary@h/x", "https://u:[redacted]@h/x"],
  ["clone https://u:canary@h/x and https://v:other@i/y", "clone https://u:[redacted]@h/x and https://v:[redacted]@i/y"],
  ["--url=https://u:can@ary@h/x?y=1#z", "--url=https://u:[redacted]@h/x?y=1#z"],
  ["postgres://app:hunter2@db:5432/app", "postgres://app:[redacted]@db:5432/app"],
  [`https://${mixed(40)}@github.com/a/b`, "https://[redacted]@github.com/a/b"],
  [`https://${mixed(40)}:x-oauth-basic@github.com/a/b`, "https://[redacted]:[redacted]@github.com/a/b"],
  ["https://h/x?access_token=canary&page=2", "https://h/x?access_token=[redacted]&page=2"],
  ["https://h/x?page=2&X-Amz-Signature=abcdef0123#top", "https://h/x?page=2&X-Amz-Signature=[redacted]#top"],
  ["https://h/x?sig=a%2Fb%3D&sv=2020", "https://h/x?sig=[redacted]&sv=2020"],
  [`https://hooks.slack.com/services/T00000000/B00000000/${mixed(24)}`, "https://hooks.slack.com/services/[redacted]"],
  ["--password=canary", "--password=[redacted]"],
  ["run --token canary --verbose", "run --token [redacted] --verbose"],
  ["API_KEY=canary make deploy", "API_KEY=[redacted] make deploy"],
  ["export DB_PASSWORD='two words'; ls", "export DB_PASSWORD='[redacted]'; ls"],
  ['export DB_PASSWORD="it\\"s long" && ls', 'export DB_PASSWORD="[redacted]" && ls'],
  ['PASS_PHRASE=x PGPASSWORD=can"ar y"end psql', "PASS_PHRASE=x PGPASSWORD=[redacted] psql"],
  ["Authorization: Bearer canary", "Authorization: Bearer [redacted]"],
  ["authorization: Basic dTpw", "authorization: Basic [redacted]"],
  ["Authorization:canary", "Authorization:[redacted]"],
  ["X-Api-Key: canary", "X-Api-Key: [redacted]"],
  ["PRIVATE-TOKEN: canary", "PRIVATE-TOKEN: [redacted]"],
  ["Cookie: session=canary; other=x", "Cookie: [redacted]"],
  ["curl -H 'Authorization: Bearer canary' https://h/x", "curl -H 'Authorization: Bearer [redacted]' https://h/x"],
  ['curl -H "X-Auth-Token: canary" -o out', 'curl -H "X-Auth-Token: [redacted]" -o out'],
  ["http.extraHeader=Authorization: Basic dTpw", "http.extraHeader=Authorization: Basic [redacted]"],
  [`{"user":"u","password":"canary","n":1}`, `{"user":"u","password":"[redacted]","n":1}`],
  [
    `curl -d "{\\"password\\": \\"canary\\", \\"a\\": 1}" h`,
    `curl -d "{\\"password\\": \\"[redacted]\\", \\"a\\": 1}" h`,
  ],
  ["user: u\npassword: canary\nport: 1", "user: u\npassword: [redacted]\nport: 1"],
  ["[db]\npassword = hunter2\nport = 1", "[db]\npassword = [redacted]\nport = 1"],
  [`client = Client(api_key="canary", timeout=3)`, `client = Client(api_key="[redacted]", timeout=3)`],
  [`token = "canary"\nprint(token)`, `token = "[redacted]"\nprint(token)`],
  ["Server=h;Password=canary;Port=1", "Server=h;Password=[redacted];Port=1"],
  ["curl -u user:canary https://h", "curl -u user:[redacted] https://h"],
  ["mysql -uroot -pcanary db", "mysql -uroot -p[redacted] db"],
  ["sshpass -p canary ssh h", "sshpass -p [redacted] ssh h"],
  ["docker login -u me -p canary registry", "docker login -u me -p [redacted] registry"],
  ["openssl rsa -passin pass:canary -in f", "openssl rsa -passin pass:[redacted] -in f"],
  [`echo bearer ${mixed(30)}`, "echo bearer [redacted]"],
  [
    `cat <<E\n${keyBlock("RSA ")}\nE\nls`,
    "cat <<E\n-----BEGIN RSA PRIVATE KEY-----[redacted]-----END RSA PRIVATE KEY-----\nE\nls",
  ],
  [keyBlock("").replaceAll("\n", "\\n"), "-----BEGIN PRIVATE KEY-----[redacted]-----END PRIVATE KEY-----"],
  [
    `api_key: ${keyBlock("OPENSSH ")}`,
    "api_key: -----BEGIN OPENSSH PRIVATE KEY-----[redacted]-----END OPENSSH PRIVATE KEY-----",
  ],
];

for (const [text, expected] of texts) {
  test(`redacts in text: ${JSON.stringify(text.slice(0, 60))}`, () => {
    assert.equal(redactText(text), expected);
    assert.equal(redactText(expected), expected);
  });
}

const untouched: readonly string[] = [
  "0d1a26e67d8f5eaf1f6ba5c57fc3c7d91ac0fd1c",
  "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
  "sha256:" + hex(64),
  "sha512-" + mixed(86) + "==",
  "git log --author=alice --oneline -n 5",
  "--author=x",
  "AUTHOR=alice",
  "GIT_AUTHOR_NAME=alice",
  "grep token file.txt",
  "grep -rn 'password' src/",
  "rg 'secret|token' --type ts",
  "KEYNOTE_SPEAKER=someone",
  "TOKENIZERS_PARALLELISM=false",
  "MONKEY=banana",
  "MAX_TOKENS=4096",
  "--max-tokens 4096",
  "tokens=12",
  "SSH_AUTH_SOCK=/tmp/agent.sock",
  "PWD=/home/x",
  "OLDPWD=/home/y",
  "GIT_ASKPASS=/usr/bin/true",
  "TOKEN_FILE=/run/secrets/token",
  "--password-stdin",
  "docker login --password-stdin registry",
  "--auth=basic",
  "PUBLIC_KEY=abc",
  "--key=value",
  "--sort-key name",
  "src/auth/token.ts:12",
  "cat src/secrets/README.md",
  "npm run auth:login",
  "npm_config_registry=https://registry.npmjs.org/",
  "https://github.com/a/b.git",
  "git@github.com:a/b.git",
  "ssh://git@github.com/a/b.git",
  "https://user@example.com/x",
  "https://h/x?page=2&key=name",
  "https://u:$TOKEN@h/x",
  "TOKEN=$TOKEN make",
  'curl -H "Authorization: Bearer $TOKEN" https://h',
  'curl -H "Authorization: Bearer ${TOKEN}" https://h',
  "TOKEN=$(cat file) make",
  "token = get_token()",
  "def login(password, token=None): return check(password=password)",
  "connect(password=config.password)",
  "token = os.environ['API_TOKEN']",
  "fix token: handle expiry and password rotation",
  "the secret of good tests",
  "non-secret agents",
  "task-" + mixed(40),
  "disk-usage-and-something-quite-long-here",
  "sk-learn",
  "for key in keys: print(key)",
  "eyJust a word",
  "-----BEGIN CERTIFICATE-----\n" + mixed(64) + "\n-----END CERTIFICATE-----",
  "bearer of bad news and other things",
  "docker run -u 1000:1000 curlimages/curl",
  "sed -n '1,5p' passwd.txt",
  "cat /etc/passwd",
  "cookie-cutter",
  "x".repeat(500),
  "a=b",
  "",
];

for (const text of untouched) {
  test(`leaves alone: ${JSON.stringify(text.slice(0, 60))}`, () => {
    assert.equal(redactText(text), text);
    assert.deepEqual(redact({ argv: ["/bin/bash", "-c", text] }), { argv: ["/bin/bash", "-c", text] });
    if (text.includes("(")) return; // code, which makes no sense word by word
    assert.deepEqual(redact({ argv: ["/bin/echo", ...text.split(" ")] }), { argv: ["/bin/echo", ...text.split(" ")] });
  });
}

const values: readonly (readonly [Json, Json])[] = [
  [{ env: { TOKEN: "canary-secret", LANG: "C" } }, { env: { TOKEN: "[redacted]", LANG: "C" } }],
  [{ env: { PASSWORD: "$x y", EMPTY_TOKEN: "" } }, { env: { PASSWORD: "[redacted]", EMPTY_TOKEN: "" } }],
  [{ argv: ["/x", "--token", "canary", "z"] }, { argv: ["/x", "--token", "[redacted]", "z"] }],
  [{ argv: ["/x", "--password", "--host", "h"] }, { argv: ["/x", "--password", "--host", "h"] }],
  [{ argv: ["/x", "--password=two words"] }, { argv: ["/x", "--password=[redacted]"] }],
  [{ argv: ["/usr/bin/env", "API_KEY=a b", "ls"] }, { argv: ["/usr/bin/env", "API_KEY=[redacted]", "ls"] }],
  [{ argv: ["/usr/bin/curl", "-u", "me:canary", "h"] }, { argv: ["/usr/bin/curl", "-u", "me:[redacted]", "h"] }],
  [{ argv: ["/usr/bin/curl", "-ume:canary", "h"] }, { argv: ["/usr/bin/curl", "-ume:[redacted]", "h"] }],
  [{ argv: ["/usr/bin/mysql", "-pcanary", "db"] }, { argv: ["/usr/bin/mysql", "-p[redacted]", "db"] }],
  [{ argv: ["docker", "login", "-p", "canary"] }, { argv: ["docker", "login", "-p", "[redacted]"] }],
  [{ argv: ["docker", "run", "-p", "80:80"] }, { argv: ["docker", "run", "-p", "80:80"] }],
  [{ argv: ["mkdir", "-p", "a/b"] }, { argv: ["mkdir", "-p", "a/b"] }],
  [
    { clientSecret: "canary", secretName: "n", max_tokens: 5 },
    { clientSecret: "[redacted]", secretName: "n", max_tokens: 5 },
  ],
  [{ auth: { user: "u", pass: "p" } }, { auth: { user: "[redacted]", pass: "[redacted]" } }],
  [
    { name: "DB_PASSWORD", value: "canary" },
    { name: "DB_PASSWORD", value: "[redacted]" },
  ],
  [
    { hasPassword: true, password: null, token: false },
    { hasPassword: true, password: null, token: false },
  ],
  [
    { text: "token=canary\ufffd", base64: "dG9rZW49Y2FuYXJ5/w==" },
    { text: "token=[redacted]", base64: "[redacted]" },
  ],
  [
    { argv: ["aws", `AKIA${upper(16)}`, `${mixed(38)}/+`, hex(40)] },
    { argv: ["aws", "[redacted]", "[redacted]", hex(40)] },
  ],
  [{ argv: ["x", `${mixed(38)}/+`] }, { argv: ["x", `${mixed(38)}/+`] }],
];

for (const [value, expected] of values) {
  test(`redacts in values: ${JSON.stringify(value).slice(0, 70)}`, () => assert.deepEqual(redact(value), expected));
}

test("a script keeps everything but the value, so that a name cannot hide what runs", () => {
  const script = "TOKEN=canary; rm -rf /data && PASSWORD=x curl h";
  const expected = "TOKEN=[redacted]; rm -rf /data && PASSWORD=[redacted] curl h";
  assert.deepEqual(redact({ argv: ["/bin/bash", "-c", script] }), { argv: ["/bin/bash", "-c", expected] });
  assert.deepEqual(redact({ argv: ["/bin/bash", "-lc", "TOKEN=x rm -rf /data"] }), {
    argv: ["/bin/bash", "-lc", "TOKEN=[redacted] rm -rf /data"],
  });
});

test("names: which are secret and which only sound so", () => {
  const secret =
    "TOKEN SECRET PASSWORD PASSWD API_KEY APIKEY PRIVATE_KEY CREDENTIAL CREDENTIALS AUTH GITHUB_TOKEN MYSQL_PWD DB_PASS PGPASSWORD accessToken clientSecret x-api-key AWS_SECRET_ACCESS_KEY SECRET_KEY_BASE NPM_AUTH_TOKEN SSHPASS REDISCLI_AUTH ENCRYPTION_KEY";
  const plain =
    "KEY KEYNOTE_SPEAKER AUTHOR GIT_AUTHOR_EMAIL TOKENIZERS_PARALLELISM MONKEY PWD OLDPWD PATH KEYBOARD COMPASS PASSENGER SECRETARY AUTH_MODE TOKEN_TYPE PUBLIC_KEY HOTKEY TURKEY SSH_AUTH_SOCK MAX_TOKENS BYPASS CREDENTIALS_FILE";
  for (const name of secret.split(" ")) assert.equal(isSecretName(name), true, name);
  for (const name of plain.split(" ")) assert.equal(isSecretName(name), false, name);
});

// Growth is compared, not time: four times the text may not take sixteen times as long. In the ordinary run, redact-time.test.ts
// compares shorter ones, with a closer bound.
for (const [name, part] of Object.entries(isFull ? hostile : {})) {
  test(`linear on a megabyte of ${name}`, () => {
    const time = (length: number) => {
      const text = `AKIA${upper(16)} ${part.repeat(Math.ceil(length / part.length))}`;
      return threadTimeOf(() => redact({ argv: [text] }));
    };
    time(16 * 1024);
    const small = Math.min(time(256 * 1024), time(256 * 1024));
    const large = time(1024 * 1024);
    assert.ok(large < 12 * small + 400, `256 KiB: ${small.toFixed(1)} ms, 1 MiB: ${large.toFixed(1)} ms`);
  });
}
