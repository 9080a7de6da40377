// `sallyport demo`: runs a scripted agent if a page is open, otherwise a short tour. Every call in it is real, in a directory
// that the demo makes and removes.
// Invariant: the demo reads and changes nothing that belongs to the person. It leaves entries in the record and nothing else;
// the tour leaves no entries either.

import { setTimeout as sleep } from "node:timers/promises";
import type { Environment } from "../../config/environment.ts";
import { type Config, loadConfig } from "../../config/load.ts";
import { ownCommand } from "../../config/own-command.ts";
import { findConfigPaths } from "../../config/config-paths.ts";
import { describeConfigErrors } from "../../config/config-error.ts";
import { createGate } from "../../runtime/gate.ts";
import type { Gate } from "../../runtime/session-gate.ts";
import { displayCommand, displayText } from "../../shared/display.ts";
import { LocalStore } from "../../runtime/local-store.ts";
import { openTempDirectory, type TempDirectory } from "../../store/temp-directory.ts";
import type { ExecutionResult } from "../../tools/programs/execution-result.ts";
import { showRecord } from "./demo-record.ts";
import { demoSteps, type DemoStep, fillDemoDirectory } from "./demo-steps.ts";
import { type DemoContext, showNext, showTitle } from "./demo-title.ts";
import { exitCode } from "../exit-code.ts";
import { commandRegistry } from "../command-registry.ts";
import { signalCode } from "../signal-code.ts";
import { withCancellation } from "../signals.ts";
import { wrapText } from "../terminal/table.ts";
import type { Screen, Terminal } from "../terminal/terminal.ts";

export interface DemoFlags {
  readonly fast?: boolean;
  /** Runs the tour in the terminal even if a page is open. */
  readonly tour?: boolean;
  /** The store whose page is used; by default the person's own. */
  readonly state?: string;
}

export async function demoCommand(flags: DemoFlags, terminal: Terminal): Promise<number> {
  const page = flags.tour === true ? null : await livePage(flags.state, terminal.environment);
  const own = ownCommand(terminal.environment, flags);
  return await withCancellation(async (cancellation) => {
    const screen = terminal.out;
    const isPaced = screen.isTerminal && flags.fast !== true;
    const { signal } = cancellation;
    const pause = async () => void (isPaced && (await sleep(1_600, undefined, { signal })));
    const directory = openTempDirectory("sallyport-demo-");
    try {
      const context = { screen, signal, pause, own };
      if (page === null) return await tour(directory, context, terminal);
      const { playAgent } = await import("./demo-agent.ts");
      return await playAgent(directory, page, context, { statePath: flags.state, environment: terminal.environment });
    } catch (error) {
      if (!signal.aborted) throw error;
      return signalCode(cancellation.by ?? "SIGINT");
    } finally {
      directory.remove();
    }
  });
}

/** The address of a running `sallyport serve` on that store; null if there is none. */
async function livePage(statePath: string | undefined, environment: Environment): Promise<string | null> {
  const found = findConfigPaths({ statePath, environment });
  if (!found.ok) return null;
  const store = LocalStore.at(found.paths);
  try {
    return store.hasQuestions ? ((await store.queue.pages())[0] ?? null) : null;
  } finally {
    await store.close();
  }
}

async function tour(directory: TempDirectory, context: DemoContext, terminal: Terminal): Promise<number> {
  const { screen, pause } = context;
  const config = loadDemoConfig(directory);
  const gate = createGate({ registry: commandRegistry(), config, session: "demo" });
  let differences = 0;
  try {
    const { problem, findings } = gate.sandbox.probe;
    if (problem !== null) return await giveUp(problem, context);
    await screen.line(screen.paint("A tour of Sallyport, with real calls", "bold"));
    const about = `An agent asks; the gate judges each call, runs it in a box that the kernel holds, and writes it down. All of this happens in ${directory.path}, which is removed at the end.`;
    for (const line of wrapText(about, Math.min(screen.width, 100))) await screen.line(line);
    await pause();
    const counted = findings.some(({ name, held }) => name === "processes" && held === "kernel");
    const steps = demoSteps(directory.path, Object.keys(terminal.environment).length).filter(
      (step) => counted || step.needsCount !== true,
    );
    for (const [index, step] of steps.entries()) {
      if (!(await showStep(`${index + 1}`, step, gate, context))) differences += 1;
    }
    if (!(await showRecord(`${steps.length + 1}`, directory, gate, context))) differences += 1;
  } finally {
    gate.close();
    await gate.closed;
  }
  await showEnd(differences, context);
  return differences === 0 ? exitCode.ok : exitCode.refused;
}

