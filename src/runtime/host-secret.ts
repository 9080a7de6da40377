// Reads the secret of a host's credential, which lies in a variable or in a file of the person.
// Invariant: it is read when it is needed and kept nowhere. No message has any of it.

import { existsSync } from "node:fs";
import type { HostCredential } from "../policy/open-host.ts";
import { readPlainFile } from "../process/plain-file.ts";
import { resolvePath } from "../process/real-path.ts";
import { fail, ok, type Result } from "../shared/result.ts";

/** No server takes a longer header. */
const MOST_BYTES = 16 * 1024;

/** A failure's message begins with the field. */
export function readHostSecret(
  { from }: HostCredential,
  environment: Readonly<Record<string, string | undefined>>,
): Result<string> {
  if (from.kind === "env") {
    const text = environment[from.name];
    const state = text === undefined ? "is not set" : text.trim() === "" ? "is empty" : null;
    if (state !== null)
      return wrong(
        `env: ${from.name} ${state}`,
        `Set ${from.name} where you start the gate, or leave out the credential.`,
      );
    return inHeader(text ?? "", `env: ${from.name}`);
  }
  // The path is the person's own, and usually a link where a machine mounts its secrets. A pipe would be waited for.
  const { real } = resolvePath(from.path);
  const bytes = readPlainFile(real, MOST_BYTES);
  if (bytes === null) {
    const state = existsSync(real) ? "is no file that can be read, of at most 16 KiB" : "does not exist";
    return wrong(
      `file: ${from.path} ${state}`,
      "Write the secret into that file, readable by you, or leave out the credential.",
    );
  }
  return inHeader(bytes.toString("utf8"), `file: ${from.path}`);
}

function inHeader(text: string, where: string): Result<string> {
  const secret = text.trim();
  if (secret === "") return wrong(`${where} is empty`, "Write the secret there, and nothing else.");
  if (!/^[\x20-\x7e]+$/.test(secret))
    return wrong(
      `${where} holds more than one line, or characters that a header cannot have`,
      "Write the secret there, and nothing else.",
    );
  return ok(secret);
}

function wrong(reason: string, hint: string): Result<never> {
  return fail("invalid_args", `credential.${reason}`, { hint });
}
