// Single keys from a real terminal, and lines typed on it.
// Invariant: a key counts only if it came alone, after what it answers was drawn and had stood still for a moment: what
// was typed ahead, pasted or sent by a terminal as a sequence never does. The terminal is left as it was found.

import { createInterface } from "node:readline";
import type { ReadStream, WriteStream } from "node:tty";

/** Nothing typed so soon after a drawing counts; and the time starts anew with whatever is typed in it. */
const quietMs = 300;
/** A key that something follows or precedes this closely was not pressed by a finger. */
const aloneMs = 40;
/** A key that comes so soon after what was thrown away is part of the same typing. */
const typingMs = 700;

const sequences: Readonly<Record<string, string>> = {
  "\u001b[A": "up",
  "\u001bOA": "up",
  "\u001b[B": "down",
  "\u001bOB": "down",
  "\u001b[5~": "page-up",
  "\u001b[6~": "page-down",
  "\u001b[H": "home",
  "\u001bOH": "home",
  "\u001b[1~": "home",
  "\r": "enter",
  "\n": "enter",
  "\u001b": "escape",
  "\u007f": "backspace",
  "\u0003": "ctrl-c",
  "\u0004": "ctrl-d",
  "\u000c": "ctrl-l",
};

/** What a terminal sends by itself, or for a key that means nothing here. */
const afterEscape = /^[[O]?[\d;?]*[@-~]$/;

/** They answer nothing, so they need not have come alone: held down, they come fast. */
const moves = new Set(["up", "down", "page-up", "page-down", "home", "j", "k"]);

export interface Keys {
  /** Forgets what was typed, and goes on forgetting until nothing was typed for a moment. Call it after each drawing. */
  drain(): void;
  /** The next key that counts; null once the signal is aborted or the terminal is gone. */
  next(signal: AbortSignal): Promise<string | null>;
  /** Whether the key that `next` gave last was typed in one go with what was thrown away before it. */
  wasTyping(): boolean;
  /** A line of text, edited on the screen; null when it was left with Ctrl-C, Ctrl-D or the signal. */
  line(prompt: string, prefilled: string, signal: AbortSignal): Promise<string | null>;
  close(): void;
}

export function openKeys(input: ReadStream, output: WriteStream): Keys {
  const waiting: { readonly key: string; readonly isTyping: boolean }[] = [];
  let wake: (() => void) | null = null;
  let isGone = false;
  let isDeaf = true;
  let quiet: NodeJS.Timeout | undefined;
  let held: { readonly key: string; readonly timer: NodeJS.Timeout } | null = null;
  let lastAt = -Infinity;
  let thrownAt = -Infinity;
  let last = { key: "", isTyping: false };

  const give = (key: string) => {
    waiting.push({ key, isTyping: performance.now() - thrownAt < typingMs + aloneMs });
    wake?.();
  };
  const thrown = () => {
    thrownAt = performance.now();
  };
  const drop = () => {
    if (waiting.length > 0 || held !== null) thrown();
    waiting.length = 0;
    if (held !== null) clearTimeout(held.timer);
    held = null;
  };
  const drain = () => {
    drop();
    isDeaf = true;
    clearTimeout(quiet);
    // What came while we were busy is read after the timers of that turn and before its immediates.
    quiet = setTimeout(() => {
      const mine = quiet;
      setImmediate(() => {
        if (quiet === mine) isDeaf = false;
      });
    }, quietMs);
  };
  const leaves = (text: string) => text === "\u0003" || text === "\u0004";
  const onData = (chunk: Buffer) => {
    const text = chunk.toString("utf8");
    // Leaving is never an answer, so it always counts.
    if (leaves(text)) return give(sequences[text] as string);
    if (isDeaf) {
      thrown();
      return drain();
    }
    const since = performance.now() - lastAt;
    lastAt = performance.now();
    const moved = readMoves(text);
    if (held !== null || (since < aloneMs && moved === null)) {
      thrown();
      return drop();
    }
    if (moved !== null) return moved.forEach(give);
    const key = readKey(text);
    // A lone escape may be the beginning of a sequence whose rest is late: that rest then does not come alone.
    if (key === null) {
      if (!text.startsWith("\u001b") || !afterEscape.test(text.slice(1))) thrown();
      return;
    }
    const timer = setTimeout(() => {
      setImmediate(() => {
        if (held?.timer !== timer) return;
        held = null;
        give(key);
      });
    }, aloneMs);
    held = { key, timer };
  };
  const onEnd = () => {
    isGone = true;
    wake?.();
  };
  const restore = () => {
    if (input.isTTY && !input.destroyed) input.setRawMode(false);
  };
  const listen = () => {
    input.setRawMode(true);
    input.on("data", onData);
    input.on("end", onEnd);
    input.on("error", onEnd);
    input.on("close", onEnd);
    input.resume();
    drain();
  };
  const deafen = () => {
    input.off("data", onData);
    input.off("end", onEnd);
    input.off("error", onEnd);
    input.off("close", onEnd);
    clearTimeout(quiet);
    drop();
  };

  process.on("exit", restore);
  listen();
  return {
    drain,
    async next(signal) {
      while (waiting.length === 0 && !isGone && !signal.aborted) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const stir = () => resolve();
        wake = stir;
        signal.addEventListener("abort", stir, { once: true });
        await promise;
        signal.removeEventListener("abort", stir);
        wake = null;
      }
      const key = signal.aborted ? undefined : waiting.shift();
      if (key !== undefined) last = key;
      return key?.key ?? null;
    },
    wasTyping: () => last.isTyping,
    async line(prompt, prefilled, signal) {
      deafen();
      try {
        return await readLine(input, output, prompt, prefilled, signal);
      } finally {
        listen();
      }
    },
    close() {
      deafen();
      restore();
      input.pause();
      process.off("exit", restore);
    },
  };
}

function readKey(text: string): string | null {
  const known = sequences[text];
  if (known !== undefined) return known;
  return [...text].length === 1 && text >= " " ? text : null;
}

/** A chunk that is nothing but one moving key, pressed or held down. */
function readMoves(text: string): string[] | null {
  const one = [...Object.keys(sequences), "j", "k"].find(
    (sent) => moves.has(sequences[sent] ?? sent) && text === sent.repeat(text.length / sent.length),
  );
  if (one === undefined || text === "") return null;
  return Array.from({ length: Math.min(20, text.length / one.length) }, () => sequences[one] ?? one);
}

function readLine(
  input: ReadStream,
  output: WriteStream,
  prompt: string,
  prefilled: string,
  signal: AbortSignal,
): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const reader = createInterface({ input, output, terminal: true, historySize: 0 });
  const leave = () => {
    resolve(null);
    reader.close();
  };
  signal.addEventListener("abort", leave, { once: true });
  reader.on("SIGINT", leave);
  reader.on("close", () => resolve(null));
  reader.question(prompt, (line) => {
    resolve(line);
    reader.close();
  });
  reader.write(prefilled);
  if (signal.aborted) leave();
  return promise.finally(() => signal.removeEventListener("abort", leave));
}
