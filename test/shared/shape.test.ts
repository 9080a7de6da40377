// `fit` against the schemas that its shapes were read off: whatever it accepts, the schema accepts with the same result.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "../fixtures/fast-check.ts";
import { z } from "zod";
import { storedRuleSchema } from "../../src/config/rule-schema.ts";
import { configSchema } from "../../src/config/schema.ts";
import { configShape, storedRuleShape } from "../../src/config/shapes.ts";
import { fit, type Shape } from "../../src/shared/shape.ts";
import { shapeOf } from "../../src/shared/shape-of.ts";
import { execArgumentsSchema } from "../../src/tools/programs/exec-schema.ts";
import { execShape } from "../../src/tools/programs/exec-shape.ts";
import { runs } from "../fixtures/runs.ts";

/** Values that mostly have the shape, with some parts that do not. */
function near(shape: Shape): fc.Arbitrary<unknown> {
  const wrong = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant(undefined), fc.constant(NaN));
  return fc.oneof({ weight: 25, arbitrary: right(shape) }, { weight: 1, arbitrary: wrong });
}

function right(shape: Shape): fc.Arbitrary<unknown> {
  switch (shape.kind) {
    case "text":
      return fc.oneof(
        fc.constantFrom("default", "Exec", "/usr", "~/x", "https://a.b", "", "a\0b", "\ud800", "x".repeat(70)),
        ...shape.patterns.map((pattern) => fc.stringMatching(new RegExp(pattern))),
      );
    case "number": {
      const { min = -5, max = 5 } = shape.bounds;
      return fc.constantFrom(min, max, min - 1, max + 1, min + 0.5, Infinity);
    }
    case "boolean":
      return fc.boolean();
    case "words":
      return fc.constantFrom(...shape.words);
    case "list":
      return fc.array(near(shape.item), { maxLength: 3 });
    case "map":
      return fc.dictionary(fc.constantFrom("default", "a", "-", "__proto__"), near(shape.item), { maxKeys: 2 });
    case "fields": {
      const fields = Object.entries(shape.fields).map(([key, field]) => [key, near(field)] as const);
      const known = fc.record(Object.fromEntries(fields), { requiredKeys: requiredOf(shape.fields) });
      const unknown = fc.record({ unknown: fc.constant(1), constructor: fc.constant(1) }, { requiredKeys: [] });
      return fc
        .tuple(known, fc.oneof({ weight: 30, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: unknown }))
        .map((parts) => Object.assign({}, ...parts) as unknown);
    }
    case "optional":
    case "default":
      return fc.oneof({ weight: 4, arbitrary: near(shape.item) }, { weight: 1, arbitrary: fc.constant(undefined) });
    case "either":
      return fc.oneof(...shape.options.map(near));
    case "unknown":
      return fc.jsonValue({ maxDepth: 1 });
  }
}

function requiredOf(fields: Readonly<Record<string, Shape>>): string[] {
  return Object.keys(fields).filter((key) => !["optional", "default"].includes((fields[key] as Shape).kind));
}

describe("fit", () => {
  const pairs: [string, Shape, z.ZodType][] = [
    ["the configuration", configShape, configSchema],
    ["a stored rule", storedRuleShape, storedRuleSchema],
    ["the arguments of Exec", execShape, execArgumentsSchema()],
  ];
  for (const [what, shape, schema] of pairs)
    it(`accepts only what the schema of ${what} accepts, with the same result`, () => {
      let accepted = 0;
      let refused = 0;
      fc.assert(
        fc.property(near(shape), (value) => {
          const fitting = fit(shape, value);
          const parsed = schema.safeParse(value);
          if (!parsed.success) refused += 1;
          if (fitting === null) return;
          accepted += 1;
          assert.deepEqual(fitting.value, parsed.data);
          assert.equal(JSON.stringify(fitting.value), JSON.stringify(parsed.data));
        }),
        { numRuns: runs(20_000) },
      );
      assert.ok(accepted > 20 && refused > 20, `${accepted} accepted, ${refused} refused`);
    });

  it("accepts an ordinary configuration and an ordinary call, so that the schema need not be loaded", () => {
    const agent = {
      tool_grants: ["Exec"],
      fs_grants: [{ path: "/usr", mode: "r" }],
      limits: { memory_mb: 100 },
    };
    const rules = [{ decide: "deny", effect: "run", argv: ["git", "push", "**"], examples: { match: ["git push"] } }];
    const workspace = { kind: "directory", path: "~/x" };
    assert.notEqual(fit(configShape, { version: 1, agents: { default: agent }, policy: { rules }, workspace }), null);
    assert.notEqual(fit(storedRuleShape, { decide: "allow", effect: "run", program: "git", answer: true }), null);
    assert.notEqual(fit(execShape, { argv: ["/bin/true"], cwd: "/", stdin: "a", timeout_s: 1.5 }), null);
  });

  it("leaves to the schema what data cannot say", () => {
    assert.equal(fit(execShape, { argv: ["/bin/true"], env: {} }), null);
    for (const schema of [
      z.string().refine(() => false),
      z.string().trim(),
      z.string().regex(/a/i),
      z.email(),
      z.float32(),
      z.number().gt(1),
      z.object({ a: z.string() }),
      z.union([z.string().refine(() => true), z.string()]),
      z.array(z.string()).refine(() => false),
      z.strictObject({}).refine(() => false),
    ])
      assert.equal(shapeOf(schema).kind, "unknown");
  });
});
