// Tries whether the gate can hold the listeners of a box's network: native/keeper sends them in a form of node's own, which a version of
// node may change. A box whose listeners nobody holds would let its programs wait for ever.

import { randomUUID } from "node:crypto";
import { closeSync, openSync } from "node:fs";
import type { BoxListener } from "../process/box-network.ts";
import type { Forker } from "../process/forker.ts";
import { openForker, startHelper } from "../process/start.ts";
import type { BoxProblem } from "./box-problem.ts";
import { networkArguments, plainArguments } from "./keeper-program.ts";
import { nativeProgramPath, readNativeProgram } from "./native-program.ts";
import type { Probe } from "./probe.ts";

const listeners: readonly BoxListener[] = [
  { kind: "dns", address: "0.0.0.0", port: 53 },
  ...[443, 80, 22].map((port) => ({ kind: "tcp", address: null, port }) as const),
];
/** A program of every machine that runs a gate. It waits as long as the listeners may take, and is killed when they are there. */
const waiting = [process.execPath, ["-e", "setTimeout(() => {}, 3_000)"]] as const;

export type ListenersTrial = () => Promise<BoxProblem | null>;

/** Remembers a success. What failed is tried again the next time, because somebody may have mended it. */
export function listenersTrial(keeper: string, forker: Forker): ListenersTrial {
  let works = false;
  return async () => {
    works ||= await areTaken(keeper, forker);
    return works ? null : problem;
  };
}

/** For a report, with programs of this package. */
export async function hostsProblem({ problem: boxProblem, architecture }: Probe): Promise<BoxProblem | null> {
  if (boxProblem !== null) return boxProblem;
  // SECURITY(T07): a binary that does not have the pinned hash is not started.
  for (const name of ["keeper", "forker"] as const) readNativeProgram(name, architecture);
  const forker = openForker(nativeProgramPath("forker", architecture), true);
  try {
    return await listenersTrial(nativeProgramPath("keeper", architecture), forker)();
  } finally {
    forker.close();
  }
}

const problem: BoxProblem = {
  message: `node ${process.version} does not take the listeners of a box`,
  mend: "run the gate with another version of node, such as 24; tell us which one did not do",
};

async function areTaken(keeper: string, forker: Forker): Promise<boolean> {
  const key = randomUUID();
  const taken = new Set<number>();
  const all = Promise.withResolvers<boolean>();
  const nowhere = openSync("/dev/null", "r+");
  const box = startHelper(
    {
      file: keeper,
      args: networkArguments({ channelFd: 3, key, listeners }, plainArguments(...waiting)),
      cwd: "/",
      descriptors: [
        ...[0, 1, 2].map(() => ({ fd: nowhere, access: "both" }) as const),
        { fd: null, access: "channel" },
      ],
      receiver: {
        key,
        take(index, socket) {
          socket.close();
          if (taken.add(index).size === listeners.length) all.resolve(true);
        },
      },
    },
    forker,
  );
  void box.started.then(() => closeSync(nowhere));
  const isTaken = await Promise.race([all.promise, box.ended.then(() => false)]);
  box.kill();
  await box.ended;
  return isTaken;
}
