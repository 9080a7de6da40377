// The MCP project's inspector as a client of the real command over stdio, in both protocols.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { ExecutionResult, Reply } from "../../src/index.ts";
import { type CliUser, runner } from "../fixtures/cli.ts";
import { mcpUser } from "../fixtures/mcp.ts";

const inspector = join(
  dirname(fileURLToPath(import.meta.resolve("@modelcontextprotocol/inspector/package.json"))),
  "clients/launcher/build/index.js",
);
const eras = ["legacy", "modern"] as const;
/** The exit codes that it documents. */
const ok = 0;
const isErrorResult = 5;

interface Inspected {
  readonly code: number | null;
  readonly result: {
    readonly tools?: readonly { name: string; inputSchema: object }[];
    readonly structuredContent?: Reply;
    readonly isError?: boolean;
  };
  readonly err: string;
}

function inspect(person: CliUser, era: string, args: readonly string[]): Inspected {
  const environment = Object.entries(person.env).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
  const words = [
    "--cli",
    process.execPath,
    runner,
    "mcp",
    ...environment,
    "--cwd",
    person.project,
    "--protocol-era",
    era,
    "--format",
    "json",
    ...args,
  ];
  const done = spawnSync(process.execPath, [inspector, ...words], {
    env: person.env,
    cwd: person.project,
    encoding: "utf8",
  });
  assert.notEqual(done.stdout, "", done.stderr);
  return {
    code: done.status,
    result: (JSON.parse(done.stdout) as { result: Inspected["result"] }).result,
    err: done.stderr,
  };
}

const call = (tool: string, args: object) => [
  "--method",
  "tools/call",
  "--tool-name",
  tool,
  "--tool-args-json",
  JSON.stringify(args),
];

for (const era of eras) {
  test(`${era}: the tools are listed, and other makers' models can take what goes in`, (t) => {
    const { code, result, err } = inspect(mcpUser(t), era, ["--method", "tools/list", "--strict"]);
    assert.equal(code, ok, err);
    const names = (result.tools ?? []).map(({ name }) => name);
    for (const name of ["Exec", "Bash", "Git", "write_file", "git_push"])
      assert.ok(names.includes(name), names.join(", "));
    const paths = [...err.matchAll(/^ {2}Path: (\S+)/gm)].map(([, path]) => path ?? "");
    assert.deepEqual(
      paths.filter((path) => !path.startsWith("outputSchema")),
      [],
      err,
    );
  });

  test(`${era}: a program runs, a script runs, and what is not granted is refused in words`, (t) => {
    const person = mcpUser(t, "mode: deny");
    const ran = inspect(person, era, call("Exec", { argv: ["/bin/echo", "hi"] }));
    assert.equal(ran.code, ok, ran.err);
    assert.ok(ran.result.structuredContent?.ok);
    assert.equal((ran.result.structuredContent.result as ExecutionResult).stdout, "hi\n");

    const script = inspect(person, era, call("Bash", { script: "echo one | tr a-z A-Z" }));
    assert.ok(script.result.structuredContent?.ok, script.err);
    assert.equal((script.result.structuredContent.result as ExecutionResult).stdout, "ONE\n");

    const refused = inspect(
      person,
      era,
      call("Bash", { script: "cat /etc/hostname", needs: { read: ["/etc/hostname"] } }),
    );
    assert.equal(refused.code, isErrorResult);
    assert.ok(refused.result.isError && refused.result.structuredContent?.ok === false);
    assert.equal(refused.result.structuredContent.error, "fs_denied");
  });
}
