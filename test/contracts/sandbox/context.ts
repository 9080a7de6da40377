// What the sandbox contract needs of whoever runs it: a gate on given grants, in a place of its own.

import { after } from "node:test";
import type { Gate } from "../../../src/index.ts";
import { type Grants, makePlace, openGate, type Place } from "../../fixtures/gate.ts";

export interface ContractContext {
  /** Opens a gate whose sandbox is the one under test. */
  openGate(place: Place, grants?: Grants): Gate;
}

export const realGate: ContractContext = {
  openGate(place, grants) {
    process.env["XDG_CONFIG_HOME"] = `${place.base}/config`; // the last place that was made has set it to its own
    return openGate(place, grants);
  },
};

/** A place for a group of tests, removed when they are done. */
export function usePlace(): Place {
  const place = makePlace();
  after(() => place.remove());
  return place;
}

/** A gate for a group of tests. */
export function useGate(context: ContractContext, place: Place, grants?: Grants): Gate {
  const gate = context.openGate(place, grants);
  after(() => gate.close());
  return gate;
}
