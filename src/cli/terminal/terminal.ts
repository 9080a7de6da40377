// The two streams to which a command prints, and what their other end can display.
// Invariant: colour is used only on a terminal, and never if NO_COLOR is set. If the reader goes away, the command ends quietly.

import type { Readable, Writable } from "node:stream";
import type { Environment } from "../../config/environment.ts";

const styles = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, cyan: 36 } as const;

export type Style = keyof typeof styles;

export interface Screen {
  readonly isTerminal: boolean;
  readonly hasColour: boolean;
  /** In columns. Lines may be long if the stream is not a terminal. */
  readonly width: number;
  /** False if only ASCII is safe to print. */
  readonly isUnicode: boolean;
  paint(text: string, ...with_: readonly Style[]): string;
  /** Returns a promise if the reader is slow: await it before writing more. It rejects with ClosedOutput. */
  write(data: string | Uint8Array): Promise<void> | undefined;
  line(text?: string): Promise<void>;
}

/** Standard input, output and error: those of the process, or others that the caller passes. */
export interface Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & Shown;
  readonly stderr: Writable & Shown;
}

interface Shown {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface Terminal {
  readonly environment: Environment;
  readonly streams: Streams;
  readonly out: Screen;
  readonly err: Screen;
}

/** The reader of the output has gone. */
export class ClosedOutput extends Error {
  override readonly name = "ClosedOutput";
}

export function openTerminal(environment: Environment, streams: Streams = process): Terminal {
  return {
    environment,
    streams,
    out: createScreen(streams.stdout, environment),
    err: createScreen(streams.stderr, environment),
  };
}

function createScreen(stream: Writable & Shown, environment: Environment): Screen {
  const isTerminal = stream.isTTY === true;
  const hasColour = isTerminal && (environment["NO_COLOR"] ?? "") === "" && environment["TERM"] !== "dumb";
  const locale = environment["LC_ALL"] || environment["LC_CTYPE"] || environment["LANG"] || "";
  let closed: Error | null = null;
  stream.on("error", (error) => (closed ??= error));

  const drained = () =>
    new Promise<void>((resolve, reject) => {
      const finish = () => {
        for (const event of ["drain", "error", "close"]) stream.off(event, finish);
        if (closed === null && !stream.destroyed) resolve();
        else reject(new ClosedOutput());
      };
      for (const event of ["drain", "error", "close"]) stream.on(event, finish);
    });

  const write = (data: string | Uint8Array) => {
    if (closed !== null || stream.destroyed) return Promise.reject(new ClosedOutput());
    return stream.write(data) ? undefined : drained();
  };

  return {
    isTerminal,
    hasColour,
    width: isTerminal ? Math.max(40, stream.columns || 80) : 200,
    isUnicode: /utf-?8/i.test(locale),
    paint(text, ...with_) {
      if (!hasColour || with_.length === 0) return text;
      return `\u001b[${with_.map((name) => styles[name]).join(";")}m${text}\u001b[0m`;
    },
    write,
    async line(text = "") {
      await write(`${text}\n`);
    },
  };
}
