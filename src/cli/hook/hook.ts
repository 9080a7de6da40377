// `sallyport hook CLIENT`: what a client calls before each of its own tools. A command for its shell is judged here and rewritten, so that
// the gate runs it. What the client says about its other tools goes into the record, and the client goes on.
// Invariant: whatever goes wrong here is a no: a refusal, or exit 2. It is no boundary, because a client goes on if this command is missing,
// killed or slow.

import { findConfigPaths } from "../../config/config-paths.ts";
import { withPathFlags } from "../../config/own-command.ts";
import { ownProgram } from "../../config/server-command.ts";
import { recordAgentSaid } from "../../runtime/agent-said.ts";
import { LocalStore } from "../../runtime/local-store.ts";
import { defaultSession } from "../../runtime/session.ts";
import { displayText } from "../../shared/display.ts";
import { limits } from "../../shared/limits.ts";
import { exitCode } from "../exit-code.ts";
import { checkSessionFlag, type GateFlags, openGateFromFlags } from "../open-gate.ts";
import { readInput } from "../terminal/read-input.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { UsageError } from "../usage-error.ts";
import { type HookClient, hookClients } from "./hook-client.ts";
import { type HookInput, readHookInput } from "./hook-input.ts";

export async function hookCommand(name: string, flags: GateFlags, terminal: Terminal): Promise<number> {
  try {
    const client = clientNamed(name);
    const said = readHookInput(
      await readInput(terminal.streams.stdin, limits.callJsonBytes, "the input of a hook"),
      client,
    );
    const { projectVariable } = client;
    const named = projectVariable === null ? undefined : terminal.environment[projectVariable];
    const project = flags.project ?? (named === undefined || named === "" ? said.directory : named);
    const answer = await answerTo(said, client, { ...flags, project }, terminal);
    if (answer !== null) await terminal.out.line(JSON.stringify(answer));
    return exitCode.ok;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    // Any other exit code than 2 lets the tool run.
    const { message, hint } = error as { readonly message?: string; readonly hint?: string };
    const why = `the tool is refused, because the gate failed: ${displayText(message ?? String(error))}`;
    throw new UsageError(why, hint === undefined ? undefined : displayText(hint));
  }
}

function clientNamed(name: string): HookClient {
  const client = hookClients.find((one) => one.name === name);
  if (client !== undefined) return client;
  const names = hookClients.map((one) => one.name).join(", ");
  throw new UsageError(`there is no client ${displayText(JSON.stringify(name))}`, `There is ${names}.`);
}

type ProjectFlags = GateFlags & { readonly project: string };

/** Null: the client goes on as it would have. */
async function answerTo(
  said: HookInput,
  client: HookClient,
  flags: ProjectFlags,
  terminal: Terminal,
): Promise<object | null> {
  if (said.script === null || client.ownEdit?.test(said.script) === true) return record(said, client, flags, terminal);
  // The client's editor works on the files themselves, so its commands have to.
  const inProject = { ...flags, workspace: flags.workspace ?? flags.project };
  const refused = await refusalOf(said.script, said.startsIn, inProject, terminal);
  if (refused !== null) return client.refusal(refused);
  const { agent, session, worker, workspace } = inProject;
  // The client ends the command when its own time is up.
  const flagged = Object.entries({ agent, session, worker, workspace, cwd: ".", timeout: limits.scriptTimeoutMaxS });
  const given = flagged.flatMap(([flag, value]) => (value === undefined ? [] : [`--${flag}=${value}`]));
  const words = withPathFlags(["exec", ...given, "--script", "--", said.script], inProject);
  const command = [...ownProgram(), ...words];
  return client.rewritten({ ...said.input, [client.shell.field]: command.map(shellWord).join(" ") });
}

/** Why the gate would refuse the script, whoever answers; null if it would run it or ask. */
async function refusalOf(
  script: string,
  cwd: string,
  flags: GateFlags,
  { environment }: Terminal,
): Promise<string | null> {
  const gate = openGateFromFlags(flags, environment);
  const request = { tool: "Bash", args: { script, cwd } };
  try {
    const planned = await gate.plan(request);
    if (planned.ok && planned.value.verdict.decision !== "deny") return null;
    // The same as a live call, for the record. It cannot start anything, because its caller has left already.
    const reply = await gate.call(request, { signal: AbortSignal.abort() });
    if (reply.ok) throw new Error("a call without a caller was not refused");
    const { message, hint } = reply;
    return displayText(`sallyport refused this command: ${message}${hint === undefined ? "" : ` ${hint}`}`);
  } finally {
    gate.close();
    await gate.closed;
  }
}

async function record(
  said: HookInput,
  { name }: HookClient,
  flags: ProjectFlags,
  { environment }: Terminal,
): Promise<null> {
  checkSessionFlag(flags);
  const found = findConfigPaths({
    configPath: flags.config,
    statePath: flags.state,
    project: flags.project,
    environment,
  });
  if (!found.ok) throw new UsageError(displayText(found.error.message), displayText(found.error.hint));
  const store = LocalStore.at(found.paths);
  const agent = flags.agent ?? "default";
  const session = flags.session ?? defaultSession(found.paths.project.real, agent);
  try {
    const { tool, input, session: own } = said;
    recordAgentSaid(store.journal, { client: name, tool, input, session: own }, { agent, session });
  } finally {
    await store.close();
  }
  return null;
}

/** SECURITY(T76): every shell reads the same word back. */
function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
