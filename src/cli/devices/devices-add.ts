// `sallyport devices add`: shows a code in the terminal, and asks about the device that sends it.
// Invariant: only a person at this terminal lets a device in, after they were shown its name and number.

import type { PathFlags } from "../../config/own-command.ts";
import { systemClock } from "../../shared/clock.ts";
import { displayText } from "../../shared/display.ts";
import type { Allowance } from "../../store/device-kind.ts";
import { Devices } from "../../store/devices.ts";
import type { PairingView } from "../../web/api-devices.ts";
import { Pairing } from "../../web/pairing.ts";
import { exitCode } from "../exit-code.ts";
import { policyPaths, withStore } from "../policy/policy-paths.ts";
import { withCancellation } from "../signals.ts";
import { confirmHere, confirmProblem } from "../terminal/confirm.ts";
import { personHere } from "../terminal/own-terminal.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { UsageError } from "../usage-error.ts";

export interface DevicesAddFlags extends PathFlags {
  readonly may: Allowance;
}

const LOOK_EVERY_MS = 150;

export async function devicesAddCommand(flags: DevicesAddFlags, terminal: Terminal): Promise<number> {
  const problem = confirmProblem(terminal);
  if (problem !== null)
    throw new UsageError(
      `devices add: ${problem}`,
      "On the page of `sallyport serve` it goes without one, under Machine.",
    );
  const paths = policyPaths(flags, terminal);
  return await withStore(paths, async ({ journal }) => {
    const devices = new Devices(paths.stateDirectory);
    const record = (entry: Parameters<typeof journal.append>[0]) => void journal.append(entry, { durable: true });
    const pairing = new Pairing({ clock: systemClock, devices, record });
    try {
      return await withCancellation(({ signal }) => addOne(pairing, flags.may, terminal, signal));
    } finally {
      devices.close();
    }
  });
}

async function addOne(pairing: Pairing, may: Allowance, terminal: Terminal, signal: AbortSignal): Promise<number> {
  const { out } = terminal;
  const { code } = pairing.newCode();
  await out.line(`Type this into the device, within two minutes:  ${out.paint(code, "bold")}`);
  await out.line(
    "On another device that is the address that `sallyport serve --host` printed, or the browser extension.",
  );
  const asked = await after(pairing, ["code"], signal);
  pairing.cancel(code);
  if (asked?.state !== "asks") return await notPaired(asked, terminal);
  if (!pairing.isAskedWith(code)) return await notPaired(null, terminal);
  const { id, name, kind, address, check } = asked;
  await out.line();
  await out.line(
    `A ${kind} that calls itself ${displayText(name)} asks${address === null ? "" : ` from ${displayText(address)}`}.`,
  );
  await out.line(`Let it in only if it shows this number:  ${out.paint(check, "bold")}`);
  const isYes = await confirmHere({ yes: "let it in", no: "refuse it" }, terminal);
  if (!pairing.answer(id, isYes ? may : null, personHere())) return await notPaired(pairing.view(), terminal);
  const end = await after(pairing, ["confirmed"], signal);
  // SECURITY(T81): whoever ends this command after the yes lets nobody in. A device that was faster is paired.
  if (signal.aborted) pairing.takeBack(id);
  const last = signal.aborted ? pairing.view() : end;
  if (last !== null) return await notPaired(last, terminal);
  await out.line(`${out.paint("Paired", "green")} ${displayText(name)} (${id}).`);
  return exitCode.ok;
}

/** The next stage that is none of these; null if there is none any more. */
async function after(
  pairing: Pairing,
  stages: readonly PairingView["state"][],
  signal: AbortSignal,
): Promise<PairingView | null> {
  for (;;) {
    const view = pairing.view();
    if (view === null || !stages.includes(view.state)) return view;
    if (signal.aborted) return { state: "ended", why: "the command was ended" };
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

async function notPaired(view: PairingView | null, { err }: Terminal): Promise<number> {
  const why = view?.state === "ended" ? view.why : "another pairing has begun";
  await err.line(`sallyport: no device was paired: ${displayText(why)}`);
  return exitCode.refused;
}
