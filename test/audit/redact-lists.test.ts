import assert from "node:assert/strict";
import { test } from "node:test";
import { redact } from "../../src/audit/redact.ts";
import { redactText } from "../../src/audit/redact-text.ts";
import { threadTimeOf } from "../fixtures/thread-time.ts";

const texts: readonly (readonly [string, string])[] = [
  // A list of words in a text is an argv, however it is written.
  [`{ argv: [mysql, "-u", root, "-pcanary"] }`, `{ argv: [mysql, "-u", root, "-p[redacted]"] }`],
  [`argv: [mysql, "--password", canary]`, `argv: [mysql, "--password", [redacted]]`],
  [`argv: [sudo, curl, "-u", "a:canary"]`, `argv: [sudo, curl, "-u", "a:[redacted]"]`],
  [`argv: [vim, "--token", canary]`, `argv: [vim, "--token", [redacted]]`],
  [`argv: [redis-cli, "-a", "canary"]`, `argv: [redis-cli, "-a", "[redacted]"]`],
  [`argv: [vim, "-c", "let token=\\"canary\\""]`, `argv: [vim, "-c", "let token=\\"[redacted]\\""]`],
  [`argv: [curl, "-u", "a:can\\"ary"]`, `argv: [curl, "-u", "a:[redacted]"]`],
  ["run(['mysql', '-pcanary', db])", "run(['mysql', '-p[redacted]', db])"],
  [`echo "[\\"mysql\\", \\"-pcanary\\"]"`, `echo "[\\"mysql\\", \\"-p[redacted]\\"]"`],
  [`cut: [mysql, "-u", root, "-pcana`, `cut: [mysql, "-u", root, "-p[redacted]`],
  // Quotes around a short flag's value, or the whole word.
  ["mysql -p'can ary' db", "mysql -p'[redacted]' db"],
  [`mysql "-pcanary" db`, `mysql "-p[redacted]" db`],
  ["curl -u 'a:can ary' h", "curl -u 'a:[redacted]' h"],
  ["mongosh -u a -p canary", "mongosh -u a -p [redacted]"],
  // A login without a scheme, as scp and git take it.
  ["user:canary@h:x", "user:[redacted]@h:x"],
  ["git clone user:canary@h.org:x/y.git", "git clone user:[redacted]@h.org:x/y.git"],
  ["user:can@ary@h.org:x", "user:[redacted]@h.org:x"],
  ["push to user:canary@h.org/x", "push to user:[redacted]@h.org/x"],
  ["--url=user:canary@10.0.0.1/x", "--url=user:[redacted]@10.0.0.1/x"],
  // An address with other slashes than two.
  ["read /workspace/https:/u:canary@h/x: no", "read /workspace/https:/u:[redacted]@h/x: no"],
  ["https:////u:canary@h", "https:////u:[redacted]@h"],
  ['{"url":"https:\\/\\/u:canary@h"}', '{"url":"https:\\/\\/u:[redacted]@h"}'],
  ["https://u:can,ar;y@h/x", "https://u:[redacted]@h/x"],
];

for (const [text, expected] of texts) {
  test(`redacts: ${text}`, () => {
    assert.equal(redactText(text), expected);
    assert.equal(redactText(expected), expected);
  });
}

const untouched: readonly string[] = [
  `image nginx:1.25@sha256:${"ab".repeat(32)}`,
  `docker pull r.io:5000/a:1@sha256:${"ab".repeat(32)}`,
  '"typescript@patch:typescript@npm:5.0#x"',
  "patch:typescript@npm:5.0#x",
  "react@npm:^18",
  "mailto:bob@example.org/",
  "from:bob@example.org:2026",
  "scp a.txt me@h:dir/",
  "git show HEAD:icon@2x.png",
  "rsync h:snap@daily.0/x .",
  "error:foo@bar.c: bad",
  "user:$PASS@h.org:x",
  "12:30@room:5",
  "group:artifact:1.0@aar",
  "C:/Users/x@y",
  "PATH=/a:/b@c:/d",
  "http://localhost:3000,me@example.org",
  "-v data:/var/lib/x:ro",
  "docker run --name mongo -p 27017:27017 mongo:6",
  'docker run -u "1000:1000" curlimages/curl',
  `argv: [mkdir, "-p", a/b]`,
  `argv: [mysql, "-u", root, "-p"]`,
  "[token: string, password: string]",
  `["password", "username"]`,
  `const [token, setToken] = useState("");`,
  "emails: [a@b.org, c@d.org]",
  `["--author", "x", "--token-file", "y"]`,
  `if [ -n "$TOKEN" ]; then echo "it's"; fi`,
  "[[ $x == *token* ]]",
  "passwords = ['a', 'b']",
  "a[0] = a[1]; [x, y] = [y, x]",
  "There is no file src/[id]/page.tsx in the workspace.",
  `commit: "fix [auth]: token, password and 'key' are read once"`,
];

for (const text of untouched) {
  test(`leaves alone: ${text.slice(0, 60)}`, () => {
    assert.equal(redactText(text), text);
    assert.deepEqual(redact({ message: text, because: [text] }), { message: text, because: [text] });
  });
}

// Growth is compared, not time: four times the text may not take sixteen times as long.
for (const part of [
  "[",
  "['",
  '["',
  '[\\"',
  "[a,",
  "a,",
  '["a",',
  '["\\"',
  "a:b@",
  "a:b@c ",
  " a:@",
  ":/",
  "https:/a:",
  ",a:b@",
]) {
  test(`linear on a megabyte of ${part}`, () => {
    const time = (length: number) => {
      const text = `[mysql, https://u:${part.repeat(Math.ceil(length / part.length))}`;
      return threadTimeOf(() => redactText(text));
    };
    time(16 * 1024);
    const small = Math.min(time(256 * 1024), time(256 * 1024));
    const large = time(1024 * 1024);
    assert.ok(large < 12 * small + 400, `256 KiB: ${small.toFixed(1)} ms, 1 MiB: ${large.toFixed(1)} ms`);
  });
}
