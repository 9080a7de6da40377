// Ctrl-C, SIGTERM and a closed terminal cancel the work, and the command still ends in an orderly way.

const cancelling = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export interface Cancellation {
  readonly signal: AbortSignal;
  /** The signal that was received; null if there was none. */
  readonly by: NodeJS.Signals | null;
}

export async function withCancellation<T>(work: (cancellation: Cancellation) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let by: NodeJS.Signals | null = null;
  const cancel = (name: NodeJS.Signals) => {
    by ??= name;
    // Whoever ends the program in another way than with Ctrl-C may have a time limit, and come back for an answer.
    controller.abort(name === "SIGINT" ? undefined : new Error(`ended by ${name}`));
  };
  for (const name of cancelling) process.on(name, cancel);
  try {
    return await work({
      signal: controller.signal,
      get by() {
        return by;
      },
    });
  } finally {
    for (const name of cancelling) process.off(name, cancel);
  }
}
