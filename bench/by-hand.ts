// Bubblewrap with the gate's own profile, as a person would write it on a command line: the same mounts, namespaces, device files
// and system call filter; the limits by prlimit inside the box. No record, no policy, no control group.

import { writeFileSync } from "node:fs";
import { arch } from "node:os";
import { grantByVerdict } from "../src/approval/grant.ts";
import type { Gate } from "../src/index.ts";
import type { Confinement } from "../src/process/launch.ts";
import { mountArguments } from "../src/sandbox/bubblewrap.ts";
import { withOwnDevices } from "../src/sandbox/device-files.ts";
import { nativeProgramPath } from "../src/sandbox/native-program.ts";
import { isFilterable, seccompProgram } from "../src/sandbox/seccomp.ts";
import { bareSpawn, type Spawned } from "./bare-spawn.ts";

/** The confinement that this gate would give to the call. Nothing is started. */
async function confinementOf(gate: Gate, argv: readonly string[]): Promise<{ box: Confinement; cwd: string }> {
  const plan = await gate.plan({ tool: "Exec", args: { argv } });
  if (!plan.ok) throw new Error(plan.failure.message);
  const { action, verdict } = plan.value;
  const step = action.steps[0];
  if (step === undefined) throw new Error("the call starts nothing");
  const confined = gate.sandbox.confine(grantByVerdict(action, verdict), step);
  if (!confined.ok) throw new Error(confined.failure.message);
  confined.value.release();
  return { box: confined.value.launch.confinement, cwd: step.cwd };
}

export async function bubblewrapByHand(
  gate: Gate,
  directory: string,
  argv: readonly string[],
): Promise<() => Promise<Spawned>> {
  const { box, cwd } = await confinementOf(gate, argv);
  const bubblewrap = gate.sandbox.probe.bubblewrap?.path;
  const architecture = arch();
  if (bubblewrap === undefined || !isFilterable(architecture)) throw new Error("no box can be built on this machine");
  const filter = `${directory}/by-hand.bpf`;
  writeFileSync(filter, seccompProgram({ architecture, unix: box.unixSockets }));
  const args = [...handArguments(box, cwd), "--", ...limitArguments(box), ...argv];
  const command = withOwnDevices(process.getuid?.() === 0 ? nativeProgramPath("devices", architecture) : null, {
    file: bubblewrap,
    args,
    cwd,
  });
  return () => bareSpawn(command.file, command.args, { thirdFile: filter });
}

const namespaces =
  "--unshare-user --disable-userns --unshare-ipc --unshare-pid --unshare-uts --unshare-cgroup-try".split(" ");
const manners = "--hostname box --die-with-parent --new-session --cap-drop ALL --seccomp 3".split(" ");
const sealed = "--remount-ro /dev --remount-ro /".split(" ");

function handArguments(box: Confinement, cwd: string): string[] {
  const network = box.network === "none" ? ["--unshare-net"] : [];
  return [
    ...namespaces,
    ...network,
    ...manners,
    ...box.mounts.flatMap((mount) => mountArguments(mount, { sourceFds: new Map() })),
    ...sealed,
    "--chdir",
    cwd,
  ];
}

function limitArguments({ limits }: Confinement): string[] {
  const { cpuS, fsizeBytes, nofile, memoryBytes, nproc } = limits;
  const soft = [`--cpu=${cpuS}:${cpuS + 1}`, `--fsize=${fsizeBytes}`, `--nofile=${nofile}`, "--core=0"];
  return ["/usr/bin/prlimit", ...soft, `--data=${memoryBytes}`, `--nproc=${nproc}`, "--"];
}
