// The list of tools goes into the context of a model: it is short, and says what a call takes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { listedTools } from "../../src/runtime/listed-tools.ts";
import type { OfferedTool } from "../../src/runtime/offered-tools.ts";
import { newCliUser } from "../fixtures/cli.ts";
import { kinds, overStdio } from "../fixtures/mcp.ts";

const mostCharacters = 20_000;

for (const kind of kinds) {
  test(`${kind}: the list of the default configuration is below 20 KB`, async (t) => {
    const client = await overStdio(t, newCliUser(t, null), { kind });
    const tools = await client.listTools();
    const names = tools.map(({ name }) => name);
    for (const name of ["Git", "Shell", "Bash", "Python", "git_pull", "read_file", "search_files"])
      assert.ok(names.includes(name), names.join(", "));
    const { length } = JSON.stringify({ tools });
    assert.ok(length < mostCharacters, `${length} characters`);
    for (const { name, description, inputSchema, outputSchema } of tools) {
      assert.ok((description ?? "").length > 20, name);
      assert.deepEqual([name, (outputSchema as { required?: unknown }).required], [name, ["ok"]]);
      assert.equal((inputSchema as { additionalProperties?: unknown }).additionalProperties, false, name);
    }
  });
}

test("a listed schema has every argument, and of its bounds those of numbers", () => {
  const text = { type: "string", minLength: 1, maxLength: 9, description: "a text" };
  const example = { maxLength: "kept" };
  const inputSchema: object = {
    type: "object",
    properties: {
      maxLength: text,
      list: { type: "array", maxItems: 3, items: text },
      count: { type: "integer", minimum: 1, maximum: 9 },
      target: { oneOf: [{ type: "object", properties: { minItems: text }, required: ["minItems"] }] },
    },
    required: ["maxLength"],
    additionalProperties: false,
    examples: [{}, example, { list: [] }],
  };
  const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
  const result = { type: "object", properties: { much: { type: "string" } } } as const;
  const tool: OfferedTool = {
    name: "one",
    title: "One",
    description: "It.",
    inputSchema: inputSchema as OfferedTool["inputSchema"],
    outputSchema: result,
    annotations,
  };
  const [listed] = listedTools([tool]);
  const short = { type: "string", description: "a text" };
  assert.deepEqual(listed?.inputSchema, {
    type: "object",
    properties: {
      maxLength: short,
      list: { type: "array", items: short },
      count: { type: "integer", minimum: 1, maximum: 9 },
      target: { oneOf: [{ type: "object", properties: { minItems: short }, required: ["minItems"] }] },
    },
    required: ["maxLength"],
    additionalProperties: false,
    examples: [example],
  });
  assert.deepEqual([listed?.name, listed?.description, listed?.annotations], ["one", "It.", annotations]);
});
