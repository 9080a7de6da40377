// Reads the secret of a host's credential, which lies in a variable or in a file of the person.

import type { HostCredential } from "../policy/open-host.ts";
import { readSecret } from "../process/read-secret.ts";
import { fail, type Result } from "../shared/result.ts";

/** A failure's message begins with the field. */
export function readHostSecret(
  { from }: HostCredential,
  environment: Readonly<Record<string, string | undefined>>,
): Result<string> {
  const read = readSecret(from, environment);
  if (read.ok) return read;
  const { message, hint = "" } = read.failure;
  return fail("invalid_args", `credential.${message}`, { hint: `${hint}, or leave out the credential.` });
}
