// What every contained case is asked, and the words the tables of contained cases are written in.

import { strict as assert } from "node:assert";
import type { ExecutionResult } from "../../src/index.ts";
import { assertNoMarker, type Bench, type Grants, ran } from "./bench.ts";
import { killAll, processesOf, sleep } from "./leftovers.ts";
import type { World } from "./world.ts";

export interface Contained {
  readonly grants?: (world: World) => Grants;
  /** Programs that the machine must have; without one the case is skipped, aloud. */
  readonly needs?: readonly string[];
  /** Runs after the others and alone: it starts a thousand calls, or counts what this process holds. */
  readonly alone?: true;
  /** A text: why it cannot be shown on this machine. */
  readonly check: (bench: Bench) => Promise<void | string>;
}

/** Runs the case's own input; the program must have started, and made no marker. */
export function contained(
  look: (result: ExecutionResult, bench: Bench) => void,
  needs: readonly string[] = [],
): Contained {
  return {
    needs,
    async check(bench) {
      const result = await runInTime(bench);
      assertNoMarker(bench.world);
      look(result, bench);
    },
  };
}

/** Also "no process of the call is left 3 s later". */
export function ends(look: (result: ExecutionResult, bench: Bench) => void, needs: readonly string[] = []): Contained {
  return {
    needs,
    async check(bench) {
      const result = await runInTime(bench);
      look(result, bench);
      await nothingIsLeft(bench.world);
    },
  };
}

/** Again where it was ended late: a busy machine delays some calls, a gate that waits for too much delays each. */
async function runInTime({ run, args }: Bench): Promise<ExecutionResult> {
  let result = ran(await run(args));
  for (let again = 0; again < 3 && isLate(result); again += 1) result = ran(await run(args));
  return result;
}

const isLate = ({ timed_out, duration_s }: ExecutionResult) => timed_out && duration_s >= 5;

export async function nothingIsLeft(world: World): Promise<void> {
  await sleep(3_000);
  const left = processesOf(world.directory);
  killAll(left);
  assert.deepEqual(left, [], "processes of the call are left");
  assertNoMarker(world);
}

/** The corpus's own words: timed_out == true, elapsed < 5 s. */
export function timedOut({ timed_out, duration_s }: ExecutionResult): void {
  assert.equal(timed_out, true);
  assert.ok(duration_s < 5, `it took ${duration_s} s`);
}

export function failed({ exit_code, stdout }: ExecutionResult): void {
  assert.notEqual(exit_code, 0, `it succeeded, and printed ${JSON.stringify(stdout)}`);
}
