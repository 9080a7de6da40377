import assert from "node:assert/strict";
import { it } from "node:test";
import { readEnvironment } from "../../src/config/environment.ts";

it("the environment is a frozen map without prototype", () => {
  process.env["__proto__"] = "a name like any other";
  try {
    const environment = readEnvironment();
    assert.equal(Object.getPrototypeOf(environment), null);
    assert.equal(environment["__proto__"], process.env["__proto__"]);
    assert.equal(environment["PATH"], process.env["PATH"]);
    assert.ok(Object.isFrozen(environment));
    assert.equal(environment["toString"], undefined);
  } finally {
    delete process.env["__proto__"];
  }
});
