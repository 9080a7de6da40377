// `sallyport run -- PROGRAM`: a whole agent, or any program, in a box over a draft, on this terminal or with pipes. The command exits with
// the program's exit code.
// Invariant: nothing is asked on this terminal while the program draws on it. Questions wait on the page or in `sallyport review`.

import { resolve } from "node:path";
import { queueApprover } from "../../approval/queue.ts";
import type { Config } from "../../config/load.ts";
import { type Backend, openBackend } from "../../runtime/backend.ts";
import { openGateOn } from "../../runtime/gate.ts";
import type { Gate } from "../../runtime/session-gate.ts";
import type { InsideServer } from "../../runtime/inside-server.ts";
import { displayText } from "../../shared/display.ts";
import { createRegistry } from "../../tools/registry.ts";
import { createRunTool, RUN } from "../../tools/run.ts";
import { runLive } from "../call/run-live.ts";
import { checkSessionFlag, type GateFlags, loadFromFlags, workerOf } from "../open-gate.ts";
import { type InsideSession, openInsideGate } from "../inside/inside-gate.ts";
import { insideParts, insideUrl } from "../inside/inside-parts.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { profileFor } from "./agent-profile.ts";
import { needSecrets } from "./needed-secrets.ts";
import { agentProfiles } from "./profiles.ts";
import { grantRun, type RunGrants } from "./run-grants.ts";
import { pageOfRun } from "./run-page.ts";
import { type RunSession, sessionOfRun } from "./run-session.ts";
import { type RunTerminal, terminalOfRun } from "./run-terminal.ts";
import { printBeginning, printEnd } from "./run-texts.ts";
import { tellingApprover } from "./tell-questions.ts";
import { writeSettings } from "./write-settings.ts";

export async function runCommand(argv: readonly string[], flags: GateFlags, terminal: Terminal): Promise<number> {
  const agent = flags.agent ?? "default";
  checkSessionFlag(flags);
  const named = argv[0] as string;
  const program = named.includes("/") ? resolve(flags.project ?? ".", named) : named;
  const profile = profileFor(program, agentProfiles);
  const loaded = loadFromFlags(flags, terminal.environment);
  const grants = grantRun(loaded, agent, [program, ...argv.slice(1)], profile, terminal.environment);
  const { config } = grants;
  const worker = flags.worker === undefined ? {} : { worker: workerOf(flags.worker, config) };
  const backend = openBackend(config);
  try {
    const session = await sessionOfRun(backend, { program, profile, agent }, flags.session);
    try {
      return await runIn(backend, { agent, ...worker }, session, grants, flags, terminal);
    } finally {
      session.release();
    }
  } finally {
    await backend.close();
  }
}

async function runIn(
  backend: Backend,
  who: Omit<InsideSession, "session">,
  { name: session, home, notes: ofSession }: RunSession,
  grants: RunGrants,
  flags: GateFlags,
  terminal: Terminal,
): Promise<number> {
  const { config } = backend;
  const own: InsideSession = { ...who, session };
  const hasInside = hasInsideGate(config, own.agent, backend);
  const registry = createRegistry();
  registry.register(createRunTool(hasInside ? insideParts(config.project) : null));
  const drawn = terminalOfRun(terminal.streams);
  const tell = {
    canTell: () => drawn?.isTaken() !== true,
    say: (text: string) => void terminal.err.line(`sallyport: ${text}`).catch(() => undefined),
  };
  const gate = openGateOn(backend, {
    ...own,
    home,
    registry,
    // SECURITY(T70): the queue alone. The agent reads the keys of this terminal and draws on it.
    approvers: [
      ({ queue }) =>
        tellingApprover(
          queueApprover(() => queue),
          () => queue,
          tell,
        ),
    ],
  });
  try {
    needSecrets(gate, backend.environment);
    const inside = hasInside ? openInsideGate(backend, own, reportTo(terminal)) : null;
    const page = await pageOfRun(backend, flags, terminal);
    try {
      const notes = [...ofSession, ...grants.notes, ...(inside === null ? [NO_INSIDE] : [])];
      await printBeginning(gate, notes, page.where, terminal);
      const problem = await writeSettings(gate, grants.settings(inside === null ? null : insideUrl));
      if (problem !== null)
        await terminal.err.line(`sallyport: its settings were not written: ${displayText(problem)}`);
      const ended = await runOnTerminal(gate, grants, inside, drawn, terminal);
      await printEnd(gate, backend, terminal);
      return ended;
    } finally {
      await inside?.close();
      await page.close();
    }
  } finally {
    gate.close();
    await gate.closed;
  }
}

/** A box has a port of the gate only in a network of its own. */
function hasInsideGate({ agents }: Config, agent: string, { sandbox }: Backend): boolean {
  return sandbox.probe.problem === null && agents.get(agent)?.netGrants.isWhole !== true;
}

const NO_INSIDE =
  "inside, there is no `sallyport` to stage and push with: the box shares the network of this machine. Land from outside";

function reportTo({ err }: Terminal): (error: Error) => void {
  return ({ message }) => void err.line(`sallyport: ${displayText(message)}`).catch(() => undefined);
}

async function runOnTerminal(
  gate: Gate,
  { argv, environment: own }: RunGrants,
  inside: InsideServer | null,
  drawn: RunTerminal | null,
  terminal: Terminal,
): Promise<number> {
  const { streams, environment } = terminal;
  const variables = ["TERM", "COLORTERM"].flatMap((name) => {
    const value = environment[name];
    return drawn === null || value === undefined ? [] : [[name, value] as const];
  });
  const request = { tool: RUN, args: { argv, env: { ...own, ...Object.fromEntries(variables) } } };
  const input = drawn?.input ?? (streams.stdin.isTTY === true ? undefined : streams.stdin);
  try {
    return await runLive(gate, request, drawn !== null, terminal, {
      input,
      terminal: drawn?.terminal,
      ...(inside === null ? {} : { inside }),
    });
  } finally {
    await drawn?.giveBack();
  }
}
