// What the sandbox contract needs of whoever runs it: a gate on given grants, in a place of its own.

import { after } from "node:test";
import type { Gate } from "../../../src/index.ts";
import { type Grants, makeTestDirectories, openGate, type TestDirectories } from "../../fixtures/gate.ts";

export interface ContractContext {
  /** Opens a gate whose sandbox is the one under test. */
  openGate(directories: TestDirectories, grants?: Grants): Gate;
}

export const realGate: ContractContext = {
  openGate(directories, grants) {
    process.env["XDG_CONFIG_HOME"] = `${directories.base}/config`; // the last place that was made has set it to its own
    return openGate(directories, grants);
  },
};

/** A place for a group of tests, removed when they are done. */
export function usePlace(): TestDirectories {
  const directories = makeTestDirectories();
  after(() => directories.remove());
  return directories;
}

/** A gate for a group of tests. */
export function useGate(context: ContractContext, directories: TestDirectories, grants?: Grants): Gate {
  const gate = context.openGate(directories, grants);
  after(() => gate.close());
  return gate;
}
