// `sallyport devices`: its subcommands, their flags and their help.

import type { Command } from "commander";
import { pathFlags, type Run } from "../gate-flags.ts";
import type { Terminal } from "../terminal/terminal.ts";

export function addDevices(program: Command, terminal: Terminal, run: Run): void {
  const devices = program
    .command("devices")
    .summary("devices that may answer for you: list, revoke")
    .description("Shows what is paired with `sallyport serve`, such as a browser extension, and ends what one may do.")
    .addHelpText(
      "after",
      `
A device is paired on the page of \`sallyport serve\`, under Machine.

Examples:
  sallyport devices
  sallyport devices revoke d-1f2e3d4c

Exit code: 0 when all went well; 1 when there is no such device; 2 for wrong use.`,
    );
  const sub = (name: string, summary: string, isDefault = false): Command =>
    devices
      .command(name, { isDefault })
      .summary(summary)
      .description(`${summary[0]?.toUpperCase()}${summary.slice(1)}.`)
      .addOption(pathFlags.config())
      .addOption(pathFlags.state());
  sub("list", "the paired devices, the newest first", true)
    .option("--json", "as one JSON object")
    .addHelpText("after", "\nA device chose its name itself.\n\nExamples:\n  sallyport devices list --json")
    .action((flags) => run(async () => (await import("./devices.ts")).devicesListCommand(flags, terminal)));
  sub("revoke", "end what a device may do, at once")
    .argument("<ID>", "the device, as list shows it")
    .addHelpText("after", "\nExamples:\n  sallyport devices revoke d-1f2e3d4c")
    .action((id: string, flags) =>
      run(async () => (await import("./devices.ts")).devicesRevokeCommand(id, flags, terminal)),
    );
}
