// `npm start` begins in the clone, which is nobody's project: what it prints is for the person's.

import assert from "node:assert/strict";
import { test } from "node:test";
import { projectLines } from "../../../src/cli/serve/project-lines.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { newCliUser } from "../../fixtures/cli.ts";
import { root } from "../../docs/documents.ts";

test("the command for a client names the person's project, and never the clone", (t) => {
  const person = newCliUser(t);
  const lines = (project: string) => {
    const loaded = loadConfig({ project, environment: person.env as Record<string, string> });
    assert.ok(loaded.ok);
    return projectLines(loaded.config, person.env as Record<string, string>);
  };
  const own = lines(person.project);
  assert.equal(own.length, 1);
  assert.ok(own[0]?.endsWith(` --project ${person.project}`), own[0]);
  const [client = "", page = ""] = lines(root);
  assert.match(client, / mcp .*, started in your project$/);
  assert.doesNotMatch(client, /--project/);
  assert.match(page, /^For your project: {3}cd YOUR_PROJECT && .* serve .*, since/);
  assert.doesNotMatch(page, /--project/);
});
