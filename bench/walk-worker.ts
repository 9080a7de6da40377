// What a write of one file costs in the gate of a browser, and in its pack alone. In a worker of a page.

import * as library from "../src/browser.ts";
import { openHandle, openStores } from "./worker-storage.ts";

export interface WalkTask {
  readonly kind: "gate" | "pack";
  readonly calls: number;
}

type Write = (path: string, content: string) => Promise<unknown>;

async function open(): Promise<Record<WalkTask["kind"], Write>> {
  const opened = await library.openPackWorkspace([await openHandle("a"), await openHandle("b")]);
  if (!opened.ok) throw new Error(opened.failure.message);
  const { files } = opened.value;
  const registry = library.createRegistry();
  library.registerBuiltinTools(registry);
  const { gate } = library.openBrowserGate({
    stores: await openStores(),
    files,
    box: { run: () => Promise.reject(new Error("nothing runs here")) },
    registry,
    session: "s",
    project: "/bench/project",
    github: {
      send: () => Promise.reject(new Error("nobody is contacted here")),
      signedIn: { token: async () => null, author: () => ({ name: "Ana", email: "ana@example.com", guessed: [] }) },
    },
    approvers: [],
    command: () => "the bench",
  });
  return {
    async gate(path, content) {
      const reply = await gate.call({ tool: "write_file", args: { path, content } });
      if (!reply.ok) throw new Error(reply.message);
    },
    async pack(text, content) {
      const path = library.parseWorkspacePath(text);
      if (!path.ok) throw new Error(path.failure.message);
      const bytes = new TextEncoder().encode(content);
      const applied = await files.apply([{ operation: "write", path: path.value, bytes, executable: false }]);
      if (!applied.ok) throw new Error(applied.failure.message);
    },
  };
}

let writes: ReturnType<typeof open> | null = null;
let serial = 0;

/** Milliseconds for each. */
async function time({ kind, calls }: WalkTask): Promise<number> {
  const write = (await (writes ??= open()))[kind];
  const begun = performance.now();
  for (let call = 0; call < calls; call += 1) await write("notes.md", `${(serial += 1)} `.repeat(500));
  return (performance.now() - begun) / calls;
}

addEventListener("message", ({ data }: MessageEvent<WalkTask>) => {
  time(data).then(
    (answer) => postMessage({ answer }),
    (error: unknown) => postMessage({ error: error instanceof Error ? error.stack : String(error) }),
  );
});
