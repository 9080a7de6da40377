// Time comes in as a parameter, so that tests and the record agree on it.

export interface Clock {
  /** Milliseconds since 1970, for the record. */
  now(): number;
  /** Monotonic milliseconds, for durations. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
