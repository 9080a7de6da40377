import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { type Config, loadConfig } from "../../src/config/load.ts";
import { starterConfig } from "../../src/config/starter.ts";

test("the starter configuration loads clean and says what the built-in one says", (t) => {
  const home = mkdtempSync(join(tmpdir(), "sallyport-starter-"));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const file = join(home, "starter.yaml");
  const project = mkdtempSync(join(home, "project-"));
  const load = (configPath?: string): Config => {
    const loaded = loadConfig({ configPath, project, environment: { HOME: home } });
    assert.ok(loaded.ok, JSON.stringify(loaded));
    return loaded.config;
  };
  writeFileSync(file, starterConfig);
  assert.deepEqual({ ...load(file), file: null }, load());
  // The control: a difference would be seen.
  writeFileSync(file, starterConfig.replace("limits: {}", "limits: { memory_mb: 256 }"));
  assert.notDeepEqual({ ...load(file), file: null }, load());
});

test("the examples in its comments are in order as well", (t) => {
  const home = mkdtempSync(join(tmpdir(), "sallyport-starter-"));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const project = mkdtempSync(join(home, "project-"));
  mkdirSync(join(home, "agent-work"));
  const text = starterConfig
    .replace("workspace: { kind: memory }\n", "")
    .replace("#   workspace: { kind: directory", "workspace: { kind: directory")
    .replace("policy: { rules: [] }\n", "")
    .replace("#   - { decide", "policy:\n  rules:\n    - { decide");
  const loaded = loadConfig({ configText: text, project, environment: { HOME: home } });
  assert.ok(loaded.ok, JSON.stringify(loaded));
  assert.equal(loaded.config.workspace.kind, "directory");
  assert.equal(loaded.config.policy.rules.length, 1);
});
