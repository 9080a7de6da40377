// `notify` in a configuration file: what each entry becomes, and what is refused.

import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import { describeConfigErrors } from "../../src/config/config-error.ts";
import { type Config, loadConfig } from "../../src/config/load.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-notify-")));
after(() => rmSync(root, { recursive: true, force: true }));
for (const directory of ["home/bin", "project", "state", "work"]) mkdirSync(join(root, directory), { recursive: true });
chmodSync(join(root, "home/bin"), 0o755);
for (const path of ["home/bin/tell", "work/tell"]) {
  writeFileSync(join(root, path), "#!/bin/sh\n");
  chmodSync(join(root, path), 0o755);
}
symlinkSync(join(root, "work/tell"), join(root, "home/link"));

const file = join(root, "config.yaml");
const environment = { HOME: join(root, "home"), PATH: `${join(root, "home/bin")}:/usr/bin`, HOOK: "s3cret" };

function load(notify: string, more: Readonly<Record<string, string>> = environment) {
  const agents = `agents: { default: { fs_grants: [{ path: ${root}/work, mode: rw }] } }`;
  writeFileSync(file, `version: 1\n${agents}\nnotify:\n${notify.replaceAll("ROOT", root)}\n`);
  return loadConfig({
    configPath: file,
    statePath: join(root, "state"),
    project: join(root, "project"),
    environment: more,
  });
}

function loaded(notify: string, more?: Readonly<Record<string, string>>): Config {
  const result = load(notify, more);
  assert.ok(result.ok, result.ok ? "" : describeConfigErrors(result.errors));
  return result.config;
}

test("each way is read whole, and has defaults", () => {
  const { notify, notes } = loaded(`
  - command: [tell, "a question waits"]
    after_s: 0
    every_s: 5
    quiet: ["22:00-07:00", "12:30 - 13:00"]
    at_least: high
    content: true
    name: the bell
  - { webhook: "https://hooks.example.org/a?b=c", secret_env: HOOK }
  - { webhook: "http://127.0.0.1:9/", secret_file: ~/hook }
  - { ntfy: "https://ntfy.sh/topic" }
  - { ntfy: "http://localhost:2586/topic", token_file: /run/secrets/ntfy }`);
  assert.deepEqual(notes, []);
  assert.deepEqual(
    notify.map((channel) => ({ ...channel, key: undefined })),
    [
      {
        key: undefined,
        name: "the bell",
        field: "notify[0]",
        target: { kind: "command", argv: [`${root}/home/bin/tell`, "a question waits"] },
        afterMs: 0,
        everyMs: 5_000,
        quiet: [
          { from: 1_320, to: 420 },
          { from: 750, to: 780 },
        ],
        atLeast: "high",
        content: true,
      },
      ...[
        {
          kind: "webhook",
          url: "https://hooks.example.org/a?b=c",
          secret: { kind: "env", name: "HOOK" },
        },
        { kind: "webhook", url: "http://127.0.0.1:9/", secret: { kind: "file", path: `${root}/home/hook` } },
        { kind: "ntfy", url: "https://ntfy.sh/topic", token: null },
        {
          kind: "ntfy",
          url: "http://localhost:2586/topic",
          token: { kind: "file", path: "/run/secrets/ntfy" },
        },
      ].map((target, index) => ({
        key: undefined,
        name: target.kind === "ntfy" ? "ntfy" : "a webhook",
        field: `notify[${index + 1}]`,
        target,
        afterMs: 10_000,
        everyMs: 60_000,
        quiet: [],
        atLeast: "low",
        content: false,
      })),
    ],
  );
  assert.equal(new Set(notify.map(({ key }) => key)).size, 5);
});

test("the same target has the same key, whatever else is written, and the key tells nothing of it", () => {
  const [one] = loaded(`  - { ntfy: "https://ntfy.sh/topic" }`).notify;
  const [other] = loaded(`  - { ntfy: "https://ntfy.sh/topic", after_s: 3, name: phone }`).notify;
  assert.equal(one?.key, other?.key);
  assert.match(one?.key ?? "", /^[0-9a-f]{32}$/);
});

test("nothing is written: nobody is notified", () => {
  writeFileSync(file, "version: 1\n");
  const result = loadConfig({
    configPath: file,
    statePath: join(root, "state"),
    project: root + "/project",
    environment,
  });
  assert.deepEqual(result.ok && result.config.notify, []);
});

test("what depends on the process is a note, and the other ways stay", () => {
  const { notify, notes } = loaded(
    `
  - command: [none-of-this-name]
  - { webhook: "https://hooks.example.org/", secret_env: HOOK }
  - { ntfy: "https://ntfy.sh/topic" }`,
    { HOME: environment.HOME, PATH: "/usr/bin", HOOK: " " },
  );
  assert.deepEqual(
    notify.map(({ name }) => name),
    ["ntfy"],
  );
  assert.deepEqual(notes, [
    "notify[0]: the program none-of-this-name is not on the PATH here, so this process does not use it.",
    "notify[1]: the variable HOOK is not set here, so this process does not use it.",
  ]);
});

