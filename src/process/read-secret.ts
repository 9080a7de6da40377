// Reads a secret of the person from a variable or a file.
// Invariant: it is read when it is needed and kept nowhere. No message has any of it.

import { existsSync } from "node:fs";
import { fail, ok, type Result } from "../shared/result.ts";
import { readPlainFile } from "./plain-file.ts";
import { resolvePath } from "./real-path.ts";

/** No server takes a longer header. */
const MOST_BYTES = 16 * 1024;

type Place = { readonly kind: "env"; readonly name: string } | { readonly kind: "file"; readonly path: string };

/** Without white space around it, and fit for a header. A failure's message begins with `env: NAME` or `file: PATH`. */
export function readSecret(from: Place, environment: Readonly<Record<string, string | undefined>>): Result<string> {
  if (from.kind === "env") {
    const text = environment[from.name];
    const state = text === undefined ? "is not set" : text.trim() === "" ? "is empty" : null;
    if (state !== null)
      return fail("invalid_args", `env: ${from.name} ${state}`, { hint: `Set ${from.name} where you start the gate` });
    return inHeader(text ?? "", `env: ${from.name}`);
  }
  // The path is the person's own, and usually a link where a machine mounts its secrets. A pipe would be waited for.
  const { real } = resolvePath(from.path);
  const bytes = readPlainFile(real, MOST_BYTES);
  if (bytes === null) {
    const state = existsSync(real) ? "is no file that can be read, of at most 16 KiB" : "does not exist";
    return fail("invalid_args", `file: ${from.path} ${state}`, {
      hint: "Write the secret into that file, readable by you",
    });
  }
  return inHeader(bytes.toString("utf8"), `file: ${from.path}`);
}

function inHeader(text: string, where: string): Result<string> {
  const secret = text.trim();
  const hint = "Write the secret there, and nothing else";
  if (secret === "") return fail("invalid_args", `${where} is empty`, { hint });
  if (!/^[\x20-\x7e]+$/.test(secret))
    return fail("invalid_args", `${where} holds more than one line, or characters that a header cannot have`, { hint });
  return ok(secret);
}
