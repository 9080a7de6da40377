// `sallyport devices list|revoke`: what is paired with `serve`, and an end to it, which is recorded.

import { safeJson } from "../../audit/entry.ts";
import { ownCommand, type PathFlags } from "../../config/own-command.ts";
import { revokeDevice } from "../../runtime/revoke-device.ts";
import { displayText } from "../../shared/display.ts";
import { failure } from "../../shared/failure.ts";
import { type Device, Devices, hasDevices } from "../../store/devices.ts";
import { printRefusal } from "../changes/changes-backend.ts";
import { exitCode } from "../exit-code.ts";
import { policyPaths, whoIsThis, withStore } from "../policy/policy-paths.ts";
import { localTime } from "../terminal/local-time.ts";
import { type Row, tableLines } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";

export interface DevicesListFlags extends PathFlags {
  readonly json?: boolean;
}

export async function devicesListCommand(flags: DevicesListFlags, terminal: Terminal): Promise<number> {
  const { out, environment } = terminal;
  const { stateDirectory } = policyPaths(flags, terminal);
  const devices = (await withDevices(stateDirectory, async (store) => store.list())) ?? [];
  if (flags.json === true) {
    await out.line(safeJson({ devices: devices.map(deviceJson) }));
    return exitCode.ok;
  }
  if (devices.length === 0) {
    await out.line(
      "No device is paired. `sallyport devices add` pairs one, or the page of `sallyport serve`, under Machine.",
    );
    return exitCode.ok;
  }
  const head = ["id", "name", "kind", "may", "paired", "seen", "from"].map((text) => ({
    text,
    styles: ["bold"] as const,
  }));
  const now = new Date();
  const rows = devices.map((device): Row => {
    const { id, name, kind, may, paired, seen, address } = deviceJson(device);
    const shown = displayText(name, { maxLength: 60 });
    return [id, shown, kind, may, localTime(paired, now), localTime(seen, now), displayText(address ?? "")];
  });
  for (const line of tableLines([head, ...rows], out)) await out.line(line);
  await out.line(out.paint(`To end one: ${ownCommand(environment, flags)("devices", "revoke", "ID")}`, "dim"));
  return exitCode.ok;
}

export async function devicesRevokeCommand(id: string, flags: PathFlags, terminal: Terminal): Promise<number> {
  const paths = policyPaths(flags, terminal);
  const who = whoIsThis(terminal.streams);
  const isRevoked = await withDevices(paths.stateDirectory, async (devices) =>
    devices.find(id) === undefined
      ? false
      : await withStore(paths, async ({ journal }) => revokeDevice(id, who, journal, devices)),
  );
  if (isRevoked !== true) {
    const message = `ID: no paired device is named ${displayText(id, { maxLength: 60 })}.`;
    return await printRefusal(failure("not_found", message, { hint: "`sallyport devices` lists them." }), terminal);
  }
  const { out } = terminal;
  await out.line(`${out.paint("Revoked", "green")} ${displayText(id)}. It may do nothing from now on.`);
  return exitCode.ok;
}

/** Undefined if there is no store: opening it would make one. */
async function withDevices<T>(stateDirectory: string, work: (devices: Devices) => Promise<T>): Promise<T | undefined> {
  if (!hasDevices(stateDirectory)) return undefined;
  const devices = new Devices(stateDirectory);
  try {
    return await work(devices);
  } finally {
    devices.close();
  }
}

function deviceJson({ id, name, kind, allowance, origin, address, pairedAt, seenAt }: Device) {
  const [paired, seen] = [pairedAt, seenAt].map((ms) => new Date(ms).toISOString()) as [string, string];
  return { id, name, kind, may: allowance, origin, address, paired, seen };
}
