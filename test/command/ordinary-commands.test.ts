// What developers type all day, judged as an agent's call is: by the gate's own decision, under the built-in
// configuration. None of it may be refused, or asked about.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { defaultConfigText } from "../../src/config/default.ts";
import { createRegistry, registerBashTool } from "../../src/index.ts";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";

const directories = makeTestDirectories();
after(() => directories.remove());
const registry = createRegistry();
registerBashTool(registry);
const writable = defaultConfigText.replace('${project}", mode: r,', '${project}", mode: rw,');
assert.notEqual(writable, defaultConfigText);

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8");
const commands = read("ordinary-commands.txt")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("# "));
const scripts = read("ordinary-scripts.txt").split("\n---\n");

for (const [name, configText, cwd] of [
  ["the built-in configuration, in the workspace", defaultConfigText, "/workspace"],
  ["a project that may be changed, in it", writable, directories.project],
] as const) {
  test(`${commands.length + scripts.length} ordinary scripts are allowed: ${name}`, async () => {
    const gate = openGate(directories, {}, { registry, configText });
    const refused: string[] = [];
    // What empties /tmp would empty a project that lies there, too; as here.
    const isMeant = (script: string) => cwd === "/workspace" || script !== "rm -rf /tmp/*";
    for (const script of [...commands, ...scripts].filter(isMeant)) {
      const planned = await gate.plan({ tool: "Bash", args: { script, cwd } });
      const said = planned.ok
        ? planned.value.verdict.findings
            .filter(({ decision }) => decision !== "allow")
            .map(({ effect, decision, because }) => `${decision} ${effect.kind}: ${because}`)
        : [planned.failure.message];
      if (said.length > 0) refused.push(`${script}: ${said.join("; ")}`);
    }
    gate.close();
    assert.deepEqual(refused, []);
  });
}

test("there are at least 500 of them, each once", () => {
  assert.ok(new Set([...commands, ...scripts]).size >= 500);
  assert.equal(new Set(commands).size, commands.length);
});

test("control: the same gate refuses what it should", async () => {
  // In a draft, git may destroy what is only there.
  const gate = openGate(directories, {}, { registry, configText: `${defaultConfigText}workspace: { kind: memory }\n` });
  for (const script of [
    "git branch -D x",
    "git rebase main",
    "rm -rf /",
    "rm -rf /workspace/*",
    "vim a",
    "sudo ls",
    "git push",
  ]) {
    const planned = await gate.plan({ tool: "Bash", args: { script } });
    assert.ok(planned.ok && planned.value.verdict.decision === "deny", script);
  }
  gate.close();
});