const refusals: readonly [written: string, said: string][] = [
  ["{}", "notify[0]: it names no way. Write one of command, webhook, ntfy and devices."],
  ["{ after_s: 3 }", "notify[0]: it names no way. Write one of command, webhook, ntfy and devices."],
  [
    '{ command: [tell], ntfy: "https://ntfy.sh/t" }',
    "notify[0].ntfy: command is written as well. Write two entries, one for each.",
  ],
  ["{ command: tell }", "notify[0].command: must be a list, not text. Write it as a list: [a, b]."],
  ["{ command: [] }", "notify[0].command: it is empty. Write a program and its words: [notify-send, Sallyport]."],
  [
    "{ command: [./tell] }",
    'notify[0].command: "./tell" is not an absolute path. Write a name that is on your PATH, or an absolute path.',
  ],
  [
    "{ command: [ROOT/work/tell] }",
    "notify[0].command: an agent may change ROOT/work/tell, which is in ROOT/work. Name a program in another place.",
  ],
  [
    "{ command: [~/link] }",
    "notify[0].command: an agent may change ROOT/home/link, which is in ROOT/work. Name a program in another place.",
  ],
  [
    "{ command: [sh, ROOT/work/tell] }",
    "notify[0].command: an agent may change ROOT/work/tell, which is in ROOT/work. Name a program in another place.",
  ],
  [
    "{ command: [tell], token_env: T }",
    "notify[0].token_env: it belongs to ntfy, and this is a command. Leave it out.",
  ],
  [
    '{ webhook: "hooks" , secret_env: HOOK}',
    'notify[0].webhook: "hooks" is not the URL of a server. Begin it with https://.',
  ],
  [
    '{ webhook: "file:///etc/passwd", secret_env: HOOK }',
    'notify[0].webhook: "file:///etc/passwd" is not the URL of a server. Begin it with https://.',
  ],
  [
    '{ webhook: "http://hooks.example.org/", secret_env: HOOK }',
    "notify[0].webhook: http would show the notice to others. Use https; http only for a server on this machine.",
  ],
  [
    '{ webhook: "http://127.0.0.1.example.org/", secret_env: HOOK }',
    "notify[0].webhook: http would show the notice to others. Use https; http only for a server on this machine.",
  ],
  [
    '{ webhook: "https://me:s3cret@hooks.example.org/", secret_env: HOOK }',
    "notify[0].webhook: it has a user, a password or a fragment. A secret stands in secret_env.",
  ],
  [
    '{ webhook: "https://hooks.example.org/" }',
    "notify[0]: a webhook needs a secret, by which its receiver knows that the gate sent it. Add secret_env: NAME, or secret_file: FILE.",
  ],
  [
    '{ webhook: "https://hooks.example.org/", secret_env: HOOK, secret_file: /hook }',
    "notify[0].secret_file: secret_env is written as well. Write one of them.",
  ],
  [
    '{ webhook: "https://hooks.example.org/", secret_file: hook }',
    'notify[0].secret_file: "hook" is not an absolute path. Begin it with /, ~/ or ${project}.',
  ],
  ['{ ntfy: "https://ntfy.sh/" }', "notify[0].ntfy: this names no topic. Write it as https://ntfy.sh/TOPIC."],
  ['{ ntfy: "https://ntfy.sh/t?x=1" }', "notify[0].ntfy: this names no topic. Write it as https://ntfy.sh/TOPIC."],
  [
    '{ ntfy: "https://ntfy.sh/t", quiet: ["at night"] }',
    'notify[0].quiet: "at night" are no hours. Write them as "22:00-07:00".',
  ],
  [
    '{ ntfy: "https://ntfy.sh/t", quiet: ["25:00-07:00"] }',
    'notify[0].quiet: "25:00-07:00" are no hours. Write them as "22:00-07:00".',
  ],
  [
    '{ ntfy: "https://ntfy.sh/t", quiet: ["07:00-07:00"] }',
    'notify[0].quiet: "07:00-07:00" are no hours. Write them as "22:00-07:00".',
  ],
  [
    '{ ntfy: "https://ntfy.sh/t", after_s: -1 }',
    "notify[0].after_s: -1 is too small. Use a whole number from 0 to 3600.",
  ],
  [
    '{ ntfy: "https://ntfy.sh/t", at_least: grave }',
    'notify[0].at_least: "grave" is not known. Use low, medium or high.',
  ],
  ['{ ntfy: "https://ntfy.sh/t", after: 3 }', "notify[0].after: unknown key. Did you mean after_s?"],
  [
    '{ ntfy: "https://ntfy.sh/t" }\n  - { ntfy: "https://ntfy.sh/t", after_s: 3 }',
    "notify[1]: the same as notify[0]. Leave one of them out.",
  ],
];

for (const [written, said] of refusals)
  test(`refused: ${written}`, () => {
    const result = load(`  - ${written}`);
    assert.ok(!result.ok, "this should have been refused");
    const [error] = result.errors;
    assert.equal(`${error.message}. ${error.hint}`.replaceAll(root, "ROOT"), said);
    assert.ok((error.line ?? 0) >= 4, "it says where");
  });
