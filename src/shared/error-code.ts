// The code of an error that the operating system or node gave, such as ENOENT.

/** "" for an error without one: that is a fault of ours, and whoever catches it throws it again. */
export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
