// What is enforced on this machine, in plain words.

export type Held = "kernel" | "runtime" | "no";

export const heldWords: Readonly<Record<Held, { readonly label: string; readonly meaning: string }>> = {
  kernel: { label: "Kernel", meaning: "The kernel refuses it, whatever the program tries." },
  runtime: { label: "Gate", meaning: "The gate watches and ends it; the kernel does not stop it by itself." },
  no: { label: "Not held", meaning: "Nothing on this machine stops it." },
};

const findingWords: Readonly<Record<string, { readonly label: string; readonly about: string }>> = {
  filesystem: { label: "Files", about: "A call sees and changes only the paths it was granted." },
  network: { label: "Network", about: "A call reaches no other machine unless it was granted." },
  processes: { label: "Processes", about: "Everything a call started ends with it, and there are not too many." },
  memory: { label: "Memory", about: "A call takes no more memory than its limit." },
  cpu: { label: "Processor time", about: "A call cannot use the processor for ever." },
  wall_clock: { label: "Time", about: "A call ends when its time is up." },
  environment: {
    label: "Environment",
    about: "A call sees none of your variables, and so none of the secrets in them.",
  },
  syscalls: { label: "System calls", about: "A call can use only the parts of the kernel that programs need." },
};

/** A finding that this page does not know is shown by its name. */
export function wordsOfFinding(name: string): { readonly label: string; readonly about: string } {
  return Object.hasOwn(findingWords, name)
    ? (findingWords[name] as { label: string; about: string })
    : { label: name, about: "" };
}

/** One sentence: how much of it the kernel enforces. */
export function conclusion(findings: readonly { readonly held: Held }[]): string {
  const count = (held: Held) => findings.filter((finding) => finding.held === held).length;
  const [kernel, no] = [count("kernel"), count("no")];
  if (findings.length === 0) return "Nothing is known about this machine.";
  const rest = no === 0 ? "" : ` ${no} ${no === 1 ? "is" : "are"} not held at all.`;
  if (kernel === findings.length) return `All ${kernel} are held by the kernel.`;
  return `${kernel} of ${findings.length} are held by the kernel.${rest}`;
}
