// Reads single keys and lines from a real terminal.
// Invariant: a key counts only if it came alone, after the question was drawn and after a moment without input. Keys that were
// typed ahead, pasted, or sent by the terminal as a sequence never count. The terminal's mode is restored at the end.

import { createInterface } from "node:readline";
import type { ReadStream, WriteStream } from "node:tty";

/** A key this soon after a drawing does not count, and it restarts the time. */
const quietMs = 300;
/** If other input comes this close to a key, no finger pressed the key. */
const aloneMs = 40;
/** A key this soon after discarded input belongs to the same typing. */
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

/** A sequence that the terminal sends by itself, or for a key without a meaning here. */
const afterEscape = /^[[O]?[\d;?]*[@-~]$/;

/** These keys answer nothing, so they need not come alone: a held key repeats fast. */
const moves = new Set(["up", "down", "page-up", "page-down", "home", "j", "k"]);

export interface Keys {
  /** Discards input until nothing was typed for a moment. Call it after each drawing. */
  drain(): void;
  /** The next key that counts; null once the signal is aborted or the terminal is closed. */
  next(signal: AbortSignal): Promise<string | null>;
  /** Whether the last key from `next` was typed together with discarded input before it. */
  wasTyping(): boolean;
  /** A line of text, edited on the screen; null if the person left it with Ctrl-C or Ctrl-D, or the signal was aborted. */
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
    // Input that arrived while the process was busy is read after the timers of that turn and before its immediates.
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
    // A key that leaves is never an answer, so it always counts.
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
    // A lone escape can be the beginning of a sequence whose rest is late. That rest then does not come alone.
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

/** Reads a chunk that consists of one moving key, pressed or held down. */
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
