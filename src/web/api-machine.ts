// What the page shows about the machine: types only, shared by the page and its server.

/** `GET /api/machine`: what `sallyport doctor --json` prints. */
export interface MachineView {
  readonly ok: boolean;
  readonly node: string;
  readonly machine: {
    readonly architecture: string;
    readonly findings: readonly {
      readonly name: string;
      readonly held: "kernel" | "runtime" | "no";
      readonly how: string;
      /** What would enforce more; null if there is nothing. */
      readonly mend: string | null;
    }[];
    readonly bubblewrap?: { readonly path: string; readonly version: string } | null;
    readonly overlay?: boolean;
  };
  readonly sandbox: {
    readonly require: string;
    readonly problem: { readonly message: string; readonly mend: string } | null;
  };
  readonly configuration_error?: string | null;
  readonly configuration: {
    readonly file: string | null;
    readonly directory?: string;
    readonly project: string;
    readonly approvals?: { readonly mode: string; readonly timeoutS: number };
    readonly notes: readonly string[];
    readonly agents: readonly MachineAgent[];
  } | null;
}

export interface MachineAgent {
  readonly name: string;
  readonly tools: readonly { readonly name: string; readonly granted: boolean }[];
  readonly fs_grants: readonly {
    readonly path: string;
    readonly mode: "r" | "rw";
    readonly exists: boolean;
    readonly hide?: readonly string[];
  }[];
  readonly network: "none" | "hosts" | "host";
  /** One line for each host or set of hosts that is granted. */
  readonly net_grants?: readonly string[];
  readonly limits?: {
    readonly memoryMb: number;
    readonly fsizeMb: number;
    readonly nofile: number;
    readonly nproc: number;
  };
  /** Programs found on this machine that the agent cannot run yet. */
  readonly suggestions?: readonly { readonly program: string; readonly grant: string }[];
}
