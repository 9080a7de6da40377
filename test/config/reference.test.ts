import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { configReference } from "../../scripts/config-reference.ts";
import { configSchema } from "../../src/config/schema.ts";

it("docs/configuration.md is what the schema says (else: node scripts/write-docs.ts)", () => {
  assert.equal(readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8"), configReference());
});

it("names every key with what it means", () => {
  const text = configReference();
  for (const key of Object.keys(configSchema.shape))
    assert.match(text, new RegExp(`^\\| \`${key}\` \\| .* \\| .* \\| .{10,} \\|$`, "m"));
  assert.doesNotMatch(text, /\| {2}\|$/m);
});
