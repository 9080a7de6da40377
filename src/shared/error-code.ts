// The code of an error from the operating system or node, such as ENOENT.

/** "" for an error without a code. Such an error is a bug in the gate, and callers rethrow it. */
export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
