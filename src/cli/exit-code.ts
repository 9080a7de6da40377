// The exit codes of the command. `sallyport --help` and docs/cli.md show the same list.

export const exitCode = {
  ok: 0,
  refused: 1,
  usage: 2,
  fault: 70,
  timedOut: 124,
  execRefused: 126,
  execNotFound: 127,
  /** The number of the signal is added. */
  signal: 128,
  brokenPipe: 141,
} as const;

export const exitCodeText = `Exit codes:
  0    it worked; what a program itself answered is in the reply
  1    refused, not found, or not in order (call, changes, audit verify, doctor, demo)
  2    wrong use, or a configuration that cannot be read: nothing was tried
  3    this node is too old, or the package is not built
  70   a fault in Sallyport itself; the answer was no
  128+n  ended by signal n: 130 is Ctrl-C, 141 a closed pipe
exec ends with the program's own code, and with
  124  its time was up          126  refused: nothing ran
  127  there is no such program`;
