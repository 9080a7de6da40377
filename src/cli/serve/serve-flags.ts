// The flags and the help of `serve`.

import type { Command } from "commander";
import { addGateFlags, type Run } from "../gate-flags.ts";
import type { Terminal } from "../terminal/terminal.ts";

const defaultPort = "7117";

export function addServe(program: Command, terminal: Terminal, run: Run): void {
  addGateFlags(program.command("serve"))
    .summary("the web page: questions, diffs, the record")
    .description(
      "Serves the page where a person answers, reads diffs and looks at the record: for this machine, and for paired devices.",
    )
    .option("--port <N>", "where to listen; 0 takes any port", defaultPort)
    .option("--host <ADDRESS[:PORT]>", "also where other devices reach it, over TLS; the port is 7443 if not written")
    .option("--tls-cert <FILE>", "with --host: the certificate, in PEM, with its chain")
    .option("--tls-key <FILE>", "with --host: its private key, in PEM, without a passphrase")
    .option("--allow-host <NAME>", "with --host: another name it may be called by; can be repeated", (name, all) => [
      ...((all as string[] | undefined) ?? []),
      name,
    ])
    .option("--json", "print url, link and port, and MCP's address and token, as one JSON line")
    .addHelpText(
      "after",
      `
It prints a link that works once: whoever opens it may answer. On a terminal, Enter prints a fresh one. The link is all
that lets anybody in, so a program that only reaches the port can neither read nor answer. While it runs, calls wait for
an answer here. Ctrl-C ends it, and every page that was open.

With --host it listens a second time, for browsers on other devices. The link opens nothing there: a device is paired first,
under Machine on the page or with \`sallyport devices add\`. Its names are those of the certificate.

Examples:
  sallyport serve
  sallyport serve --port 8080 --project ~/code/app
  sallyport serve --host 0.0.0.0 --tls-cert /etc/ssl/home.pem --tls-key /etc/ssl/home.key

Exit code: 0 when it was ended by Ctrl-C or SIGTERM; 2 when the port is taken, or the configuration or the\ncertificate is wrong.`,
    )
    .action((flags) => run(async () => (await import("./serve.ts")).serveCommand(flags, terminal)));
}
