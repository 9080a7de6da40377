// Device files in boxes of a gate that runs as root. They are the machine's device files, and root owns them, so a program in such a
// box could break them for everybody with `chmod 000 /dev/null`. native/devices.c runs first and makes them read-only.

import type { BoxCommandLine } from "../process/box-process.ts";

/** `program`: the path of native/devices. Null if the gate does not run as root, because then nobody in a box owns a device file. */
export function withOwnDevices(program: string | null, command: BoxCommandLine): BoxCommandLine {
  // SECURITY(T13): without native/devices, a mode that a program sets on a device file applies to the whole machine.
  return program === null ? command : { ...command, file: program, args: ["--", command.file, ...command.args] };
}