function loadDemoConfig(directory: TempDirectory): Config {
  fillDemoDirectory(directory);
  const loaded = loadConfig({
    configPath: `${directory.path}/config.yaml`,
    statePath: `${directory.path}/state`,
    project: `${directory.path}/project`,
    environment: { HOME: `${directory.path}/home`, XDG_CONFIG_HOME: `${directory.path}/config` },
  });
  if (!loaded.ok) throw new Error(describeConfigErrors(loaded.errors));
  return loaded.config;
}

async function giveUp(
  problem: { readonly message: string; readonly mend: string },
  { screen, own }: DemoContext,
): Promise<number> {
  await screen.line(
    `The tour needs a box, and none can be built on this machine yet: ${displayText(problem.message)}.`,
  );
  await screen.line(`This would mend it:  ${displayText(problem.mend)}`);
  await screen.line(`Then: ${own("demo")}`);
  return exitCode.refused;
}

/** True if the reply is what the tour announces. */
async function showStep(
  number: string,
  step: DemoStep,
  gate: Gate,
  { screen, signal, pause }: DemoContext,
): Promise<boolean> {
  await showTitle(number, step.title, screen);
  await screen.line(
    `   ${screen.paint("agent", "dim")}  ${screen.paint(cut(displayCommand(step.args.argv), screen), "cyan")}`,
  );
  const reply = await gate.call({ tool: "Exec", args: step.args }, { signal });
  signal.throwIfAborted();
  if (!reply.ok) {
    await screen.line(
      `   ${screen.paint("gate", "dim")}   ${screen.paint(`refused (${reply.error})`, "red")}  ${displayText(reply.message)}`,
    );
    if (reply.hint !== undefined)
      await screen.line(`          ${screen.paint(`hint: ${displayText(reply.hint)}`, "dim")}`);
  } else {
    for (const line of outputLines(reply.result as ExecutionResult))
      await screen.line(`   ${screen.paint("box", "dim")}    ${cut(line, screen)}`);
    await screen.line(`   ${screen.paint("gate", "dim")}   ${endText(reply.result as ExecutionResult, screen)}`);
  }
  const explained = step.explain(reply);
  for (const line of wrapText(explained.text, Math.min(screen.width, 100), "   "))
    await screen.line(screen.paint(line, explained.asExpected ? "green" : "red"));
  await pause();
  return explained.asExpected;
}

function outputLines({ stdout, stderr }: ExecutionResult): string[] {
  const lines = `${stdout}${stderr}`.split("\n").filter((line) => line !== "");
  const shown = lines.slice(0, 3).map((line) => displayText(line, { maxLength: 300 }));
  return lines.length > 3 ? [...shown, `(and ${lines.length - 3} more lines)`] : shown;
}

function endText({ exit_code, signal, timed_out, limit_hit, duration_s }: ExecutionResult, screen: Screen): string {
  const how = signal === null ? `exit ${exit_code}` : `ended by ${signal}`;
  const why = `${timed_out ? ", its time was up" : ""}${limit_hit === null || limit_hit === "output" ? "" : `, limit: ${limit_hit}`}`;
  return screen.paint(`${how} after ${duration_s.toFixed(2)} s${why}`, exit_code === 0 ? "green" : "yellow");
}

function cut(text: string, screen: Screen): string {
  const width = Math.max(30, screen.width - 12);
  return text.length <= width ? text : `${text.slice(0, width - 3)}...`;
}

async function showEnd(differences: number, { screen, own }: DemoContext): Promise<void> {
  await screen.line();
  if (differences > 0) {
    await screen.line(
      screen.paint(`${differences} of these did not go as told above. Please look at \`${own("doctor")}\`.`, "red"),
    );
    return;
  }
  await screen.line(screen.paint("That was the tour. What next:", "bold"));
  await showNext(
    [
      [own("doctor"), "what holds on this machine, and what is granted"],
      ["docs/configuration.md", "write a first configuration: which tools, which paths"],
      [own("exec", "--", "ls", "-l"), "run something in the box yourself"],
      [own("audit", "list"), "see what was recorded"],
    ],
    screen,
  );
}
