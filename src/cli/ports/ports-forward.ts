// `sallyport ports forward`: an address of this machine that leads to a server in a running box.

import { randomInt } from "node:crypto";
import { closeSync, openSync } from "node:fs";
import { arch } from "node:os";
import { safeJson } from "../../audit/entry.ts";
import type { PathFlags } from "../../config/own-command.ts";
import { forwardAddress, openForward } from "../../network/port-forward.ts";
import { BoxReach } from "../../process/box-reach.ts";
import { startReach } from "../../process/start.ts";
import { nativeProgramPath, readNativeProgram } from "../../sandbox/native-program.ts";
import { displayText } from "../../shared/display.ts";
import { errorCode } from "../../shared/error-code.ts";
import { failure } from "../../shared/failure.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import { announcePort } from "../../process/own-ports.ts";
import { isRunning, type ListedBox, portsOfBox, runningBoxes } from "../../store/running-boxes.ts";
import { printRefusal } from "../changes/changes-backend.ts";
import { exitCode } from "../exit-code.ts";
import { loadFromFlags } from "../open-gate.ts";
import { parsePort } from "../parse-port.ts";
import { withCancellation } from "../signals.ts";
import type { Terminal } from "../terminal/terminal.ts";

const LOOK_MS = 500;

export interface PortsForwardFlags extends PathFlags {
  readonly port?: string;
  readonly json?: boolean;
}

export async function portsForwardCommand(
  portText: string,
  call: string | undefined,
  flags: PortsForwardFlags,
  terminal: Terminal,
): Promise<number> {
  const port = parsePort(portText, "PORT");
  const chosen = flags.port === undefined ? 0 : parsePort(flags.port, "--port");
  const { stateDirectory } = loadFromFlags(flags, terminal.environment);
  const found = findServer(runningBoxes(stateDirectory), port, call ?? "");
  if (!found.ok) return await printRefusal(found.failure, terminal);
  const box = found.value;
  const network = openNetworkOf(box);
  if (network === null) return await printRefusal(ended, terminal);
  readNativeProgram("keeper", arch()); // throws if it is not the pinned one
  const reach = new BoxReach(startReach(nativeProgramPath("keeper", arch()), network, port));
  closeSync(network);
  const address = forwardAddress(randomInt);
  const own = chosen === 0 ? randomInt(20_000, 60_000) : chosen;
  // SECURITY(T67): before it listens, so that no box ever reaches it.
  const withdraw = announcePort(own);
  try {
    const opened = await openForward({
      address,
      port: own,
      uid: process.getuid?.() ?? -1,
      connect: () => reach.connect(),
    });
    const url = `http://${address}:${own}/`;
    const { out, err } = terminal;
    await out.line(flags.json === true ? safeJson({ url, address, port: own, call: box.call, box_port: port }) : url);
    for (const line of warning) await err.line(err.paint(line, "yellow"));
    await withCancellation(({ signal }) => untilEnd(box, signal));
    await opened.close();
    if (opened.refused > 0) await err.line(`Connections of other users that were refused: ${opened.refused}`);
    return exitCode.ok;
  } catch (error) {
    const reason = errorCode(error);
    if (reason === "") throw error;
    const message = `The gate cannot listen on port ${own}: ${reason}.`;
    return await printRefusal(failure("invalid_args", message, { hint: "Choose another with --port." }), terminal);
  } finally {
    reach.close();
    withdraw();
  }
}

const warning = [
  "What you open there is made by an agent's program. In your browser it reaches the internet, which the box may not,",
  "and can send there whatever you enter. It ends with the call, or with Ctrl-C.",
];

const ended = failure("changed", "The call has ended.", { hint: "`sallyport ports` lists what runs." });

function findServer(boxes: readonly ListedBox[], port: number, call: string): Result<ListedBox> {
  const matching = boxes.filter((box) => box.call.startsWith(call));
  const [box, ...others] = matching.filter((one) => portsOfBox(one).includes(port));
  if (box !== undefined && others.length === 0) return ok(box);
  const hint = "`sallyport ports` lists them. A call is listed once it has run for a second.";
  if (box !== undefined) return fail("invalid_args", `Several calls have port ${port}. Name one of them.`, { hint });
  if (matching.length === 0 && call !== "") {
    const shown = displayText(call, { maxLength: 60 });
    return fail("invalid_args", `CALL: no running call begins with ${shown}.`, { hint });
  }
  const open = matching.flatMap(portsOfBox);
  const other = open.length === 0 ? "" : `, but on ${open.join(", ")}`;
  return fail("invalid_args", `PORT: no program in a box listens on ${port}${other}.`, { hint });
}

/** A descriptor of the box's network. Null if the box has ended: its first process may be another one by now. */
function openNetworkOf(box: ListedBox): number | null {
  let descriptor: number;
  try {
    descriptor = openSync(`/proc/${box.pid}/ns/net`, "r");
  } catch {
    return null;
  }
  if (isRunning(box)) return descriptor;
  closeSync(descriptor);
  return null;
}

function untilEnd(box: ListedBox, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (signal.aborted || !isRunning(box)) end();
    }, LOOK_MS);
    const end = (): void => {
      clearInterval(timer);
      resolve();
    };
    signal.addEventListener("abort", end, { once: true });
  });
}
