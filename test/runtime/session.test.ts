import assert from "node:assert/strict";
import test from "node:test";
import { defaultSession } from "../../src/runtime/session.ts";

test("the default session is the same for a project and an agent, and another for any other pair", () => {
  assert.match(defaultSession("/p", "a"), /^default-[0-9a-f]{8}$/);
  assert.equal(defaultSession("/p", "a"), defaultSession("/p", "a"));
  const names = [
    ["/p", "a"],
    ["/p", "b"],
    ["/q", "a"],
    ["/pa", ""],
    ["", "/pa"],
  ].map(([project = "", agent = ""]) => defaultSession(project, agent));
  assert.equal(new Set(names).size, names.length);
});
