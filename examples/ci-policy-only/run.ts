// A job without a person: the policy beside this file decides alone. The agent here is a short script, so that it runs
// without a model; in its place an agent of any library can make the same calls.
//
//   node examples/ci-policy-only/run.ts REPOSITORY

import { join } from "node:path";
import { createGate, createRegistry, registerBashTool, registerBuiltinTools, type Reply } from "sallyport";

const registry = createRegistry();
registerBuiltinTools(registry);
registerBashTool(registry);
const gate = createGate({
  registry,
  configPath: join(import.meta.dirname, "config.yaml"),
  project: process.argv[2] ?? process.cwd(),
});

async function call(tool: string, args: object): Promise<Reply> {
  const reply = await gate.call({ tool, args });
  console.log(`${tool}: ${reply.ok ? "done" : `${reply.error}: ${reply.message}`}`);
  return reply;
}

/** For steps without which the job makes no sense. */
async function mustCall(tool: string, args: object): Promise<Record<string, unknown>> {
  const reply = await call(tool, args);
  if (!reply.ok) throw new Error(`${tool} was refused. ${reply.hint ?? ""}`);
  return reply.result;
}

try {
  const here = { type: "local", path: "." };
  await mustCall("git_pull", { source: here, paths: ["."] });
  await mustCall("Bash", { script: "for f in *.md; do sed -i 's/[ \\t]*$//' \"$f\"; done" });
  const { unstaged } = await mustCall("git_status", {});
  const files = (unstaged as { path: string }[]).map(({ path }) => path);
  if (files.length > 0) {
    const { id } = await mustCall("git_stage", { files, message: "Tidy: no white space at the end of a line" });
    // Both are refused: no rule allows them, and there is nobody to ask.
    await call("Bash", { script: "curl https://example.com", needs: { network: true } });
    await call("git_push", { commitId: id, target: { ...here, branch: "main" } });
    await mustCall("git_push", { commitId: id, target: { ...here, branch: "agent/tidy" } });
  }
  const record = gate.journal.verify();
  console.log(`The record has ${record.entries} entries and ${record.ok ? "is whole" : "was changed"}.`);
} finally {
  gate.close();
}
