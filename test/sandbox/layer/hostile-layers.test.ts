// Layers that a hostile program made: whatever is in them, the landing is bounded, follows nothing, and says what it left out.

import assert from "node:assert/strict";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from "node:fs";
import test, { type TestContext } from "node:test";
import { makeTestDirectories, openGate } from "../../fixtures/gate.ts";
import { keptLayers } from "../../fixtures/layers.ts";
import { bash, exec, refused } from "../../fixtures/run.ts";

function setUp(t: TestContext, limits: Readonly<Record<string, number>> = {}) {
  const directories = makeTestDirectories();
  mkdirSync(`${directories.outside}/dir`);
  writeFileSync(`${directories.outside}/secret`, "theirs");
  const gate = openGate(directories, { limits });
  t.after(() => (gate.close(), directories.remove()));
  return { ...directories, gate };
}

test("links that lead out land as links, and nothing is written through them", async (t) => {
  const { root, outside, gate } = setUp(t);
  await bash(gate, `cd ${root}; ln -s ${outside}/secret out; ln -s ${outside}/dir dir; ln -s /proc/self/fd/0 proc`);
  assert.equal(readlinkSync(`${root}/out`), `${outside}/secret`);
  await bash(
    gate,
    `cd ${root}; echo evil > out; echo evil > dir/x; rm out dir; echo own > out; mkdir dir; echo own > dir/x`,
  );
  assert.equal(readFileSync(`${outside}/secret`, "utf8"), "theirs");
  assert.deepEqual(readdirSync(`${outside}/dir`), []);
  assert.deepEqual([lstatSync(`${root}/out`).isFile(), readFileSync(`${root}/dir/x`, "utf8")], [true, "own\n"]);
});

test("pipes, sockets and names that are not UTF-8 are named, and the rest lands", async (t) => {
  const { root, gate } = setUp(t);
  const make = `cd ${root}; mkfifo pipe; mkdir sub; mkfifo sub/pipe; perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local => "socket", Listen => 1)'; touch $'bad\\xff'; mkdir $'d\\xff'; touch $'d\\xff/x'; touch -- $'new\\nline' ' ' '-rf' '*' 'a\\b' "$(printf 'x%.0s' {1..255})"; echo x > plain`;
  const { not_kept: notKept = [], exit_code } = await bash(gate, make);
  assert.equal(exit_code, 0);
  const reasons = Object.fromEntries(
    notKept.map(({ path, reason }) => [path.slice(root.length + 1), reason.split(";")[0]]),
  );
  assert.equal(reasons["pipe"], "it is neither a file nor a link");
  assert.equal(reasons["sub/pipe"], "it is neither a file nor a link");
  assert.equal(reasons["bad\\xff"], "its name is not UTF-8");
  assert.equal(reasons["d\\xff"], "its name is not UTF-8");
  assert.deepEqual(
    readdirSync(root).sort(),
    [" ", "*", "-rf", "a\\b", "new\nline", "plain", "sub", "x".repeat(255)].sort(),
  );
});

test("a sparse file that looks larger than a call may write does not land, and costs nothing", async (t) => {
  const { root, state, gate } = setUp(t, { fsize_mb: 60 * 1024 });
  const reply = refused(await exec(gate, ["/usr/bin/truncate", "-s", "50G", `${root}/huge`]));
  assert.match(reply.message, /^Nothing of the call has landed: what the call wrote has 53687091200 bytes/);
  assert.ok(!existsSync(`${root}/huge`));
  const [kept = ""] = keptLayers(state);
  assert.ok(statSync(`${state}/layers/${kept}/0/upper/huge`).blocks < 1000);
});

test("set-user-id bits and odd modes do not land", async (t) => {
  const { root, gate } = setUp(t);
  await bash(
    gate,
    `cd ${root}; cp /bin/true suid; chmod 6755 suid; echo x > none; chmod 000 none; mkdir closed; echo x > closed/x; chmod 000 closed`,
  );
  assert.equal(statSync(`${root}/suid`).mode & 0o7777, 0o755);
  assert.equal(statSync(`${root}/none`).mode & 0o7777, 0);
  assert.equal(statSync(`${root}/closed`).mode & 0o700, 0o700);
});
