// What the extension asks the browser for, so that a loosened manifest turns this red.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { readAddress } from "../../extension/address.ts";

const root = join(import.meta.dirname, "../..");
const readJson = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8")) as Record<string, unknown>;

test("the manifest asks for five permissions, and for addresses only when the person pairs", () => {
  const manifest = readJson("extension/static/manifest.json");
  assert.deepEqual(manifest["permissions"], ["sidePanel", "storage", "notifications", "alarms", "offscreen"]);
  assert.deepEqual(manifest["optional_host_permissions"], ["http://127.0.0.1/*", "http://localhost/*", "https://*/*"]);
  assert.deepEqual(manifest["externally_connectable"], { ids: [] });
  for (const absent of [
    "host_permissions",
    "content_scripts",
    "web_accessible_resources",
    "optional_permissions",
    "oauth2",
  ])
    assert.equal(manifest[absent], undefined, absent);
  const { extension_pages: policy, sandbox } = manifest["content_security_policy"] as Record<string, string>;
  assert.ok(policy !== undefined);
  assert.match(policy, /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; /);
  assert.doesNotMatch(policy.replace("'wasm-unsafe-eval'", ""), /unsafe|\*;|data:/);
  assert.match(policy, /frame-ancestors 'none'/);
  assert.equal(manifest["version"], readJson("package.json")["version"]);
  assert.deepEqual(manifest["sandbox"], { pages: ["box/page.html"] });
  assert.equal(
    sandbox,
    "sandbox allow-scripts; default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src blob:; connect-src 'none'; base-uri 'none'; form-action 'none'",
  );
});

test("the box names the software of others in the versions that it has", () => {
  const notice = readFileSync(join(root, "extension/static/box/NOTICE.txt"), "utf8");
  const { devDependencies } = readJson("package.json") as { devDependencies: Record<string, string> };
  assert.ok(notice.includes(`just-bash ${devDependencies["just-bash"]},`));
  assert.ok(notice.includes(`Pyodide ${devDependencies["pyodide"]},`));
});

test("an address is one of this machine, or has TLS", () => {
  const read = (text: string) => readAddress(text)?.address ?? null;
  for (const [text, address] of [
    ["http://127.0.0.1:7117", "http://127.0.0.1:7117"],
    [" 127.0.0.1:7117/ ", "http://127.0.0.1:7117"],
    ["http://localhost:7117/#/machine", "http://localhost:7117"],
    ["https://gate.example:8443", "https://gate.example:8443"],
  ] as const)
    assert.equal(read(text), address, text);
  for (const text of [
    "",
    "http://gate.example",
    "gate.example",
    "http://127.0.0.1.gate.example",
    "http://user@127.0.0.1:7117",
    "ftp://127.0.0.1",
    "javascript:alert(1)",
    "file:///etc/passwd",
  ])
    assert.equal(read(text), null, text);
  assert.equal(readAddress("http://127.0.0.1:7117")?.pattern, "http://127.0.0.1/*");
});
