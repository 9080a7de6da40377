// Clients that npm brings, wired by `sallyport init`, started without a terminal and without words that leave out their questions, in a
// test's own internet. A scripted model tells each to write a file and to run a program with the gate's tools.

import assert from "node:assert/strict";
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { agentApps } from "../../../src/install/agent-apps.ts";
import { type AgentClient, agentClients } from "../../fixtures/agent-clients.ts";
import { type AgentPerson, newAgentPerson } from "../../fixtures/agent-person.ts";
import { onTerminal } from "../../fixtures/cli.ts";
import { makeCertificate } from "../../fixtures/internet-servers.ts";
import { modelHosts, serveModels, type ToolMove } from "../../fixtures/scripted-models.ts";
import { wireClient, type WiredClient } from "../../fixtures/wired-client.ts";

const only = process.env["ONLY_CLIENT"] ?? "";
const directory = mkdtempSync(join(tmpdir(), "sallyport-wired-"));
test.after(() => rmSync(directory, { recursive: true, force: true }));
const tls = makeCertificate(directory, modelHosts);
appendFileSync("/etc/ssl/certs/ca-certificates.crt", readFileSync(tls.ca)); // of this internet
const key = "sk-the-key-of-the-person-0123456789";
const model = await serveModels(tls, key);

const apps: Readonly<Record<string, string>> = {
  claude: "claude-code",
  codex: "codex",
  gemini: "gemini-cli",
  opencode: "opencode",
};

function ours({ program }: AgentClient, tool: string, input: Readonly<Record<string, unknown>>): ToolMove {
  const names: Readonly<Record<string, string>> = {
    claude: `mcp__sallyport__${tool}`,
    gemini: `mcp_sallyport_${tool}`,
    opencode: `sallyport_${tool}`,
  };
  const name = names[program];
  if (name !== undefined) return { tool: name, input };
  const wanted = JSON.stringify(`mcp__sallyport__${tool}`);
  return {
    tool: "exec",
    input: `// @exec: {"yield_time_ms": 110000}\ntext(JSON.stringify(await tools[${wanted}](${JSON.stringify(input)}).catch(String)))`,
  };
}

/** The tools of Codex are functions in a program that its model writes. */
const listTools: ToolMove = { tool: "exec", input: 'text("tools: " + Object.keys(tools).join(" "))' };

function toolsOfCodex(from: number): readonly string[] {
  const said = [...(model.requests.slice(from).at(-1)?.body ?? "").matchAll(/"tools: ([\w ]+)"/g)].at(-1)?.[1];
  return said?.split(" ") ?? [];
}

interface Worked {
  readonly person: AgentPerson;
  readonly wired: WiredClient;
  readonly tools: readonly string[];
  readonly finished: readonly string[];
  readonly printed: string;
}

async function work(
  t: TestContext,
  client: AgentClient,
  prepare: (person: AgentPerson, wired: WiredClient) => Promise<void> | void,
): Promise<Worked> {
  const person = newAgentPerson(t, { "a.txt": "a\n" });
  const wired = wireClient(person, client, key, tls.ca);
  await prepare(person, wired);
  const from = model.requests.length;
  const moves = [
    ours(client, "write_file", { path: "b.txt", content: "b\n" }),
    ours(client, "Bash", { script: "wc -l b.txt" }),
  ];
  let [tools, waited]: [readonly string[], number] = [[], 0];
  model.script = (move, offered) => {
    tools = client.program === "codex" ? toolsOfCodex(from) : [...new Set([...tools, ...offered])];
    // Codex begins before its servers are ready, and takes their tools with a later request.
    if (client.program === "codex" && waited < 60 && !tools.includes("mcp__sallyport__Bash")) {
      waited += 1;
      return listTools;
    }
    return moves[move - waited] ?? "It is done.";
  };
  const { code, out, err } = await wired.run();
  const bodies = model.requests.slice(from).map(({ body }) => body);
  const printed = `exit ${code}\n${out.slice(-1500)}\n${err.slice(-1500)}\n${bodies
    .at(-1)
    ?.match(/"(?:text|content|output)":"[^"]{1,900}/g)
    ?.slice(-8)
    .join("\n")}`;
  const finished = JSON.parse(
    person.run(["audit", "list", "--json", "--event", "tool.call.finished"]).out,
  ) as readonly { readonly tool: string }[];
  if (process.env["SHOW"] !== undefined) console.log(client.program, tools.join(" "), "\n", printed);
  return { person, wired, tools, finished: finished.map(({ tool }) => tool).toReversed(), printed };
}

