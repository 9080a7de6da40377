// write_file as a person's editor uses it: it names what it replaces, and that is compared when the file is written.

import assert from "node:assert/strict";
import test, { after } from "node:test";
import { createRegistry } from "../../src/tools/registry.ts";
import { readFileTool } from "../../src/tools/read-file.ts";
import { saveFileTool } from "../../src/tools/write-file.ts";
import { nodeHashes } from "../../src/process/node-hashes.ts";
import { scripted } from "../fixtures/approver.ts";
import { makeTestDirectories, openGate, resultOf } from "../fixtures/gate.ts";

const directories = makeTestDirectories();
after(() => directories.remove());

const path = "a.txt";
const hash = (text: string): string => nodeHashes.hex("sha256", new TextEncoder().encode(text));

/** A gate that asks about each write of the file, and an agent that writes to it while the first question waits. */
function openAsking(agentWrites: string | null) {
  const registry = createRegistry();
  registry.register(saveFileTool);
  registry.register(readFileTool);
  const policy = { rules: [{ decide: "ask", effect: "write", path: `/workspace/${path}` }] };
  let isFirst = true;
  const person = scripted();
  const gate = openGate(
    directories,
    { tools: ["*_file"], policy },
    {
      registry,
      approvers: [
        {
          ...person,
          async ask(question, signal) {
            const writes = isFirst && agentWrites !== null;
            isFirst = false;
            if (writes) resultOf(await write(agentWrites));
            return await person.ask(question, signal);
          },
        },
      ],
    },
  );
  const write = (content: string, more: object = {}) =>
    gate.call({ tool: "write_file", args: { path, content, ...more } });
  const read = async () => {
    const reply = await gate.call({ tool: "read_file", args: { path } });
    return reply.ok ? reply.result["content"] : reply.error;
  };
  return { gate, write, read, person };
}

test("T95: what an agent wrote while the save was asked about stays", async (t) => {
  for (const [what, replaces] of [
    ["a file that was not there", null],
    ["a file that was something else", hash("before\n")],
  ] as const) {
    const { gate, write, read, person } = openAsking("of the agent\n");
    t.after(() => gate.close());
    const reply = await write("of the person\n", { replaces });
    assert.equal(person.asked.length, 2, what);
    assert.ok(!reply.ok && reply.error === "changed", JSON.stringify(reply));
    assert.equal(await read(), "of the agent\n", what);
  }
  const { gate, write, read } = openAsking("of the agent\n");
  t.after(() => gate.close());
  resultOf(await write("of the person\n"));
  assert.equal(await read(), "of the person\n", "the control: a write that names nothing replaces whatever is there");
});

test("a save of what the person has seen is written", async (t) => {
  const { gate, write, read } = openAsking(null);
  t.after(() => gate.close());
  resultOf(await write("one\n", { replaces: null }));
  resultOf(await write("two\n", { replaces: hash("one\n") }));
  assert.equal(await read(), "two\n");
  for (const replaces of [null, hash("one\n")]) {
    const reply = await write("three\n", { replaces });
    assert.ok(!reply.ok && reply.error === "changed", JSON.stringify(reply));
  }
  assert.equal(await read(), "two\n");
});
