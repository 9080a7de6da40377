// Wrong use of the command, or a configuration that stops it: told on stderr, exit code 2.
// Invariant: its text is ready for a screen; whoever makes one has put foreign text through the display functions.

export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}