const withInit = (id: string) => async (person: AgentPerson, wired: WiredClient) => {
  const { code, screen } = await onTerminal({ ...person, env: wired.env }, ["init", "--agent-app", id, "--yes"]);
  assert.equal(code, 0, screen);
};

const ownTools: Readonly<Record<string, { readonly file: string; readonly taken: readonly string[] }>> = {
  claude: {
    file: ".claude/settings.json",
    taken: ["Bash", "Edit", "Write", "NotebookEdit", "Read", "Grep", "Glob", "WebFetch", "WebSearch"],
  },
  codex: { file: ".codex/config.toml", taken: ["exec_command", "write_stdin", "web__run"] },
  gemini: {
    file: ".gemini/policies/own-tools.toml",
    taken: ["run_shell_command", "replace", "list_directory", "grep_search", "glob", "web_fetch", "google_web_search"],
  },
  opencode: {
    file: ".config/opencode/opencode.json",
    taken: ["bash", "edit", "write", "read", "grep", "glob", "webfetch"],
  },
};

/** Puts what the page says into a file, beside what is there. */
function paste(person: AgentPerson, wired: WiredClient, file: string, text: string): void {
  const path = join(person.home, file);
  const before = existsSync(path) ? readFileSync(path, "utf8") : "";
  if (!file.endsWith(".json")) return wired.put(file, `${text}\n\n${before}`);
  const [was, more] = [JSON.parse(before === "" ? "{}" : before), JSON.parse(text)];
  const permissions = { ...was.permissions, ...more.permissions };
  wired.put(
    file,
    JSON.stringify({ ...was, ...more, ...(Object.keys(permissions).length === 0 ? {} : { permissions }) }),
  );
}

for (const client of agentClients.filter(({ program }) => only === "" || program === only)) {
  const id = apps[client.program] as string;
  const app = agentApps.find((one) => one.id === id);
  const { file, taken } = ownTools[client.program] as { file: string; taken: readonly string[] };
  assert.ok(app !== undefined);

  test(`${client.program}: its headless mode calls the gate's tools, and init takes out again what it added`, async (t) => {
    const { person, wired, finished, tools, printed } = await work(t, client, withInit(id));
    assert.deepEqual(finished.toSorted(), ["Bash", "write_file"], printed);
    assert.ok(
      taken.some((name) => tools.includes(name)),
      `the control: ${tools.join(" ")}`,
    );
    const undone = await onTerminal({ ...person, env: wired.env }, ["init", "--undo", "--agent-app", id, "--yes"]);
    assert.equal(undone.code, 0, undone.screen);
    assert.ok(!undone.screen.includes("paste by hand"));
    const listed = JSON.parse(person.run(["init", "--json", "--agent-app", id], { env: wired.env }).out) as {
      agents: { state: string }[];
    };
    assert.deepEqual(
      listed.agents.map(({ state }) => state),
      ["add"],
      "it is out",
    );
  });

  test(`${client.program}: without its own tools, as the page says, all of the gate's stay`, async (t) => {
    const { finished, tools, printed } = await work(t, client, async (person, wired) => {
      await withInit(id)(person, wired);
      paste(person, wired, file, app.ownTools.paste ?? "");
    });
    assert.deepEqual(finished.toSorted(), ["Bash", "write_file"], printed);
    assert.deepEqual(
      taken.filter((name) => tools.includes(name)),
      [],
      tools.join(" "),
    );
    if (client.program !== "claude")
      assert.equal(tools.filter((name) => name.includes("sallyport_")).length, 16, tools.join(" "));
  });

  if (client.program !== "opencode")
    test(`the control: ${client.program} with the entry alone does not call write_file`, async (t) => {
      const { finished, printed } = await work(t, client, async (person, wired) => {
        await withInit(id)(person, wired);
        removeAllowance(person);
      });
      assert.ok(!finished.includes("write_file"), printed);
    });
}

/** What init wrote before it knew what each client needs. */
function removeAllowance({ home }: AgentPerson): void {
  const edit = (name: string, change: (text: string) => string) => {
    const path = join(home, name);
    if (existsSync(path)) writeFileSync(path, change(readFileSync(path, "utf8")));
  };
  edit(".claude/settings.json", () => "{}");
  edit(".codex/config.toml", (text) => text.replace(/^default_tools_approval_mode.*\n/m, ""));
  edit(".gemini/settings.json", (text) => text.replace(/,\s*"trust": true/, ""));
  rmSync(join(home, ".gemini/policies"), { recursive: true, force: true });
}
