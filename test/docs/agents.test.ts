// docs/agents.md shows what `sallyport init --print` prints, for every agent that it knows.

import assert from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { agentApps } from "../../src/install/agent-apps.ts";
import { newCliUser } from "../fixtures/cli.ts";
import { blocksOf, readDocument, root } from "./documents.ts";

test("docs/agents.md shows for each agent the file and the lines of `sallyport init --print`", (t) => {
  const markdown = readDocument("docs/agents.md");
  const person = newCliUser(t, null);
  const bin = join(person.root, "bin");
  mkdirSync(bin);
  symlinkSync(join(root, "bin/sallyport.js"), join(bin, "sallyport"));
  const blocks = blocksOf(markdown, "print");
  assert.deepEqual(
    [...blocks.keys()],
    agentApps.map(({ id }) => id),
  );
  for (const { id, name } of agentApps) {
    const { code, out, err } = person.run(["init", "--print", id], { env: { PATH: `${bin}:/usr/bin:/bin` } });
    assert.equal(code, 0, err);
    assert.equal(blocks.get(id), out.replaceAll(person.root, "/home/you"), id);
    const [first = "", ...also] = err.trim().split("\n");
    const allowance = blocksOf(markdown, "allowance").get(id);
    assert.equal(allowance, also.length === 0 ? undefined : `${also.slice(1).join("\n")}\n`, id);
    assert.ok(
      also.length === 0 || markdown.includes(`nd in \`${(also[0] ?? "").slice("And in ".length, -1)}\``),
      also[0],
    );
    const file = first.slice(`${name} (${id}): `.length).replace(`${person.project}/`, "");
    const section = markdown.slice(markdown.indexOf(`## ${name}\n`));
    assert.ok(section.startsWith(`## ${name}\n\nIn \`${file}\``), `${name} is kept in ${file}`);
  }
});

test("docs/agents.md says of each agent how its own tools are switched off, as `sallyport init` does", () => {
  const markdown = readDocument("docs/agents.md");
  const blocks = blocksOf(markdown, "own-tools");
  const pasted = agentApps.filter(({ ownTools }) => ownTools.paste !== undefined);
  assert.deepEqual(
    Object.fromEntries(blocks),
    Object.fromEntries(pasted.map(({ id, ownTools }) => [id, `${ownTools.paste}\n`])),
  );
  for (const { name, ownTools } of agentApps)
    assert.ok(markdown.includes(ownTools.stays ?? ""), `${name}: ${ownTools.stays}`);
  for (const { name, ownTools } of agentApps)
    assert.ok(markdown.replaceAll("\n", " ").includes(ownTools.say.slice(1)), `${name}: ${ownTools.say}`);
});
