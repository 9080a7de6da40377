// `sallyport devices`: its subcommands, their flags and their help.

import { type Command, Option } from "commander";
import { allowances } from "../../store/device-kind.ts";
import { pathFlags, type Run } from "../gate-flags.ts";
import type { Terminal } from "../terminal/terminal.ts";

export function addDevices(program: Command, terminal: Terminal, run: Run): void {
  const devices = program
    .command("devices")
    .summary("devices that may answer for you: list, add, revoke")
    .description(
      "Shows what is paired with `sallyport serve`, such as a phone or a browser extension; pairs and ends one.",
    )
    .addHelpText(
      "after",
      `
A device is paired while \`sallyport serve\` runs: on its page, under Machine, or here.

Examples:
  sallyport devices
  sallyport devices add --may see
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
  sub("add", "show a code that pairs one device, and ask about it")
    .addOption(
      new Option("--may <WHAT>", "what it may do: answer all, or what is of low risk; or only look")
        .choices([...allowances])
        .default("all"),
    )
    .addHelpText(
      "after",
      `
On the device, open the address that \`sallyport serve --host\` printed, or the browser extension, and type the code. Device
and terminal then show the same number. It needs a terminal, and two keys for a yes.

Examples:
  sallyport devices add
  sallyport devices add --may low`,
    )
    .action((flags) => run(async () => (await import("./devices-add.ts")).devicesAddCommand(flags, terminal)));
  sub("revoke", "end what a device may do, at once")
    .argument("<ID>", "the device, as list shows it")
    .addHelpText("after", "\nExamples:\n  sallyport devices revoke d-1f2e3d4c")
    .action((id: string, flags) =>
      run(async () => (await import("./devices.ts")).devicesRevokeCommand(id, flags, terminal)),
    );
}
