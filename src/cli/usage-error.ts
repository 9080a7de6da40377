// Wrong use of the command, or a configuration that stops it. The command prints it on stderr and exits with code 2.
// Invariant: the text is safe to display. The caller has passed foreign text through the display functions.

export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}
