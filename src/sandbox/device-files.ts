// The device files of root's boxes. They are the machine's own, and root owns them: a program in root's box could take them away
// from everybody with `chmod 000 /dev/null`. native/devices.c stands before the box's command and makes them read-only for it.

import type { BoxCommand } from "../process/box-process.ts";

type Command = Omit<BoxCommand, "descriptors">;

/** `program`: native/devices; null: the gate is not root's, and nobody in a box owns a device file. */
export function withOwnDevices(program: string | null, command: Command): Command {
  // SECURITY(T13): without it, a mode that a program sets on a device file holds for the whole machine.
  return program === null ? command : { ...command, file: program, args: ["--", command.file, ...command.args] };
}
